/** How one thing led to another, in words. */
import type { EdgeKind, FamilyOther, FamilyRow } from "../api/causes.ts";
import { causeWords } from "../pynenc/context-summary.ts";
import { count, shortId, visibleLine } from "./text.ts";

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

/** `also from event payment.captured 8f0dbd7a of shop.pay 06a9bd23`: what else took part in the trigger run that started a member of a family. */
export function alsoFrom(causes: FamilyRow["also_from"]): string {
  if (causes.length === 0) return "";
  const words = causes.map((cause) => {
    const id = cause.event_id ?? cause.source_invocation_id;
    const by = cause.emitted_by;
    const of = by === null ? "" : ` of ${by.task_id_key ?? "invocation"} ${shortId(by.invocation_id)}`;
    return visibleLine(`${causeWords(cause)}${id === null ? "" : ` ${shortId(id)}`}${of}`);
  });
  return `also from ${words.join(" and ")}`;
}

/** `: 11 more invocations`: what follows the name of another topmost cause of a family. */
export function moreOf({ invocations: n, complete }: FamilyOther): string {
  return `: ${complete ? "" : "at least "}${count(n)} more invocation${n === 1 ? "" : "s"}`;
}
