/** How one thing led to another, in words. */
import type { EdgeKind } from "../api/causes.ts";

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

const LED: Readonly<Record<EdgeKind, string>> = {
  call: "called",
  emit: "through an event",
  event: "through an event",
  parent_event: "through an event",
  status: "by its status",
  result: "by its result",
  exception: "by its exception",
  source: "through a trigger run",
  trigger: "through a trigger run",
};

/** How a member of a family was led to: `called`, `through an event`. Empty for the first. */
export function howLed(by: readonly EdgeKind[]): string {
  const edge = by.find((kind) => kind !== "emit" && kind !== "trigger") ?? by[0];
  return edge === undefined ? "" : LED[edge];
}
