import type { ShownArgument, ShownArguments } from "../../api/model/values.ts";
import { count, visible, visibleLine } from "../../presentation/text.ts";
import type { Output } from "./output.ts";
import { indented, valueLines } from "./text.ts";

/** The arguments of a call by name. */
export function argumentLines(shown: ShownArguments, out: Output): string[] {
  const { arguments_unreadable: unreadable, arguments_too_large: tooLarge } = shown;
  const size = tooLarge === null ? [] : [`  (${count(tooLarge)} bytes, too large to read in full)`];
  if (unreadable !== null) {
    return [...(tooLarge === null ? ["  (unreadable)"] : size), ...indented(visible(unreadable).split("\n"))];
  }
  return size.concat(namedValueLines(shown.arguments, out));
}

/** `name = value` lines. */
export function namedValueLines(values: readonly ShownArgument[], out: Output): string[] {
  return values.flatMap(({ name, value }) => {
    const [first = "", ...rest] = valueLines(value, out);
    return indented([`${visibleLine(name)} = ${first}`, ...rest]);
  });
}
