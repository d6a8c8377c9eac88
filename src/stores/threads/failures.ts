/** Errors lose their class between threads, so expected errors are sent as plain data. */
import { AbandonedError, RefusedError, StoreUnreachableError, type UnreachableReason } from "../../errors.ts";

export type KnownFailure = { message: string; hint: string | null } & (
  | { kind: "unreachable"; reason: UnreachableReason }
  | { kind: "refused"; status: 403 | 409 }
  | { kind: "abandoned" }
);

/** Null for an unexpected error. */
export function knownFailure(error: unknown): KnownFailure | null {
  if (error instanceof StoreUnreachableError)
    return { kind: "unreachable", reason: error.reason, message: error.message, hint: error.hint };
  if (error instanceof AbandonedError) return { kind: "abandoned", message: error.message, hint: error.hint };
  if (error instanceof RefusedError)
    return { kind: "refused", status: error.status, message: error.message, hint: error.hint };
  return null;
}

export function errorOf(known: KnownFailure): Error {
  switch (known.kind) {
    case "refused":
      return new RefusedError(known.message, known.hint, known.status);
    case "abandoned":
      return new AbandonedError();
    case "unreachable":
      return new StoreUnreachableError(known.reason, known.message, known.hint);
  }
}
