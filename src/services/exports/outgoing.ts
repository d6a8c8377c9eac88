/** Prepares an app's data for leaving this machine: masks secrets and, if requested, omits values. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { isSecretKey, MASK, maskStored } from "../../config/masking.ts";

/** A row with masked arguments and exception message, or without them. */
export function outgoingRow(row: InvocationRow, noValues: boolean): InvocationRow {
  const shown = (text: string | null) => (noValues || text === null ? null : maskStored(text));
  const { arguments: given, exception } = row;
  return {
    ...row,
    arguments: shown(given),
    exception: exception === null ? null : { ...exception, message: shown(exception.message) },
  };
}

/** Members with ids, keys and URLs of the monitor. They are not masked, because a name such as `shop.reset_password:9f86...` is not a secret. */
const NO_TEXT = /(^|_)(id|ids|key|keys|path|query|command|kind|code|status|cursor|older|location)$/;

/** Members of a `DisplayValue` that describe its text without containing it. */
const ABOUT_VALUE: readonly string[] = ["form", "note", "reference"];

/**
 * A copy of an answer that may leave this machine. Values next to the name of a secret are masked, whether it is the name of a member, of an argument,
 * or within a text. Members and their types are unchanged.
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
  // Arguments are objects with a name and a value.
  const named = "name" in value && "value" in value && typeof value.name === "string" && isSecretKey(value.name);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      masked(member, name, secret || isSecretKey(name) || (named && name === "value")),
    ]),
  );
}
