/** Invocations without a message, and messages without an invocation. */
import { invocationIdOf } from "../../pynenc/keys.ts";
import type { InvocationFacts } from "./facts.ts";
import { countOf, earliest, evidence, type Finding, NAMED, numbered, upTo } from "./finding.ts";

/** Waiting for a runner without a message: no runner will take them. */
export function waitingInNoQueue({ unqueued }: InvocationFacts): Finding | null {
  if (unqueued.length === 0) return null;
  const many = numbered(upTo(unqueued, NAMED), "invocation");
  return {
    code: "waiting_in_no_queue",
    severity: "error",
    sentence: `${many} waiting, but missing from the queue`,
    detail: `Without a message in the queue no runner takes ${unqueued.length === 1 ? "it" : "them"}. The sender may have been interrupted, the queue purged, or a runner may have ended after taking the message. Requeue puts it back; a rerun would register the call a second time.`,
    since: earliest(unqueued.map((row) => row.status_timestamp)),
    evidence: evidence("invocation", unqueued.map(invocationIdOf)),
    ...countOf(upTo(unqueued, NAMED)),
  };
}

/** The runner that takes such a message exits (storage-format.md 9.4). */
export function messageWithoutInvocation({ stranded: examined, active }: InvocationFacts): Finding | null {
  const stranded = examined.found;
  if (stranded.length === 0) return null;
  const times = stranded.flatMap((message) => message.queued_at ?? []);
  const missing = [...new Set(stranded.map((message) => message.missing))].sort().reverse();
  const purged = { status: "the orchestrator was", definition: "the state backend was" };
  return {
    code: "message_without_invocation",
    severity: "error",
    sentence: `${numbered(examined, "message")} in the queue for invocations without a ${missing.join(" or ")}`,
    detail: `Usually ${missing.map((one) => purged[one]).join(", or ")} purged and the queue was not. A ThreadRunner or ProcessRunner stops at such a message${active > 0 ? "" : ", so starting one does not help"}. Purge the queue before a runner ${active > 0 ? "takes one" : "starts"}, then rerun what else was in it.`,
    since: times.length < stranded.length ? null : earliest(times),
    evidence: evidence("invocation", [...new Set(stranded.map(invocationIdOf))]),
    ...countOf(examined),
  };
}
