/** Why a task is as it is: verdicts on the app that concern it, what its triggers wait for, then how it fared lately. */
import type { FailureGroup, StatsFigures } from "../../api/stats.ts";
import { counted, grouped, lasting } from "../../pynenc/numbers.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { failures } from "../stats/failures.ts";
import { totalOf } from "../stats/stats.ts";
import { waitingTriggersOf } from "../triggers/triggers.ts";
import { trendFacts } from "../verdicts/read-trends.ts";
import { nameOf, WHEN } from "../verdicts/rises.ts";
import type { TaskFigures } from "../verdicts/trend-facts.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";
import { waitingVerdict } from "./why-trigger.ts";

const DAY = 86_400;

/** Failure groups of a task that are explained. */
const GROUPS = 5;

/** How a task fared. */
export interface TaskLately {
  day: StatsFigures;
  groups: readonly FailureGroup[];
  more_groups: number;
  /** What the last hour and the longest known period before it say, as sentences. */
  compared: readonly string[];
}

/** Null if figures over time are switched off, or not read in time. Not inside `store.read`. @param patience milliseconds */
export async function taskLately(app: OpenedApp, task: string, patience: number): Promise<TaskLately | null> {
  const { rollups } = app;
  if (rollups === null || task === "") return null;
  const to = app.now();
  const [from, until] = [to - DAY, to].map((at) => [isoFromEpoch(at)]);
  const answers = Promise.all([
    totalOf(rollups, { from: to - DAY, to, patience }, { task_id_key: task }, to),
    failures(app, { task_id: [task], from, to: until, by: ["group"], limit: [String(GROUPS)] }, GROUPS),
    trendFacts(app, patience),
  ]);
  const found = await within(patience, answers.catch(ifUnreachable));
  if (found === null) return null;
  const [{ answered, figures }, { groups, groups_total }, trends] = found;
  if (!answered.complete) return null;
  const than = (["week", "day", "hour_before"] as const).find((one) => trends?.[one]?.has(task));
  const before = than === undefined ? undefined : trends?.[than]?.get(task);
  const compared = comparedWords(trends?.hour?.get(task), than === undefined ? "" : WHEN[than], before);
  return { day: figures, groups, more_groups: groups_total - groups.length, compared };
}

function comparedWords(now: TaskFigures | undefined, when: string, before: TaskFigures | undefined): string[] {
  if (now === undefined) return [];
  const share = ({ failed, finished }: TaskFigures) => `${grouped(failed)} of ${grouped(finished)}`;
  const than = (words: string | null) => (words === null || before === undefined ? "" : `; ${when}, ${words}`);
  const median = ({ run }: TaskFigures) => (run.p50_seconds === null ? null : lasting(run.p50_seconds));
  const typical = median(now);
  return [
    `In the last hour ${share(now)} failed${than(before === undefined ? null : share(before))}.`,
    ...(typical === null
      ? []
      : [`Half of its runs took ${typical} or less${than(before === undefined ? null : median(before))}.`]),
  ];
}

/**
 * @param by verdicts on the app that concern it.
 * @param lately null if not known.
 */
export async function whyTask(
  app: OpenedApp,
  reads: AppReads,
  task: string,
  by: readonly FoundVerdict[],
  lately: TaskLately | null,
): Promise<Omit<ThingWhy, "label">> {
  const triggers = await waitingTriggersOf(app, reads, task);
  const waiting = triggers.map(({ trigger_id, waiting: its }) => {
    const verdict = waitingVerdict(its);
    return {
      ...verdict,
      sentence: `Its trigger: ${verdict.sentence}`,
      evidence: [piece("trigger", trigger_id, "its trigger"), ...verdict.evidence],
    };
  });
  const own = lately === null ? null : ownVerdict(task, lately);
  const more = lately?.more_groups ?? 0;
  const chain = [
    ...(lately?.groups ?? []).map(groupLink),
    ...(more > 0 ? [link(`${counted(more, "more group")} of failures and retries`)] : []),
  ];
  return { phases: null, critical_path: null, chain, ...ranked([...by, ...waiting], own) };
}

function ownVerdict(task: string, { day, groups, compared }: TaskLately): FoundVerdict | null {
  const { finished, failed, retries } = day;
  if (finished + retries === 0) return null;
  const failing = groups.filter((group) => group.failed > 0);
  const since = failing.flatMap(({ first_seen }) => first_seen ?? []).sort()[0] ?? null;
  const again = retries === 0 ? "" : `, and ${counted(retries, "attempt was", "attempts were")} retried`;
  return explanation({
    code: failed > 0 ? "task_failed" : "task_ended_well",
    sentence: `${counted(finished, "invocation")} ended in the last 24 h; ${failed === 0 ? "none" : grouped(failed)} failed${again}.`,
    detail: compared.join(" "),
    since,
    evidence: [piece("task", task)],
    count: Math.max(1, failed),
  });
}

/** One kind of failure: how often, what is special about it, and its newest example. */
function groupLink(group: FailureGroup) {
  const { failed, retries, ever, first_seen, last_seen, stands_out, invocation_ids } = group;
  const times = [failed > 0 ? `${grouped(failed)} failed` : "", retries > 0 ? `${grouped(retries)} retried` : ""];
  const earlier = ever.failed + ever.retries - failed - retries;
  const known = earlier > 0 ? `, ${ever.complete ? "" : "at least "}${grouped(earlier)} before` : "";
  const special = stands_out.map(
    ({ kind, name, value, failures, failures_looked_at, successes, successes_looked_at }) => {
      const what = kind === "runner" ? `runner ${value.slice(0, 8)}` : `${name}=${value}`;
      return `; ${what} in ${failures} of ${failures_looked_at} failures and ${successes} of ${successes_looked_at} successes`;
    },
  );
  const latest = last_seen === null || last_seen === first_seen ? "" : `, the last at ${last_seen.slice(11, 19)}`;
  const words = `${nameOf(group)}: ${times.filter((one) => one !== "").join(", ")}${known}${latest}${special.join("")}`;
  const [id] = invocation_ids;
  return link(words, { at: first_seen, ...(id === undefined ? {} : { kind: "invocation", id }) });
}
