/** What leaves this machine of an app's data: secrets are masked, and values are left out where that is asked for. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { maskStored } from "../../config/masking.ts";

/** A row with its arguments and the message of its exception masked, or with neither. */
export function outgoingRow(row: InvocationRow, noValues: boolean): InvocationRow {
  const shown = (text: string | null) => (noValues || text === null ? null : maskStored(text));
  const { arguments: given, exception } = row;
  return {
    ...row,
    arguments: shown(given),
    exception: exception === null ? null : { ...exception, message: shown(exception.message) },
  };
}
