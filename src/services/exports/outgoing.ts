/** What leaves this machine of an app's data: secrets are masked, and values are left out where that is asked for. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { isSecretKey, MASK, maskStored } from "../../config/masking.ts";

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

/** Members that hold ids, keys and addresses of the monitor: in `shop.reset_password:9f86...` a name is no secret. */
const NO_TEXT = /(^|_)(id|ids|key|keys|path|query|command|kind|code|status|cursor|older|location)$/;

/** Of a shown value (`DisplayValue`): what tells about its text and is not it. */
const ABOUT_VALUE: readonly string[] = ["form", "note", "reference"];

/**
 * A copy of an answer that may leave this machine: what stands beside a secret's name is masked, whether the name is a member, that of an argument, or
 * in a text. Its members and their types stay as they are.
 */
export function outgoing<Document>(document: Document): Document {
  return masked(document, "", false) as Document;
}

function masked(value: unknown, key: string, secret: boolean): unknown {
  if (typeof value === "string") {
    if (secret) return ABOUT_VALUE.includes(key) ? value : MASK;
    return NO_TEXT.test(key) && !value.includes("://") ? value : maskStored(value);
  }
  if (Array.isArray(value)) return value.map((one) => masked(one, key, secret));
  if (typeof value !== "object" || value === null) return value;
  // Arguments are a name with a value beside it.
  const named = "name" in value && "value" in value && typeof value.name === "string" && isSecretKey(value.name);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      masked(member, name, secret || isSecretKey(name) || (named && name === "value")),
    ]),
  );
}
