/** Prints what met a condition. */
import type { ContextView } from "../../api/conditions.ts";
import { visibleLine } from "../../presentation/text.ts";
import { namedValueLines } from "./arguments.ts";
import type { Output } from "./output.ts";
import { indented, valueLines } from "./text.ts";
import { time } from "./zone.ts";

export function contextFacts(context: ContextView): [string, string | null][] {
  const text = (value: string | null) => (value === null ? null : visibleLine(value));
  const local = context.timestamp_is_local ? " (local time)" : "";
  return [
    ["Event", text(context.event_id)],
    ["Code", text(context.event_code)],
    ["Invocation", text(context.invocation_id)],
    ["Task", text(context.task_id_key)],
    ["Status at that time", text(context.status)],
    ["Exception", text(context.exception_type)],
    ["Message", text(context.exception_message)],
    ["At", context.timestamp === null ? null : `${time(context.timestamp)}${local}`],
  ];
}

/** Payload, arguments and result, whichever its kind has. */
export function contextValues({ payload, arguments: given, result }: ContextView, out: Output): string[] {
  const titled = (title: string, values: NonNullable<ContextView["payload"]>) =>
    namedValueLines(
      values.map(({ name, value }) => ({ name: `${title} ${name}`, value })),
      out,
    );
  return [
    ...titled("payload", payload ?? []),
    ...titled("argument", given ?? []),
    ...(result === null ? [] : indented(["result", ...indented(valueLines(result, out))])),
  ];
}
