/** Why a task is as it is: verdicts on the app that concern it, then what its triggers wait for. */
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { waitingTriggersOf } from "../triggers/triggers.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { piece, ranked, type ThingWhy } from "./thing-verdict.ts";
import { waitingVerdict } from "./why-trigger.ts";

/** @param by verdicts on the app that concern it. */
export async function whyTask(
  app: OpenedApp,
  reads: AppReads,
  task: string,
  by: readonly FoundVerdict[],
): Promise<ThingWhy> {
  const triggers = await waitingTriggersOf(app, reads, task);
  const waiting = triggers.map(({ trigger_id, waiting: its }) => {
    const verdict = waitingVerdict(its);
    return {
      ...verdict,
      sentence: `Its trigger: ${verdict.sentence}`,
      evidence: [piece("trigger", trigger_id, "its trigger"), ...verdict.evidence],
    };
  });
  return { label: "task", phases: null, critical_path: null, chain: [], ...ranked([...by, ...waiting], null) };
}
