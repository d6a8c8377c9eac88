import { grouped } from "../../pynenc/numbers.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { queuesOf, SHORT_QUEUE } from "../model/queue-health.ts";
import type { Period, TrendFacts } from "./trend-facts.ts";

/** What was and was not examined, as sentence fragments. The latter include the reason. */
export interface Examined {
  looked_at: string[];
  not_looked_at: string[];
}

/** What was and was not examined of an app. */
export interface ExaminedApp extends Examined {
  /** The part that depends on figures over time. */
  figures: Examined;
}

/** What the detectors could examine. Parts that are not in this store, or would take too much reading, are not examined. */
export async function examined(app: OpenedApp, reads: AppReads, trends: TrendFacts | null): Promise<ExaminedApp> {
  const [{ components, executions, queue_peek, consumed_queues }, { messages, complete }] = await Promise.all([
    reads.layout.capabilities(),
    queuesOf(app, reads),
  ]);
  const lost = () => {
    if (!components.broker || !components.orchestrator) return "queue and orchestrator are not both in this store";
    if (!queue_peek) return "this queue can only be counted";
    if (messages === null) return "the queue cannot be reached";
    if (!complete) return "there may be more queues";
    return messages > SHORT_QUEUE ? `the queue has more than ${grouped(SHORT_QUEUE)} messages` : null;
  };
  const unread = "the definitions could not all be read in time";
  const notHere = {
    orchestrator: components.orchestrator ? null : "the orchestrator is not in this store",
    trigger: components.trigger ? null : "the triggers are not in this store",
    state_backend: components.state_backend ? null : "the history is not in this store",
  };
  const figures = examinedFigures(trends);
  const { looked_at, not_looked_at } = examinedParts([
    ["invocations stuck in pending, running or paused", notHere.orchestrator],
    ["invocations that wait for each other", notHere.orchestrator],
    ["the length of the queue", messages === null ? "the queue cannot be reached" : null],
    ["consumers of the queues", consumed_queues === null ? "no heartbeats are kept in this store" : null],
    ["waiting invocations missing from the queue", lost()],
    [
      "calls without a status and without a message",
      lost() ?? (app.knownInventory()?.forgotten.complete ? null : unread),
    ],
    ["invocations stopped or held back and not requeued", notHere.orchestrator],
    [
      "runs of the atomic service",
      notHere.orchestrator ?? (executions ? null : "this pynenc version records only the last run of each runner"),
    ],
    ["whether recovery is registered", notHere.trigger],
    ["schedules and conditions that were met", notHere.trigger],
    ["the clocks of hosts", notHere.state_backend],
  ]);
  return {
    looked_at: [...looked_at, ...figures.looked_at],
    not_looked_at: [...not_looked_at, ...figures.not_looked_at],
    figures,
  };
}

/** The part of it that depends on figures over time. */
export function examinedFigures(trends: TrendFacts | null): Examined {
  return examinedParts(trendParts(trends));
}

function trendParts(trends: TrendFacts | null): (readonly [string, string | null])[] {
  const part = (words: string, period: Period | null | undefined, empty: string | null) => {
    const unread = "the history is still being read";
    if (trends === null) return [words, "figures over time are switched off"] as const;
    const none = period?.size === 0 ? empty : null;
    return [words, period ? none : unread] as const;
  };
  return [
    // In an hour in which nothing happened, nothing failed.
    part("failures, retries, long runs and the queue in the last hour", trends?.hour, null),
    part("comparison with the day before", trends?.day, "nothing recorded"),
    part("comparison with the week before", trends?.week, "nothing recorded"),
  ];
}

/** @param parts with the reason why one was not examined, or null. */
export function examinedParts(parts: readonly (readonly [words: string, reason: string | null])[]): Examined {
  return {
    looked_at: parts.flatMap(([words, reason]) => (reason === null ? [words] : [])),
    not_looked_at: parts.flatMap(([words, reason]) => (reason === null ? [] : [`${words}: ${reason}`])),
  };
}
