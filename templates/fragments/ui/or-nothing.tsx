import type { ComponentChildren } from "preact";
import { NOTHING } from "../../../src/presentation/text.ts";

/** Shows a value; if it is null, a muted word instead. */
export function orNothing<Value>(
  value: Value | null,
  show: (value: Value) => ComponentChildren,
  otherwise: string = NOTHING,
): ComponentChildren {
  return value === null ? <span class="muted">{otherwise}</span> : show(value);
}
