/** Invocations that concurrency control holds back repeatedly. */
import { counted, lasting } from "../../pynenc/numbers.ts";
import { utcText } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { AppFacts, HeldBack } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";

/** The alternating statuses of an invocation that is held back. */
const HELD_STATUSES = ["concurrency_controlled", "rerouted"];

/** Shorter waits are the normal effect of concurrency control. */
const LONG_SECONDS = 300;

/** Minimum number of times within the entries read: an invocation may also have been put back once by recovery. */
const MIN_TIMES = 3;

/** Maximum invocations examined, and history entries read for the last minutes. */
const SCAN_LIMIT = 100;
const ENTRIES_READ = 5_000;

const SHOWN = 3;

/** Each step only runs if the previous one found something: most apps have no such invocations. */
export async function heldBack(reads: AppReads, now: number): Promise<HeldBack[]> {
  const rows = await reads.orchestrator.listInvocations({ statuses: HELD_STATUSES }, { limit: SCAN_LIMIT, offset: 0 });
  if (rows.length === 0) return [];
  const then = await reads.state_backend.lastEntriesBefore(
    rows.map((row) => row.invocation_id),
    now - LONG_SECONDS,
  );
  const heldSince = new Map(
    then.flatMap((entry) => (HELD_STATUSES.includes(entry.status) ? [[entry.invocation_id, entry.timestamp]] : [])),
  );
  if (heldSince.size === 0) return [];
  const entries = await reads.state_backend.historyBetween({ from: now - LONG_SECONDS }, ENTRIES_READ, "latest");
  const times = new Map<string, number>();
  const others = new Set<string>();
  for (const { invocation_id, status } of entries) {
    if (status === "concurrency_controlled") times.set(invocation_id, (times.get(invocation_id) ?? 0) + 1);
    else if (status !== "rerouted") others.add(invocation_id);
  }
  return rows.flatMap(({ invocation_id, task_id_key }) => {
    const since = heldSince.get(invocation_id);
    const held = times.get(invocation_id) ?? 0;
    // An invocation that made progress and was put back for another reason is not held back.
    if (since === undefined || held < MIN_TIMES || others.has(invocation_id)) return [];
    return [{ invocation_id, task_id_key, since, times: held }];
  });
}

export function heldByConcurrency({ held, running, now }: AppFacts): Finding[] {
  if (held.length === 0) return [];
  const tasks = [...new Set(held.map(({ task_id_key }) => task_id_key))];
  const holders = running.filter(({ task_id_key }) => tasks.includes(task_id_key));
  const since = Math.min(...held.map((one) => one.since));
  const most = [...held].sort((a, b) => b.times - a.times).slice(0, SHOWN);
  const words = most.map(({ invocation_id, task_id_key, times }) => {
    return `${invocation_id.slice(0, 8)} of ${task_id_key} was held back ${counted(times, "time")}`;
  });
  const who =
    holders.length === 0
      ? "No invocation of the same task runs now."
      : `${counted(holders.length, "invocation")} of the same task ${holders.length === 1 ? "runs" : "run"} now and may be what holds ${held.length === 1 ? "it" : "them"} back; which arguments the control compares is not stored.`;
  return [
    {
      code: "held_by_concurrency",
      severity: "warning",
      sentence: `${counted(held.length, "invocation")} of ${tasks.slice(0, SHOWN).join(", ")} held back by concurrency control for more than ${lasting(LONG_SECONDS)}`,
      detail: `In the last minutes ${words.join(", ")}. ${held.length === 1 ? "It was" : "They were"} held back or put back at ${utcText(since)} already (${lasting(Math.floor(now - since))} ago). ${who}`,
      since,
      evidence: [
        ...evidence(
          "invocation",
          held.map(({ invocation_id }) => invocation_id),
          "held back",
        ),
        ...evidence(
          "invocation",
          holders.map(({ invocation_id }) => invocation_id),
          "runs, possibly what holds it",
        ),
        ...evidence("task", tasks),
      ],
      count: held.length,
    },
  ];
}
