/** Clocks that differ: an invocation was taken on one host before it was registered on another. */
import { counted, lasting } from "../../pynenc/numbers.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { AppFacts, Handover } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";

/** The newest entries of the history that are examined. */
const ENTRIES_READ = 1_000;

/** Differences that a write may take are no skew. */
const TOLERATED_SECONDS = 1;

/** So many invocations have to show it. */
const LEAST = 3;

/** Among the newest entries of the history. */
export async function handovers(reads: AppReads): Promise<Handover[]> {
  const entries = await reads.state_backend.historyBetween({}, ENTRIES_READ, "latest");
  const registered = new Map<string, (typeof entries)[number]>();
  const pairs: [(typeof entries)[number], (typeof entries)[number]][] = [];
  const firstTaken = new Map<string, (typeof entries)[number]>();
  for (const entry of entries) {
    if (entry.status === "registered") registered.set(entry.invocation_id, entry);
    else if (entry.status === "pending" && !firstTaken.has(entry.invocation_id)) {
      firstTaken.set(entry.invocation_id, entry);
    }
  }
  // An entry that a clock dates earlier may lie before the registration that came first.
  for (const [id, taken] of firstTaken) {
    const entry = registered.get(id);
    if (entry !== undefined) pairs.push([entry, taken]);
  }
  const early = pairs.filter(([entry, taken]) => taken.timestamp < entry.timestamp);
  if (early.length < LEAST) return [];
  const ids = [...new Set(early.flatMap((pair) => pair.flatMap((entry) => entry.runner_context_id ?? [])))];
  const contexts = await reads.state_backend.runnerContexts(ids);
  const hostOf = new Map(contexts.map((context) => [context.runner_id, context.hostname]));
  return early.flatMap(([entry, taken]) => {
    const from_host = hostOf.get(entry.runner_context_id ?? "");
    const to_host = hostOf.get(taken.runner_context_id ?? "");
    if (from_host === undefined || to_host === undefined || from_host === to_host) return [];
    return [
      {
        invocation_id: entry.invocation_id,
        from_host,
        to_host,
        registered_at: entry.timestamp,
        taken_at: taken.timestamp,
      },
    ];
  });
}

export function clockSkew({ handovers: all }: AppFacts): Finding[] {
  const byHosts = new Map<string, Handover[]>();
  for (const one of all) {
    if (one.registered_at - one.taken_at <= TOLERATED_SECONDS) continue;
    const key = JSON.stringify([one.from_host, one.to_host]);
    byHosts.set(key, [...(byHosts.get(key) ?? []), one]);
  }
  return [...byHosts.values()].flatMap((some): Finding[] => {
    const [first] = some;
    if (first === undefined || some.length < LEAST) return [];
    const most = Math.max(...some.map((one) => one.registered_at - one.taken_at));
    return [
      {
        code: "clock_skew",
        severity: "warning",
        sentence: `The clock of ${first.to_host} is behind that of ${first.from_host} by at least ${lasting(most)}`,
        detail: `${counted(some.length, "invocation")} of the newest ones, registered on ${first.from_host}, ${some.length === 1 ? "was" : "were"} taken on ${first.to_host} before that by the clocks of the two. Waits and durations across these hosts are wrong by as much. Synchronize their clocks (NTP).`,
        since: Math.min(...some.map((one) => one.taken_at)),
        evidence: evidence(
          "invocation",
          some.map((one) => one.invocation_id),
        ),
        count: some.length,
      },
    ];
  });
}
