/**
 * Clocks that are wrong: something is stamped in the future, an invocation was taken on one host before it was registered on another, or a runner stamped
 * what came later with an earlier time. Verdicts that judge a host which is behind by the clock allow it as much.
 */
import { addTo } from "../../pynenc/groups.ts";
import { invocationIdOf, runnerIdOf } from "../../pynenc/keys.ts";
import { AHEAD_SECONDS, historiesInOrder, TOLERATED_SECONDS, timed } from "../../pynenc/life.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import type { HeartbeatRecord, HistoryRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { oncePerRows } from "../model/once-per-rows.ts";
import type { AheadHost, EndedFacts, Handover, SetBack } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";

/** Newest history entries, and latest heartbeats, to read. */
const ENTRIES_READ = 1_000;
const HEARTBEATS_READ = 100;

/** Minimum number of invocations that show the skew. */
const MIN_INVOCATIONS = 3;

export interface Clocks {
  handovers: Handover[];
  ahead: AheadHost[];
  set_back: SetBack[];
  /** Latest first. */
  heartbeats: HeartbeatRecord[];
}

/** Two reads, and a third of the contexts of runners if something is in the future, was taken early or goes back in time. */
export async function readClocks(app: OpenedApp, reads: AppReads): Promise<Clocks> {
  const [entries, heartbeats] = await Promise.all([
    reads.state_backend.historyBetween({}, ENTRIES_READ, "latest"),
    reads.orchestrator.heartbeats({ limit: HEARTBEATS_READ, offset: 0 }),
  ]);
  // What was written while they were read is not in the future.
  const limit = app.now() + AHEAD_SECONDS;
  const early = takenEarly(entries);
  const late = entries.filter((entry) => entry.timestamp > limit);
  const back = goingBack(entries);
  const writers = [
    ...[...early.flat(), ...late].flatMap((entry) => entry.runner_context_id ?? []),
    ...back.map(runnerIdOf),
  ];
  const isAnyAhead = late.length > 0 || heartbeats.some((one) => one.last_heartbeat > limit);
  const hostOf = await hostsOf(reads, [...writers, ...(isAnyAhead ? heartbeats.map(runnerIdOf) : [])]);
  const everySeconds = numberSetting(app, "atomic_service_check_interval_minutes") * 60;
  const ahead = isAnyAhead ? aheadHosts(late, heartbeats, hostOf, { limit, everySeconds }) : [];
  const set_back = back.map((one) => ({ ...one, host: hostOf.get(one.runner_id) ?? null }));
  return { handovers: betweenHosts(early, hostOf), ahead, set_back, heartbeats };
}

async function hostsOf(reads: AppReads, runnerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (runnerIds.length === 0) return new Map();
  const contexts = await reads.state_backend.runnerContexts([...new Set(runnerIds)]);
  return new Map(contexts.map((context) => [context.runner_id, context.hostname]));
}

/** Entries by which an invocation was registered, and taken before that; none if too few show it. */
const takenEarly = oncePerRows((entries: readonly HistoryRecord[]): [HistoryRecord, HistoryRecord][] => {
  const registered = new Map<string, HistoryRecord>();
  const firstTaken = new Map<string, HistoryRecord>();
  for (const entry of entries) {
    if (entry.status === "registered") registered.set(entry.invocation_id, entry);
    else if (entry.status === "pending" && !firstTaken.has(entry.invocation_id)) {
      firstTaken.set(entry.invocation_id, entry);
    }
  }
  // A slow clock may date the second before the registration that preceded it.
  const early = [...firstTaken].flatMap(([id, taken]): [HistoryRecord, HistoryRecord][] => {
    const entry = registered.get(id);
    return entry !== undefined && taken.timestamp < entry.timestamp ? [[entry, taken]] : [];
  });
  return early.length < MIN_INVOCATIONS ? [] : early;
});

function betweenHosts(
  early: readonly [HistoryRecord, HistoryRecord][],
  hostOf: ReadonlyMap<string, string>,
): Handover[] {
  return early.flatMap(([entry, taken]) => {
    const from_host = hostOf.get(entry.runner_context_id ?? "");
    const to_host = hostOf.get(taken.runner_context_id ?? "");
    if (from_host === undefined || to_host === undefined || from_host === to_host) return [];
    const { invocation_id } = entry;
    return [{ invocation_id, from_host, to_host, registered_at: entry.timestamp, taken_at: taken.timestamp }];
  });
}

/** Where of two entries in succession by one runner, as the end of a run follows its start, the later one has the earlier time. */
const goingBack = oncePerRows((entries: readonly HistoryRecord[]): Omit<SetBack, "host">[] =>
  [...historiesInOrder(entries)].flatMap(([invocation_id, history]) =>
    // Without the hosts of runners, each runner is a clock of its own.
    timed(history).flatMap(({ entry: { timestamp: at }, clock }, index, life) => {
      const before = life[index - 1];
      const seconds = (before?.entry.timestamp ?? at) - at;
      if (clock === null || before?.clock !== clock || seconds <= TOLERATED_SECONDS) return [];
      return [{ invocation_id, runner_id: clock, seconds, at }];
    }),
  ),
);

/** @param everySeconds how often runners send heartbeats. */
function aheadHosts(
  entries: readonly HistoryRecord[],
  heartbeats: readonly HeartbeatRecord[],
  hostOf: ReadonlyMap<string, string>,
  { limit, everySeconds }: { limit: number; everySeconds: number },
): AheadHost[] {
  const hosts = new Map<string | null, AheadHost>();
  const add = (host: string | null, stamp: number): AheadHost => {
    const known = hosts.get(host) ?? { host, seconds: 0, runner_ids: new Set(), invocation_ids: new Set() };
    const changed = { ...known, seconds: Math.max(known.seconds, stamp - limit + AHEAD_SECONDS) };
    hosts.set(host, changed);
    return changed;
  };
  const heard = new Map<string, number>();
  for (const { runner_id, last_heartbeat } of heartbeats) {
    const host = hostOf.get(runner_id) ?? null;
    if (last_heartbeat > limit) add(host, last_heartbeat).runner_ids.add(runner_id);
    if (host !== null) heard.set(host, Math.max(last_heartbeat, heard.get(host) ?? 0));
  }
  for (const { runner_context_id, timestamp, invocation_id } of entries) {
    const host = hostOf.get(runner_context_id ?? "") ?? null;
    // Heartbeats show what time it is there: an entry much later than they allow has its time from elsewhere.
    const isPossible = timestamp <= (heard.get(host ?? "") ?? timestamp) + everySeconds + AHEAD_SECONDS;
    if (isPossible) add(host, timestamp).invocation_ids.add(invocation_id);
  }
  return [...hosts.values()];
}

interface Lag {
  host: string;
  than: string;
  seconds: number;
  shown: readonly Handover[];
}

/** Hosts whose clocks are behind that of another host, unless that host is known to be ahead: then the verdict on that one explains it. */
function lags({ handovers, ahead }: Pick<EndedFacts, "handovers" | "ahead">): Lag[] {
  const isAhead = new Set(ahead.map(({ host }) => host));
  const byHosts = new Map<string, Handover[]>();
  for (const one of handovers) {
    if (one.registered_at - one.taken_at <= TOLERATED_SECONDS || isAhead.has(one.from_host)) continue;
    addTo(byHosts, JSON.stringify([one.from_host, one.to_host]), one);
  }
  return [...byHosts.values()].flatMap((shown) => {
    const [first] = shown;
    if (first === undefined || shown.length < MIN_INVOCATIONS) return [];
    const seconds = Math.max(...shown.map((one) => one.registered_at - one.taken_at));
    return [{ host: first.to_host, than: first.from_host, seconds, shown }];
  });
}

/** By how many seconds the clock of the host of each of these runners is known to be behind. Reads nothing unless one is. */
export async function lagsOfRunners(
  reads: AppReads,
  clocks: Clocks,
  runnerIds: readonly string[],
): Promise<(runnerId: string | null) => number> {
  const behind = new Map<string, number>();
  for (const { host, seconds } of lags(clocks)) behind.set(host, Math.max(seconds, behind.get(host) ?? 0));
  if (behind.size === 0) return () => 0;
  const hostOf = await hostsOf(reads, runnerIds);
  return (runnerId) => behind.get(hostOf.get(runnerId ?? "") ?? "") ?? 0;
}

export function clockSkew(facts: Pick<EndedFacts, "handovers" | "ahead" | "set_back">): Finding[] {
  const { ahead, set_back } = facts;
  const behind = lags(facts);
  // What is wrong with a clock now says more than that it was moved.
  const said = new Set([...ahead, ...behind].map(({ host }) => host));
  const moved = [...new Set(set_back.map(({ host }) => host))].filter((host) => !said.has(host));
  return [
    ...ahead.map(aheadOfMonitor),
    ...behind.map(behindAnother),
    ...moved.map((host) =>
      wasSetBack(
        host,
        set_back.filter((one) => one.host === host),
      ),
    ),
  ];
}

function aheadOfMonitor({ host, seconds, runner_ids, invocation_ids }: AheadHost): Finding {
  const [beats, entries] = [runner_ids.size, invocation_ids.size];
  const rows = [
    ...(beats > 0 ? [counted(beats, "heartbeat")] : []),
    ...(entries > 0 ? [`history entries of ${counted(entries, "invocation")}`] : []),
  ];
  return {
    code: "clock_skew",
    severity: "warning",
    sentence: `The clock of ${nameOf(host)} is at least ${lasting(seconds)} ahead of the monitor's`,
    detail: `Times of ${rows.join(" and ")} are in the future, or the clock of the machine that runs this monitor, or its --now, is behind. Times across hosts are wrong by that much, and a silent runner of this host counts as active for that much longer. Synchronize the clocks (NTP).`,
    since: null,
    evidence: [
      ...evidence("runner", [...runner_ids], "heartbeat in the future"),
      ...evidence("invocation", [...invocation_ids], "changed in the future"),
    ],
    count: beats + entries,
  };
}

function behindAnother({ host, than, seconds, shown }: Lag): Finding {
  return {
    code: "clock_skew",
    severity: "warning",
    sentence: `The clock of ${host} is at least ${lasting(seconds)} behind that of ${than}`,
    detail: `By the two clocks, ${counted(shown.length, "recent invocation was", "recent invocations were")} taken on ${host} before being registered on ${than}. Times across these hosts are wrong by that much. If recovery waits no longer than that for a heartbeat, it takes invocations from live runners of ${host}. Synchronize the clocks (NTP).`,
    since: Math.min(...shown.map((one) => one.taken_at)),
    evidence: evidence("invocation", shown.map(invocationIdOf)),
    count: shown.length,
  };
}

function wasSetBack(host: string | null, shown: readonly SetBack[]): Finding {
  const invocations = [...new Set(shown.map(invocationIdOf))];
  return {
    code: "clock_skew",
    severity: "warning",
    sentence: `The clock of ${nameOf(host)} was set back by at least ${lasting(Math.max(...shown.map((one) => one.seconds)))}`,
    detail: `In the history of ${counted(invocations.length, "recent invocation")}, a runner of this host gave a later change an earlier time, so durations there are not known. Whether the clock was ahead before or is behind now is not known; if it is behind, its runners seem silent. Synchronize the clocks (NTP).`,
    since: Math.min(...shown.map((one) => one.at)),
    evidence: [
      ...evidence("invocation", invocations),
      ...evidence("runner", [...new Set(shown.map(runnerIdOf))], "stamped it"),
    ],
    count: invocations.length,
  };
}

function nameOf(host: string | null): string {
  return host ?? "an unknown host";
}
