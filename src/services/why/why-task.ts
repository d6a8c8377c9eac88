/** Why a task is as it is: verdicts on the app that name it, then what its triggers wait for. */
import type { OpenedApp } from "../app/opened-app.ts";
import { waitingTriggersOf } from "../triggers/triggers.ts";
import { trendFacts } from "../verdicts/read-trends.ts";
import { findVerdicts } from "../verdicts/verdicts.ts";
import { naming, piece, ranked, type ThingWhy } from "./thing-verdict.ts";
import { blockingTriggers, waitingVerdict } from "./why-trigger.ts";

/** @param patience maximum milliseconds to wait for figures over time. */
export async function whyTask(app: OpenedApp, task: string, patience: number): Promise<ThingWhy> {
  const trends = await trendFacts(app, patience);
  return app.store.read(async (reads) => {
    const [verdicts, triggers] = await Promise.all([
      findVerdicts(app, reads, trends),
      waitingTriggersOf(app, reads, task),
    ]);
    const waiting = triggers.map(({ trigger_id, waiting: its }) => {
      const verdict = waitingVerdict(its);
      return {
        ...verdict,
        sentence: `Its trigger: ${verdict.sentence}`,
        evidence: [piece("trigger", trigger_id, "its trigger"), ...verdict.evidence],
      };
    });
    const due = triggers.some(({ waiting: its }) => its.state === "ready");
    const found = [...naming(verdicts, "task", task), ...(due ? blockingTriggers(verdicts) : []), ...waiting];
    return { label: "task", phases: null, critical_path: null, chain: [], ...ranked([...new Set(found)], null) };
  });
}
