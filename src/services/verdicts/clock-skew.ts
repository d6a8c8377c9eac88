/** Clocks that disagree: an invocation was taken on one host before it was registered on another. */
import { counted, lasting } from "../../pynenc/numbers.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { AppFacts, Handover } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";

/** Newest history entries to read. */
const ENTRIES_READ = 1_000;

/** A write may take this long, so smaller differences are not skew. */
const TOLERATED_SECONDS = 1;

/** Minimum number of invocations that show the skew. */
const MIN_INVOCATIONS = 3;

/** Handovers between hosts among the newest history entries. */
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
  // A slow clock may date this entry before the registration that preceded it.
  for (const [id, taken] of firstTaken) {
    const entry = registered.get(id);
    if (entry !== undefined) pairs.push([entry, taken]);
  }
  const early = pairs.filter(([entry, taken]) => taken.timestamp < entry.timestamp);
  if (early.length < MIN_INVOCATIONS) return [];
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
    if (first === undefined || some.length < MIN_INVOCATIONS) return [];
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
