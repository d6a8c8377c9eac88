/** How one thing led to another, in words. */
import type { EdgeKind, FamilyEdgeKind } from "../api/causes.ts";

/** On an edge of a causal trace. */
export const EDGE_WORDS: Readonly<Record<EdgeKind, string>> = {
  call: "calls",
  emit: "emits",
  event: "takes part in",
  status: "by its status",
  result: "by its result",
  exception: "by its exception",
  source: "takes part in",
  trigger: "starts",
  parent_event: "starts",
};

export interface FamilyEdgeWords {
  /** Before the invocation that was caused. */
  before: string;
  /** In a legend. */
  legend: string;
  /** After the name of the cause. */
  after: string;
}

/** From one invocation to another. */
export const FAMILY_EDGE_WORDS: Readonly<Record<FamilyEdgeKind, FamilyEdgeWords>> = {
  call: { before: "called", legend: "called", after: "called it" },
  event: { before: "through an event", legend: "through an event", after: "started it through an event" },
  status: { before: "by its status", legend: "by its status", after: "started it by its status" },
  result: { before: "by its result", legend: "by its result", after: "started it by its result" },
  exception: { before: "by its exception", legend: "by its exception", after: "started it by its exception" },
  source: {
    before: "through a trigger run",
    legend: "took part in the trigger run",
    after: "took part in the trigger run that started it",
  },
};
