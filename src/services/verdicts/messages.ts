/** Invocations without a message, and messages without an invocation. */
import type { InvocationFacts } from "./facts.ts";
import { countOf, earliest, evidence, type Finding, NAMED, numbered, upTo } from "./finding.ts";

/** Waiting for a runner without a message: no runner will take them. */
export function waitingInNoQueue({ unqueued }: InvocationFacts): Finding[] {
  if (unqueued.length === 0) return [];
  const many = numbered(upTo(unqueued, NAMED), "invocation");
  return [
    {
      code: "waiting_in_no_queue",
      severity: "error",
      sentence: `${many} waiting, but not in any queue`,
      detail: `${unqueued.length === 1 ? "It waits" : "They wait"} for a runner, but no message in the queue names ${unqueued.length === 1 ? "it" : "them"}: the process that sends it may have been interrupted, the queue may have been purged, or a runner may have died after taking it. Without a message no runner takes ${unqueued.length === 1 ? "it" : "them"}. Requeue puts the message back (monitor requeue <id>); a rerun would register the call a second time.`,
      since: earliest(unqueued.map((row) => row.status_timestamp)),
      evidence: evidence(
        "invocation",
        unqueued.map((row) => row.invocation_id),
      ),
      ...countOf(upTo(unqueued, NAMED)),
    },
  ];
}

/** The runner that takes such a message exits (storage-format.md 9.4). */
export function messageWithoutInvocation({ stranded: examined, active }: InvocationFacts): Finding[] {
  const stranded = examined.found;
  if (stranded.length === 0) return [];
  const times = stranded.flatMap((message) => message.queued_at ?? []);
  const missing = [...new Set(stranded.map((message) => message.missing))].sort().reverse();
  const purged = { status: "the orchestrator was", definition: "the state backend was" };
  return [
    {
      code: "message_without_invocation",
      severity: "error",
      sentence: `${numbered(examined, "message")} in the queue whose invocation has no ${missing.join(" or no ")}`,
      detail: `Usually ${missing.map((one) => purged[one]).join(", or ")} purged and the queue was not. A ThreadRunner or ProcessRunner ends when it takes such a message${active > 0 ? "" : ", so a runner that is started now does not help"}. Purge the queue before a runner ${active > 0 ? "takes one" : "is started"}; what else is in it has to be rerun.`,
      since: times.length < stranded.length ? null : earliest(times),
      evidence: evidence("invocation", [...new Set(stranded.map((message) => message.invocation_id))]),
      ...countOf(examined),
    },
  ];
}
