/** Waits that cannot end: cycles, and waits for something that has already ended. */
import { addTo } from "../../pynenc/groups.ts";
import { counted } from "../../pynenc/numbers.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { InvocationFacts } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";

/** Statuses in which an invocation can wait for another: a runner holds it. */
const WAITING_FOR_OTHERS: readonly string[] = ["running", "resumed", "paused"];

/** How long a wait may still be recorded after everything it waits for has ended. */
const RELEASE_SECONDS = 60;

const CHAIN_SHOWN = 6;

/** Invocations that wait for each other in a cycle and are all taken by runners: none of them can continue. */
export function waitCycles({ waits, orphans, abandoned }: InvocationFacts): Finding[] {
  const lost = new Set([...orphans, ...abandoned].map((row) => row.invocation_id));
  const waitsFor = new Map<string, string[]>();
  for (const { waiter_id, waited_id } of waits.edges) {
    const sides = [waits.statuses.get(waiter_id), waits.statuses.get(waited_id)];
    if (sides.some((side) => side === undefined || !WAITING_FOR_OTHERS.includes(side.status))) continue;
    // Recovery takes invocations from silent runners and runs them again.
    if (lost.has(waiter_id) || lost.has(waited_id)) continue;
    addTo(waitsFor, waiter_id, waited_id);
  }
  return cycles(waitsFor).map((ids) => {
    const paused = ids.flatMap((id) => waits.statuses.get(id) ?? []).filter((row) => row.status === "paused");
    return {
      code: "wait_cycle",
      severity: "error",
      sentence:
        ids.length === 1
          ? "1 invocation waits for its own result"
          : `${counted(ids.length, "invocation")} wait for each other`,
      detail: `${cycleWords(ids)}. None of them can continue. End them in the app or stop their runners, then remove the cycle from the code.`,
      // The last one to pause closed the cycle. When a running one started to wait is not stored.
      since: paused.length === ids.length ? Math.max(...paused.map((row) => row.status_timestamp)) : null,
      evidence: evidence("invocation", ids),
      count: ids.length,
    };
  });
}

function cycleWords(ids: readonly string[]): string {
  const short = [...ids, ids[0] ?? ""].map((id) => id.slice(0, 8));
  const shown = short.length <= CHAIN_SHOWN ? short : [...short.slice(0, CHAIN_SHOWN - 1), "…", short.at(-1) ?? ""];
  return shown.join(" waits for ");
}

/** One cycle per set of mutually reachable nodes: the shortest through its first node. */
function cycles(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const inCycle = new Set<string>();
  for (const start of [...next.keys()].sort()) {
    if (inCycle.has(start)) continue;
    const circle = shortestCycle(start, next);
    if (circle === null || circle.some((id) => inCycle.has(id))) continue;
    for (const id of circle) inCycle.add(id);
    found.push(circle);
  }
  return found;
}

/** From the node back to itself; null if there is no such path. */
function shortestCycle(start: string, next: ReadonlyMap<string, readonly string[]>): string[] | null {
  const cameFrom = new Map<string, string>();
  const reached = [start];
  for (const id of reached) {
    for (const to of next.get(id) ?? []) {
      if (to === start) {
        const way = [id];
        for (let at = cameFrom.get(id); at !== undefined; at = cameFrom.get(at)) way.unshift(at);
        return way;
      }
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, id);
      reached.push(to);
    }
  }
  return null;
}

/** Paused although everything it is recorded to wait for has ended. */
export function waitsForEnded({ waits, now, abandoned }: InvocationFacts): Finding | null {
  if (!waits.complete) return null;
  const lost = new Set(abandoned.map((row) => row.invocation_id));
  const ends = new Map<string, (number | null)[]>();
  for (const { waiter_id, waited_id } of waits.edges) {
    const waiter = waits.statuses.get(waiter_id);
    if (waiter?.status !== "paused" || lost.has(waiter_id)) continue;
    const waited = waits.statuses.get(waited_id);
    const end = waited !== undefined && statusInfo(waited.status).final ? waited.status_timestamp : null;
    addTo(ends, waiter_id, end);
  }
  const late = [...ends].flatMap(([id, times]) => {
    const known = times.flatMap((time) => time ?? []);
    const last = Math.max(...known, waits.statuses.get(id)?.status_timestamp ?? 0);
    return known.length === times.length && now - last > RELEASE_SECONDS ? [{ id, last }] : [];
  });
  if (late.length === 0) return null;
  const since = Math.min(...late.map(({ last }) => last));
  return {
    code: "waits_for_ended",
    severity: "warning",
    sentence: `${counted(late.length, "invocation")} still paused, although what ${late.length === 1 ? "it waits" : "they wait"} for has ended`,
    detail:
      late.length === 1
        ? "Its wait is still recorded. Its runner may be busy, or may have missed the result."
        : "Their waits are still recorded. Their runners may be busy, or may have missed the results.",
    since,
    evidence: evidence(
      "invocation",
      late.map(({ id }) => id),
    ),
    count: late.length,
  };
}
