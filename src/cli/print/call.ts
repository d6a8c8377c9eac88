import type { InvocationDetail } from "../../api/invocations.ts";
import type { ShownException } from "../../api/model/values.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { argumentLines } from "./arguments.ts";
import type { Output } from "./output.ts";
import { heading, indented, valueLines } from "./text.ts";

type Call = Pick<
  InvocationDetail,
  "arguments" | "arguments_unreadable" | "arguments_too_large" | "result" | "exception"
>;

/** Arguments and outcome of a call, each under its heading. Omits what is not stored. */
export function callLines(call: Call, out: Output): string[] {
  return [
    ...section("Arguments", argumentLines(call, out), out),
    ...section("Result", call.result === null ? [] : indented(valueLines(call.result, out)), out),
    ...section("Exception", call.exception === null ? [] : exceptionLines(call.exception, out), out),
  ];
}

function section(title: string, lines: readonly string[], out: Output): string[] {
  return lines.length === 0 ? [] : [...heading(title, out), ...lines];
}

function exceptionLines({ exception, resolved }: ShownException, out: Output): string[] {
  const name = visibleLine(exception.type ?? exception.error_name);
  const [first = "", ...rest] = visible(exception.message ?? "").split("\n");
  const lines = [`${out.paint.error(name)}${first === "" ? "" : `: ${first}`}`, ...rest];
  // If the message could be read, the object adds nothing.
  if (exception.message === null && exception.value !== null) {
    lines.push(...valueLines(resolved ?? { stored: exception.value, resolved: null, dangling: false }, out));
  }
  return indented(lines);
}
