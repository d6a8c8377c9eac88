import type { ConditionView } from "../../api/conditions.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import type { Output } from "./output.ts";
import { facts, indented } from "./text.ts";

/** The members of a stored condition by name. */
export function itemLines({ items }: ConditionView, out: Output): string[] {
  if (items.length === 0) return [];
  const rows = items.map((item): [string, string] => [
    visibleLine(item.label),
    item.render === "value" ? visible(item.value) : item.statuses.map(visibleLine).join(", "),
  ]);
  return indented(facts(rows, out).flatMap((line) => line.split("\n")));
}
