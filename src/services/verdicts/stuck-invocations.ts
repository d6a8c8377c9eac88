/** Invocations that a runner took but does not finish: pending too long, or running or paused on a runner that counts as silent. */
import { invocationIdOf } from "../../pynenc/keys.ts";
import { lasting } from "../../pynenc/numbers.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import { utcText } from "../../pynenc/time.ts";
import { silenceWords } from "../model/runner-liveness.ts";
import type { InvocationFacts, RecoveredStatus } from "./facts.ts";
import { countOf, earliest, evidence, type Finding, NAMED, numbered, upTo } from "./finding.ts";

export function stuckInvocations(facts: InvocationFacts): Finding[] {
  const { pending, orphans, abandoned, max_pending_seconds: most, liveness } = facts;
  const silent = (rows: readonly InvocationStatusRecord[]): string =>
    `No heartbeat of ${rows.length === 1 ? "its" : "their"} runner is stored for the last ${silenceWords(liveness.silence)}.`;
  const onSilent = (rows: readonly InvocationStatusRecord[]): string =>
    new Set(rows.map((row) => row.status_runner_id)).size === 1 ? "on a silent runner" : "on silent runners";
  const findings: Finding[] = [];
  if (orphans.length > 0) {
    findings.push({
      code: "running_on_dead_runner",
      severity: "error",
      sentence: `${numbered(upTo(orphans, NAMED), "invocation")} running ${onSilent(orphans)}`,
      detail: `${silent(orphans)} ${recoveryWords(facts, "running", orphans)}`,
      since: silentSince(facts, orphans),
      evidence: [...invocations(orphans), ...owners(orphans)],
      ...countOf(upTo(orphans, NAMED)),
    });
  }
  if (abandoned.length > 0) {
    findings.push({
      code: "paused_on_dead_runner",
      severity: "error",
      sentence: `${numbered(upTo(abandoned, NAMED), "invocation")} paused ${onSilent(abandoned)}`,
      detail: `${silent(abandoned)} Recovery skips paused invocations: if the runner does not come back, nothing continues ${abandoned.length === 1 ? "this one. Rerun its call" : "these. Rerun their calls"}.`,
      since: silentSince(facts, abandoned),
      evidence: [...invocations(abandoned), ...owners(abandoned)],
      ...countOf(upTo(abandoned, NAMED)),
    });
  }
  if (pending.length > 0) {
    findings.push({
      code: "stuck_pending",
      severity: "warning",
      sentence: `${numbered(upTo(pending, NAMED), "invocation")} picked up but not started`,
      detail: `Pending for more than ${lasting(most)} (max_pending_seconds). ${recoveryWords(facts, "pending", pending)}`,
      since: earliest(pending.map((row) => row.status_timestamp + most)),
      evidence: invocations(pending),
      ...countOf(upTo(pending, NAMED)),
    });
  }
  return findings;
}

function recoveryWords(
  { active, turns, unregistered, recovered }: InvocationFacts,
  status: RecoveredStatus,
  { length }: readonly InvocationStatusRecord[],
): string {
  const them = length === 1 ? "the invocation" : "the invocations";
  const would = `Recovery would requeue ${them}, but`;
  if (active === 0) return `${would} no runner is active.`;
  if (turns.members.length === 0) return `${would} no active runner runs the atomic service.`;
  if (unregistered.includes(status)) return `${would} its schedule is not registered.`;
  const last = recovered[status];
  const latest = last === undefined ? "none is recorded yet" : `the latest: ${last.status}, ${utcText(last.at)}`;
  return `The next recovery run requeues ${them} (${latest}).`;
}

/** The earliest last heartbeat of their runners; null if one of them has none. */
function silentSince({ owners_heard }: InvocationFacts, rows: readonly InvocationStatusRecord[]): number | null {
  const heard = rows.map((row) => owners_heard.get(row.status_runner_id ?? ""));
  return heard.includes(undefined) ? null : earliest(heard.flatMap((time) => time ?? []));
}

function invocations(rows: readonly InvocationStatusRecord[]) {
  return evidence("invocation", rows.map(invocationIdOf));
}

function owners(rows: readonly InvocationStatusRecord[]) {
  return evidence("runner", [...new Set(rows.flatMap((row) => row.status_runner_id ?? []))], "silent runner");
}
