/** Questions that many scenarios ask the program, and the parts of its answers that they read. */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Monitor } from "./monitor.ts";

export interface Verdict {
  code: string;
  severity: string;
  sentence: string;
  detail: string;
  since: string | null;
  evidence: { kind: string; id: string; role: string | null }[];
  count: number;
  next: { label: string; path: string; command: string | null }[];
}

export interface PhaseTime {
  phase: string;
  duration_seconds: number;
  stretches: number;
  ongoing: boolean;
}

export interface PathShare {
  invocation_id: string;
  phase: string;
  duration_seconds: number;
  link: string | null;
}

export interface Why {
  verdict: Verdict | null;
  others: Verdict[];
  chain: { sentence: string; at: string | null; kind: string | null; id: string | null }[];
  phases: PhaseTime[] | null;
  critical_path: { duration_seconds: number; ongoing: boolean; complete: boolean; shares: PathShare[] } | null;
}

export interface Detail {
  status: string;
  retry_count: number | null;
  queued: boolean | null;
  requeueable: boolean;
  owner: { runner_id: string } | null;
  phases: PhaseTime[];
  history: { status: string; timestamp: string; status_runner_id: string | null }[];
  waits_for: { invocation_id: string }[];
  stale_waits_for: { invocation_id: string }[];
  notes: string[];
}

/** Everything that looks wrong with the app. */
export async function appVerdicts(monitor: Monitor): Promise<Verdict[]> {
  return (await monitor.http<{ verdicts: Verdict[] }>("/verdicts")).verdicts;
}

/** Waits until the program says this about the app. Only for what it says after a time. @throws with what it says instead. */
export async function comesToSay(monitor: Monitor, code: string): Promise<Verdict> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const verdicts = await appVerdicts(monitor);
    const found = verdicts.find((verdict) => verdict.code === code);
    if (found !== undefined) return found;
    if (performance.now() > end) {
      throw new Error(`It does not say ${code}, but: ${verdicts.map((verdict) => verdict.sentence).join("; ")}`);
    }
    await sleep(1_000);
  }
}

const PATIENCE = 200_000;

/** Why an invocation is as it is. */
export function why(monitor: Monitor, id: string): Promise<Why> {
  return monitor.http<Why>(`/why?id=${id}`);
}

/** The same; checks that commands, HTTP and an assistant say the same about it. */
export async function whyEverywhere(monitor: Monitor, id: string): Promise<Why> {
  const asked = () =>
    Promise.all([monitor.json<Why>("why", id), why(monitor, id), monitor.tool<Why>("why", { id })] as const);
  let answers = await asked();
  // On a busy machine, figures over time that one answer has may not have been read for another one yet.
  for (const end = performance.now() + PATIENCE; performance.now() < end; answers = await asked()) {
    if (answers.every(({ verdict }) => isDeepStrictEqual(lasting(verdict), lasting(answers[0].verdict)))) break;
    await sleep(1_000);
  }
  const [answer, ...others] = answers;
  for (const other of others) {
    expect(lasting(other.verdict)).toEqual(lasting(answer.verdict));
    expect(other.chain).toEqual(answer.chain);
  }
  return answer;
}

/** A verdict without durations up to now, which grow from one question to the next. */
function lasting(verdict: Verdict | null): unknown {
  if (verdict === null) return null;
  const { sentence, detail, ...rest } = verdict;
  const still = (text: string) => text.replaceAll(/\d[\d.]* (?:ms|s|m|h|min)(?: \d\d? [sm])?/g, "…");
  return { ...rest, sentence: still(sentence), detail: still(detail) };
}

export function detail(monitor: Monitor, id: string): Promise<Detail> {
  return monitor.http<Detail>(`/invocations/${id}`);
}

/** Seconds in a phase; 0 if it was in none. */
export function secondsIn(phases: readonly PhaseTime[] | null, phase: string): number {
  return phases?.find((one) => one.phase === phase)?.duration_seconds ?? 0;
}

/** Ids of one kind that a verdict names. */
export function named({ evidence }: Verdict, kind = "invocation"): string[] {
  return evidence.flatMap((one) => (one.kind === kind ? [one.id] : []));
}

/** Epoch seconds of an instant in an answer. */
export function epoch(instant: string | null | undefined): number {
  return Date.parse(instant ?? "") / 1000;
}
