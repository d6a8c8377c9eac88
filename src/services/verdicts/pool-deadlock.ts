/**
 * A pool that blocks itself: every running invocation waits, directly or through others, for one that is still queued, and no worker is free to take
 * it. It happens with runners whose workers stay occupied while waiting for results, once calls nest as deep as there are workers (storage-format.md
 * 8).
 */
import { listsOf } from "../../pynenc/groups.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { BlockingEdge } from "../../pynenc/records.ts";
import { statusInfo, WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, utcText } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { MAX_TAKERS, takenInvocations } from "../app/taken.ts";
import { type Queues, SHORT_QUEUE } from "../model/queue-health.ts";
import { readTakers } from "../model/takers.ts";
import type { PoolFacts, Waits } from "./facts.ts";
import { evidence, type Finding, NAMED } from "./finding.ts";

/** Nothing may have started for this long: a free worker takes a message within a second or so. */
const QUIET_SECONDS = 60;

/** Maximum history entries searched for activity since then. */
const ENTRIES_READ = 5_000;

/** Null unless the rows show a deadlock. Certain if all workers are known, take one invocation at a time and hold one that cannot continue. */
export function deadlockedPool({
  now,
  held,
  edges,
  queued,
  listed,
  takers,
  spawns,
  worked_at,
}: PoolFacts): Finding | null {
  if (held.length === 0 || held.some(({ status }) => status === "pending")) return null;
  const chains = blockedBy(held, edges, queued);
  if (chains === null) return null;
  const holders = new Set(held.map((one) => one.status_runner_id));
  if (takers.some(({ runner_id }) => !holders.has(runner_id))) return null;
  const wanted = [...new Set(chains.flatMap((chain) => chain.at(-1) ?? []))];
  const since = Math.max(
    ...held.map((one) => one.status_timestamp),
    Math.min(...wanted.map((id) => queued.get(id) ?? now)),
  );
  // Anything that ran since had a worker, which was free afterwards.
  if (now - since < QUIET_SECONDS || (worked_at !== null && worked_at > since)) return null;
  const known = takers.length > 0 && !spawns && takers.every(({ single }) => single);
  const certain = listed && known;
  const longest = chains.reduce((most, chain) => (chain.length > most.length ? chain : most), chains[0] ?? []);
  const all =
    held.length === 1
      ? "the only running invocation waits"
      : `${held.length === 2 ? "both" : `all ${held.length}`} running invocations wait`;
  return {
    code: "deadlocked_pool",
    severity: certain ? "error" : "warning",
    sentence: `${certain ? "Deadlock" : "Possible deadlock"}: ${all} for ${counted(wanted.length, "invocation")} in the queue${certain ? ", and no worker is free" : ""}`,
    detail: [
      `${chainWords(longest)}. Nothing else is recorded as started or ended since ${utcText(since)}.`,
      certain
        ? `${takers.length === 1 ? "The only active worker holds" : `Each of the ${takers.length} active workers holds`} an invocation that cannot continue.`
        : reservation(listed),
      "Start one more runner: its workers take the queued ones, so the waiting ones can continue. To prevent it, use more workers than calls nest, or a runner whose waiting tasks free their worker.",
    ].join(" "),
    since,
    evidence: [
      ...evidence("invocation", wanted, "in the queue"),
      ...evidence("invocation", held.map(invocationIdOf), "waits"),
    ].slice(0, NAMED),
    count: held.length,
  };
}

function reservation(listed: boolean): string {
  return listed
    ? "How many workers the active runners have is not stored: one may be free and kept from taking them by something else."
    : "By their status alone they are queued: the messages of the queue were not read.";
}

/** `1a2b3c4d waits for 5e6f7a8b waits for 9c0d1e2f, which is in the queue`; the middle of a long chain is omitted. */
function chainWords(chain: readonly string[]): string {
  const short = chain.map((id) => id.slice(0, 8));
  const shown = short.length <= CHAIN_SHOWN ? short : [...short.slice(0, CHAIN_SHOWN - 1), "…", short.at(-1) ?? ""];
  return `${shown.join(" waits for ")}, which is in the queue`;
}

const CHAIN_SHOWN = 6;

/**
 * For each held invocation, the chain of waits from itself to a queued one. Null if any of them may continue: it waits for nothing, or only for
 * invocations that are neither held nor queued.
 */
function blockedBy(
  held: PoolFacts["held"],
  edges: readonly BlockingEdge[],
  queued: ReadonlyMap<string, EpochSeconds>,
): string[][] | null {
  const waitersOf = listsOf(edges.map(({ waiter_id, waited_id }) => [waited_id, waiter_id]));
  // Search backwards from the queue: each one is reached by its shortest chain, and cycles end.
  const next = new Map<string, string | null>([...queued.keys()].map((id) => [id, null]));
  const own = new Set(held.map(invocationIdOf));
  const reached = [...next.keys()];
  for (const id of reached) {
    for (const waiter of waitersOf.get(id) ?? []) {
      if (next.has(waiter) || !own.has(waiter)) continue;
      next.set(waiter, id);
      reached.push(waiter);
    }
  }
  const chains: string[][] = [];
  for (const { invocation_id } of held) {
    if (!next.has(invocation_id)) return null;
    const chain: string[] = [];
    for (let id: string | null = invocation_id; id !== null; id = next.get(id) ?? null) chain.push(id);
    chains.push(chain);
  }
  return chains;
}

/**
 * Reads the input of `deadlockedPool` in a few steps. Each step only runs if a deadlock is still possible: for an app that starts something every
 * minute, one read is enough. Null if there is none.
 */
export async function poolFacts(
  reads: AppReads,
  {
    queues: { queues, complete, unreachable },
    waits: { edges, statuses, complete: all },
    lost,
    dead_before,
    now,
  }: {
    queues: Queues;
    waits: Waits;
    /** Invocations whose runner counts as silent: they occupy no worker. */
    lost: ReadonlySet<string>;
    dead_before: EpochSeconds;
    now: EpochSeconds;
  },
): Promise<PoolFacts | null> {
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  // Messages that no runner takes are another problem, which would explain the wait.
  if (waiting === 0 || edges.length === 0 || !all || !complete || unreachable !== null) return null;
  if (queues.some((queue) => queue.waiting > 0 && queue.active_consumers === 0 && queue.health !== "unknown"))
    return null;
  const held = (await takenInvocations(reads.orchestrator))?.filter((row) => !lost.has(row.invocation_id)) ?? [];
  if (held.length === 0) return null;
  if (held.some((row) => row.status === "pending" || now - row.status_timestamp < QUIET_SECONDS)) return null;
  const [runners, { queue_peek }] = await Promise.all([readTakers(reads, dead_before), reads.layout.capabilities()]);
  if (runners === null || runners.active === 0) return null;
  const waited = [...new Set(edges.map((edge) => edge.waited_id))].flatMap((id) => statuses.get(id) ?? []);
  const others = await lastOfOthers(reads, held);
  if (others === undefined) return null;
  const ready = waited.filter(({ status }) => WAITING_STATUSES.includes(statusInfo(status).name));
  const messages = queues.reduce((sum, queue) => sum + queue.messages, 0);
  const listed = queue_peek && messages <= SHORT_QUEUE;
  const found = listed ? await reads.broker.messagesOf(ready.map(invocationIdOf)) : null;
  const present = found && new Set(found.map(invocationIdOf));
  const queued = ready.filter((row) => present === null || present.has(row.invocation_id));
  return {
    now,
    held,
    edges,
    queued: new Map(queued.map((row) => [row.invocation_id, row.status_timestamp])),
    listed,
    worked_at: others,
    takers: runners.takers.filter(({ spawns }) => !spawns),
    spawns: runners.spawns,
  };
}

/** As `PoolFacts.worked_at`; undefined if more happened than is read. */
async function lastOfOthers(reads: AppReads, held: PoolFacts["held"]): Promise<EpochSeconds | null | undefined> {
  const from = Math.max(...held.map((one) => one.status_timestamp));
  const { rows, exhausted } = await reads.state_backend.listActive({ from }, held.length + MAX_TAKERS, ENTRIES_READ);
  if (!exhausted) return undefined;
  const own = new Set(held.map(invocationIdOf));
  const others = rows.map(invocationIdOf).filter((id) => !own.has(id));
  const spans = await reads.state_backend.historySpanOf(others);
  const moved = spans.flatMap(({ last }) => (last.status === "registered" ? [] : [last.timestamp]));
  return moved.length === 0 ? null : Math.max(...moved);
}
