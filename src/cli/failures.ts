/** Exit codes and messages of failures: the one place where error classes become exit codes. */
import { CommanderError } from "commander";
import {
  InterruptedError,
  InvalidInputError,
  MonitorError,
  NotFoundError,
  RefusedError,
  StoreUnreachableError,
  TooLargeError,
} from "../errors.ts";

export function exitCodeOf(error: unknown): number {
  // Commander reports `--help` and `--version` as an error with code 0; everything else it reports is a usage error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof InvalidInputError) return 2;
  if (error instanceof TooLargeError) return 2;
  if (error instanceof NotFoundError) return 3;
  if (error instanceof StoreUnreachableError) return 4;
  if (error instanceof RefusedError) return 5;
  if (error instanceof InterruptedError) return 130;
  return 1;
}

/** Prints to stderr. A defect is told by its message; its stack is for `--log-level debug`. */
export async function reportFailure(error: unknown, flags: { logLevel?: string }): Promise<void> {
  const { visible } = await import("../presentation/text.ts");
  if (error instanceof MonitorError) {
    process.stderr.write(`${visible(error.message)}\n`);
    if (error.hint !== null) process.stderr.write(`${visible(error.hint)}\n`);
    return;
  }
  const shown =
    error instanceof Error
      ? flags.logLevel === "debug"
        ? (error.stack ?? error.message)
        : error.message
      : String(error);
  process.stderr.write(
    `The monitor failed: ${visible(shown)}\nThis is a defect; --log-level debug shows where it happened.\n`,
  );
}
