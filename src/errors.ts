/**
 * Every failure that a user can cause or needs to know about. Anything else that is thrown is a bug: HTTP answers 500 with an error id, and the
 * command line exits with 1 and asks the user to report it.
 *
 * | class | HTTP | exit code |
 * |---|---|---|
 * | InvalidInputError | 400 | 2 |
 * | NotFoundError | 404 | 3 |
 * | TooLargeError | 413 | 2 |
 * | UnreadBodyError | its `status` (408 or 429) | (HTTP only) |
 * | TooBusyError | 503 | (HTTP only) |
 * | StoreUnreachableError | 503 | 4 |
 * | RefusedError | its `status` (403 or 409) | 5 |
 * | WriteFailedError | (terminal only) | 1 |
 * | InterruptedError | (terminal only) | 130 |
 * | AbandonedError | no one waits for the answer | |
 */
import { getSystemErrorMap } from "node:util";
import type { IdKind } from "./pynenc/id-kinds.ts";
import { grouped } from "./pynenc/numbers.ts";

export abstract class MonitorError extends Error {
  /** What the user can do about it, or null. */
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** One parameter or option that was not accepted. */
export interface InputProblem {
  /** Name as the user wrote it: `status`, `--status`, `PYNENC__APP_ID`. */
  parameter: string;
  /** The value as given, shortened for display. */
  value: string;
  /** What would have been accepted, as a sentence fragment. */
  accepted: string;
}

/** What is said of a parameter that the address does not have. @param known those that it has. */
export function onlyAccepted(known: readonly string[]): string {
  return known.length > 0 ? `the parameters here are ${known.join(", ")}` : "no parameters are accepted here";
}

/** Whether the parameter is one that the address does not have: another value of it would not be accepted either. */
export function isUnknown({ accepted }: InputProblem): boolean {
  return /^(?:the parameters here are|no parameters are accepted) /.test(accepted);
}

/** A parameter, option or setting was not accepted. Nothing was done. */
export class InvalidInputError extends MonitorError {
  readonly problems: readonly InputProblem[];

  /** @param message replaces the one built from the problems. */
  constructor(problems: readonly InputProblem[], hint: string | null = null, message?: string) {
    const made = problems
      .map(({ parameter, value, accepted }) =>
        value === "" ? `${parameter}: ${accepted}` : `${parameter}: ${quote(value)} is not accepted; ${accepted}`,
      )
      .join("\n");
    super(message ?? made, hint);
    this.problems = problems;
  }
}

/** The requested id is not in the store, or was not yet at the instant asked for. */
export class NotFoundError extends MonitorError {
  /** Kind of the missing thing: `invocation`, `runner`, `app` ... */
  readonly kind: string;
  readonly id: string;
  /** The thing in other apps of the store. `kind` is a kind of id, or what a name means. */
  readonly elsewhere: readonly { app_id: string; kind: IdKind | "task" | "queue" | "event_code"; id: string }[];

  /** @param message replaces the one that it is not in the store. */
  constructor(
    kind: string,
    id: string,
    hint: string | null = null,
    message?: string,
    elsewhere: NotFoundError["elsewhere"] = [],
  ) {
    const missing =
      kind === "thing" ? `Nothing in this store matches ${quote(id)}.` : `No ${kind} ${quote(id)} in this store.`;
    super(message ?? missing, hint);
    this.kind = kind;
    this.id = id;
    this.elsewhere = elsewhere;
  }
}

/** A request body exceeds the size limit. */
export class TooLargeError extends MonitorError {
  constructor(limit: number) {
    super(`A request body may have at most ${grouped(limit)} bytes.`);
  }
}

/** A request body arrived too slowly (408), or while too many others were being received (429). The rest of it is not read. */
export class UnreadBodyError extends MonitorError {
  readonly status: 408 | 429;

  constructor(message: string, status: 408 | 429) {
    super(message);
    this.status = status;
  }
}

/** The monitor is answering as many requests as it can. */
export class TooBusyError extends MonitorError {}

/** Why a store cannot be read. Decides the wording, and whether retrying can help. */
export type UnreachableReason =
  | "missing"
  | "not-a-database"
  | "not-pynenc"
  | "no-permission"
  | "busy"
  | "timeout"
  | "failed";

/** The store is missing, locked, unreadable, or not a pynenc store. */
export class StoreUnreachableError extends MonitorError {
  readonly reason: UnreachableReason;

  constructor(reason: UnreachableReason, message: string, hint: string | null = null, options?: ErrorOptions) {
    super(message, hint, options);
    this.reason = reason;
  }
}

/** An action was understood but deliberately not performed: read-only mode, unconfirmed, unknown layout. */
export class RefusedError extends MonitorError {
  readonly status: 403 | 409;

  constructor(message: string, hint: string | null = null, status: 403 | 409 = 403) {
    super(message, hint);
    this.status = status;
  }
}

/** Standard output or a file could not be written to the end, for example because the disk is full. */
export class WriteFailedError extends MonitorError {
  /** @param what `Standard output`, or a path in quotes. @param cause an error of node:fs. */
  constructor(what: string, cause: unknown) {
    super(`${what} could not be written: ${systemReason(cause)}.`, null, { cause });
  }
}

/** `no space left on device (ENOSPC)`. */
export function systemReason(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  const [, words] = (errno !== undefined && getSystemErrorMap().get(errno)) || [];
  return code === undefined || words === undefined ? (code ?? message) : `${words} (${code})`;
}

/** Ctrl-C at a prompt. Nothing was done; the exit code is the one shells use for it. */
export class InterruptedError extends MonitorError {}

/** The client has gone, so reading for its answer stops. Not reported as an error. */
export class AbandonedError extends MonitorError {
  constructor() {
    super("The client disconnected before the answer was ready.");
  }
}

/** A value in quotes, shortened to fit a message. */
export function quote(value: string, limit = 120): string {
  const shown = value.length > limit ? `${value.slice(0, limit)}…` : value;
  return JSON.stringify(shown);
}

const UNCHANGED = /^Nothing was changed: |; nothing was changed(?=\.$)| Nothing was changed\.$/;

/**
 * What an error of a step says when earlier steps were done: its message without the claim that nothing was changed, which is true of the step only.
 *
 * @returns `unchanged`: whether it made that claim; otherwise the step may have been done.
 */
export function errorOfStep({ message }: Error): { reason: string; unchanged: boolean } {
  return { reason: message.replace(UNCHANGED, ""), unchanged: UNCHANGED.test(message) };
}
