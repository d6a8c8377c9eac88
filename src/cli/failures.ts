/** Messages and exit codes of failures. No other place maps error classes to exit codes. */
import { CommanderError } from "commander";
import type { CommandFailure } from "../api/problem.ts";
import {
  InterruptedError,
  InvalidInputError,
  MonitorError,
  NotFoundError,
  RefusedError,
  StoreUnreachableError,
  TooLargeError,
  WriteFailedError,
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

/**
 * Prints to stderr, with `--json` one problem document. A defect prints its message, with the stack under `--log-level debug`.
 *
 * @param usage commander's own message about a CommanderError.
 */
export async function reportFailure(
  error: unknown,
  flags: { logLevel?: string; json?: boolean },
  usage = "",
): Promise<void> {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const [{ wantsJson }, { writeMessage }] = await Promise.all([
    import("../config/options.ts"),
    import("./print/message.ts"),
  ]);
  if (wantsJson(flags.json, process.env)) {
    const { jsonDocument } = await import("./print/json.ts");
    const { versioned } = await import("../api/version.ts");
    process.stderr.write(jsonDocument(versioned(await problemOf(error, flags, usage))));
    return;
  }
  if (error instanceof CommanderError) {
    writeMessage(usage.trimEnd());
    return;
  }
  const { visible } = await import("../presentation/text.ts");
  const lines =
    error instanceof MonitorError
      ? [error.message, error.hint, ...(await commandsElsewhere(error))]
      : [defectText(error, flags), DEFECT_HINT];
  for (const line of lines) if (line !== null) writeMessage(visible(line));
}

/** How to see the thing in the apps that have it. */
async function commandsElsewhere(error: MonitorError): Promise<string[]> {
  if (!(error instanceof NotFoundError) || error.elsewhere.length === 0) return [];
  const { commandFor } = await import("./print/found.ts");
  return error.elsewhere.flatMap((one) => commandFor(one, one.app_id) ?? []);
}

const DEFECT_HINT = "This is a bug in the monitor; --log-level debug shows where it happened.";

function defectText(error: unknown, { logLevel }: { logLevel?: string }): string {
  const text = error instanceof Error ? (logLevel === "debug" && error.stack) || error.message : String(error);
  return `The monitor failed: ${text}`;
}

/** The members of an HTTP problem document, and the exit code. */
async function problemOf(error: unknown, flags: { logLevel?: string }, usage: string): Promise<CommandFailure> {
  const { failure, failureOf } = await import("../http/failures.ts");
  const exit_code = exitCodeOf(error);
  if (error instanceof CommanderError) {
    const [detail = error.message, ...rest] = usage.split(/\n+/).filter((line) => line !== "");
    const hint = rest.length === 0 ? {} : { hint: rest.join(" ") };
    return { ...failure(400, detail.replace(/^error: /, ""), hint), exit_code };
  }
  if (error instanceof InterruptedError || error instanceof WriteFailedError) {
    const title = error instanceof InterruptedError ? "Interrupted" : "Not written";
    return { type: "about:blank", title, detail: error.message, exit_code };
  }
  if (!(error instanceof MonitorError)) {
    return { ...failure(500, defectText(error, flags), { hint: DEFECT_HINT }), exit_code };
  }
  return { ...failureOf(error, () => {}), exit_code };
}
