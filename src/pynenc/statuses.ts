/**
 * The invocation statuses of pynenc 0.2.4 to 0.3.1 with their attributes (storage-format.md 2.1) and the one palette that badges, SVG and
 * the terminal take their colours from.
 */
export interface StatusInfo {
  /** Stored spelling: lower case. */
  readonly name: string;
  /** False for a word that this version of pynenc does not define: `resumed` in old stores, or something newer. */
  readonly known: boolean;
  /** No further status may follow. */
  readonly final: boolean;
  /** A runner may take the invocation from the queue. */
  readonly available: boolean;
  /** Only the owning runner may move it on. */
  readonly requires_ownership: boolean;
  /** Entering it makes the acting runner the owner. */
  readonly acquires_ownership: boolean;
  /** Entering it clears the owner. */
  readonly releases_ownership: boolean;
  /** May be entered although another runner owns the invocation: the recovery moves. */
  readonly overrides_ownership: boolean;
  /** One line for people. */
  readonly meaning: string;
  /** Fill for dots and bars, `#rrggbb`. Text is never set in it: contrast would fail for half of them. */
  readonly colour: string;
  /** ANSI 256 colour for the terminal. */
  readonly ansi: number;
}

/** Letters as in storage-format.md 2.1: F final, A available, O requires, Q acquires, R releases, V overrides. */
function define(name: string, flags: string, colour: string, ansi: number, meaning: string, known = true): StatusInfo {
  return {
    name,
    known,
    final: flags.includes("F"),
    available: flags.includes("A"),
    requires_ownership: flags.includes("O"),
    acquires_ownership: flags.includes("Q"),
    releases_ownership: flags.includes("R"),
    overrides_ownership: flags.includes("V"),
    meaning,
    colour,
    ansi,
  };
}

const DEFINED = [
  define("registered", "A", "#95a5a6", 247, "stored and queued for the first time"),
  define("concurrency_controlled", "R", "#e67e22", 208, "stopped by running concurrency control, will be rerouted"),
  define("concurrency_controlled_final", "FR", "#a04000", 130, "stopped by concurrency control, will not run"),
  define("rerouted", "AR", "#16a085", 36, "put back into the queue"),
  define("pending", "OQ", "#f1c40f", 220, "taken by a runner, not started yet"),
  define("pending_recovery", "RV", "#d4ac0d", 178, "was stuck in pending, is being recovered"),
  define("running", "O", "#3498db", 75, "executing"),
  define("running_recovery", "RV", "#7d6608", 100, "its runner is considered dead, is being recovered"),
  define("paused", "O", "#1abc9c", 43, "waiting for the result of another invocation"),
  define("killed", "R", "#922b21", 124, "stopped by its runner at shutdown, will be rerouted"),
  define("retry", "AR", "#9b59b6", 134, "failed with an exception that is retried, queued again"),
  define("success", "FR", "#27ae60", 41, "finished, its result is stored"),
  define("failed", "FR", "#e74c3c", 203, "finished, its exception is stored"),
] as const;

/** `resumed` existed until 0.2.3 (storage-format.md 2.3); old histories still hold it. */
const RESUMED = define("resumed", "O", "#5dade2", 81, "continued after a pause (until pynenc 0.2.3)", false);

/** The 13 statuses in the order of an invocation's life. */
export const STATUSES: readonly StatusInfo[] = DEFINED;

/** Nothing may follow these. */
export const FINAL_STATUSES: readonly string[] = STATUSES.filter((s) => s.final).map((s) => s.name);

/** An invocation with one of these waits for a runner to take its message. */
export const WAITING_STATUSES: readonly string[] = STATUSES.filter((s) => s.available).map((s) => s.name);

const BY_NAME = new Map<string, StatusInfo>([...STATUSES, RESUMED].map((s) => [s.name, s]));

/** The word for an invocation whose status is in neither the orchestrator nor the history. */
export const UNKNOWN_STATUS = "unknown";

/**
 * The status of an invocation: the one that the orchestrator keeps; where an auto-purge or a purge took that, the one of the last history entry;
 * where that is gone too, `unknown`, which is not final.
 *
 * @param kept what the orchestrator says.
 * @param last the status of the last history entry.
 */
export function knownStatus(kept: string | undefined, last: string | undefined): string {
  return kept ?? last ?? UNKNOWN_STATUS;
}

/** Whether pynenc 0.2.4 to 0.3.1 defines this status. */
export function isKnownStatus(name: string): boolean {
  return BY_NAME.get(name)?.known === true;
}

/** Attributes of any status word found in data; an unknown word gets a neutral entry and never throws. */
export function statusInfo(name: string): StatusInfo {
  return BY_NAME.get(name) ?? define(name, "", "#7f8c8d", 245, "not a status that this monitor knows", false);
}
