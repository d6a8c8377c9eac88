import { NotFoundError } from "../errors.ts";
import type { UnknownName } from "../services/model/known-names.ts";

/** For a command that found nothing. @throws NotFoundError if a name that was asked for occurs nowhere. */
export function refuseUnknown(unknown: readonly UnknownName[]): void {
  const [first] = unknown;
  if (first === undefined) return;
  throw new NotFoundError(first.kind, first.name, null, unknown.map(({ sentence }) => sentence).join("\n"));
}
