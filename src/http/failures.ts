/** Turns errors of handlers into responses. No other place maps error classes to HTTP statuses. */
import { randomBytes } from "node:crypto";
import type { Failure } from "../api/problem.ts";
import {
  InvalidInputError,
  MonitorError,
  NotFoundError,
  RefusedError,
  StoreUnreachableError,
  TooBusyError,
  TooLargeError,
  UnreadBodyError,
} from "../errors.ts";

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not signed in",
  403: "Refused",
  404: "Not found",
  405: "Method not allowed",
  408: "Too slow",
  409: "Conflict",
  413: "Too large",
  417: "Expectation failed",
  429: "Too many at once",
  431: "Headers too large",
  500: "Internal error",
  503: "Store unreachable",
};

export function failure(status: number, detail: string, more: Partial<Failure> = {}): Failure {
  return { type: "about:blank", title: TITLES[status] ?? "Error", status, detail, ...more };
}

/** @param report receives the defect with its id; internals never reach the client. */
export function failureOf(error: unknown, report: (errorId: string, error: unknown) => void): Failure {
  if (!(error instanceof MonitorError)) {
    const error_id = randomBytes(6).toString("hex");
    report(error_id, error);
    return failure(500, `Something went wrong in the monitor. Its log has the details under ${error_id}.`, {
      error_id,
    });
  }
  const more: Partial<Failure> = error.hint === null ? {} : { hint: error.hint };
  if (error instanceof InvalidInputError) return failure(400, error.message, { ...more, errors: [...error.problems] });
  if (error instanceof NotFoundError) return failure(404, error.message, more);
  if (error instanceof TooLargeError) return failure(413, error.message, more);
  if (error instanceof UnreadBodyError) return failure(error.status, error.message, more);
  if (error instanceof RefusedError) return failure(error.status, error.message, more);
  if (error instanceof TooBusyError)
    return failure(503, error.message, { ...more, title: "Too many requests at once" });
  if (error instanceof StoreUnreachableError) return failure(503, error.message, more);
  return failure(500, error.message, more);
}
