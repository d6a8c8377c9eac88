/**
 * The invocation statuses of pynenc 0.2.4 to 0.3.1 with their attributes (storage-format.md 2.1) and the colour palette used by badges, SVG and the
 * terminal.
 */

/** Statuses that share a colour. */
export type StatusFamily = "waiting" | "pending" | "running" | "held" | "retry" | "success" | "failed";

/** Distinguishes the members of a family: the shape of a dot and the texture of a bar. A disc has a plain bar. */
export type StatusGlyph = "disc" | "ring" | "square" | "diamond";

/** Fill of dots and bars on light and dark backgrounds, `#rrggbb`. Never used for text: half of them lack contrast. */
export interface FamilyColour {
  readonly light: string;
  readonly dark: string;
}

/**
 * Chosen so that people who do not see red or green can distinguish the families too, and each from its background (test/pynenc/palette.test.ts
 * checks the distances).
 */
export const FAMILY_COLOURS: Readonly<Record<StatusFamily, FamilyColour>> = {
  waiting: { light: "#232634", dark: "#79787b" },
  pending: { light: "#b58809", dark: "#fde352" },
  running: { light: "#437bfc", dark: "#3faffc" },
  held: { light: "#6120a3", dark: "#814fb5" },
  retry: { light: "#692e00", dark: "#d39578" },
  success: { light: "#0ca095", dark: "#5fe0d4" },
  failed: { light: "#b4485e", dark: "#ba3a1d" },
};

/** ANSI 256 colours of the families for the terminal. */
const FAMILY_ANSI: Readonly<Record<StatusFamily, number>> = {
  waiting: 247,
  pending: 220,
  running: 75,
  held: 134,
  retry: 208,
  success: 43,
  failed: 203,
};

export interface StatusInfo {
  /** As stored, in lower case. */
  readonly name: string;
  /** False for a status that these versions of pynenc do not define: `resumed` in old stores, or a newer one. */
  readonly known: boolean;
  /** No further status may follow. */
  readonly final: boolean;
  /** A runner may take the invocation from the queue. */
  readonly available: boolean;
  /** Only the owning runner may change the status. */
  readonly requires_ownership: boolean;
  /** Entering it makes the acting runner the owner. */
  readonly acquires_ownership: boolean;
  /** Entering it clears the owner. */
  readonly releases_ownership: boolean;
  /** May be entered while another runner owns the invocation: recovery statuses. */
  readonly overrides_ownership: boolean;
  /** One line for people. */
  readonly meaning: string;
  /** Determines its colour. */
  readonly family: StatusFamily;
  /** Distinguishes it from others of its family. */
  readonly glyph: StatusGlyph;
  /** ANSI 256 colour for the terminal. */
  readonly ansi: number;
}

/** Flags as in storage-format.md 2.1: F final, A available, O requires, Q acquires, R releases, V overrides. */
function define(
  name: string,
  flags: string,
  family: StatusFamily,
  glyph: StatusGlyph,
  meaning: string,
  known = true,
): StatusInfo {
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
    family,
    glyph,
    ansi: FAMILY_ANSI[family],
  };
}

const DEFINED = [
  define("registered", "A", "waiting", "disc", "stored and queued for the first time"),
  define("concurrency_controlled", "R", "held", "square", "held back by running concurrency control"),
  define("concurrency_controlled_final", "FR", "held", "diamond", "dropped by concurrency control, will not run"),
  define("rerouted", "AR", "waiting", "square", "put back into the queue"),
  define("pending", "OQ", "pending", "disc", "picked up by a runner, not started yet"),
  define("pending_recovery", "RV", "pending", "diamond", "taken by recovery after too long in pending"),
  define("running", "O", "running", "disc", "executing"),
  define("running_recovery", "RV", "running", "diamond", "taken by recovery from a silent runner"),
  define("paused", "O", "held", "disc", "waiting for the result of another invocation"),
  define("killed", "R", "failed", "square", "stopped by the runner before it ended"),
  define("retry", "AR", "retry", "disc", "failed and queued again for a retry"),
  define("success", "FR", "success", "disc", "finished, its result is stored"),
  define("failed", "FR", "failed", "disc", "finished, its exception is stored"),
] as const;

/** `resumed` existed until 0.2.3 (storage-format.md 2.3); old histories still contain it. */
const RESUMED = define("resumed", "O", "running", "square", "continued after a pause (until pynenc 0.2.3)", false);

/** The 13 statuses in the order of an invocation's lifecycle. */
export const STATUSES: readonly StatusInfo[] = DEFINED;

/** Statuses that no other may follow. */
export const FINAL_STATUSES: readonly string[] = STATUSES.filter((s) => s.final).map((s) => s.name);

/** Statuses in which an invocation waits for a runner to take its message. */
export const WAITING_STATUSES: readonly string[] = STATUSES.filter((s) => s.available).map((s) => s.name);

/** How many wait, of invocations counted by status: the length of the queue on every page. */
export function waitingAmong(counts: Readonly<Record<string, number>>): number {
  return WAITING_STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/**
 * Statuses without an owner that pynenc leaves in the same step: the runner that enters them puts the invocation back into the queue right after, and nothing
 * else ever does. A runner leaves a message of such an invocation alone.
 */
export const PASSING_STATUSES: readonly string[] = STATUSES.filter(
  (s) => s.releases_ownership && !s.final && !s.available,
).map((s) => s.name);

const BY_NAME = new Map<string, StatusInfo>([...STATUSES, RESUMED].map((s) => [s.name, s]));

/** Status shown for an invocation whose status is in neither the orchestrator nor the history. */
export const UNKNOWN_STATUS = "unknown";

/**
 * The status of an invocation: from the orchestrator; if purged there, from the last history entry; if that is missing too, `unknown`, which is not
 * final.
 *
 * @param kept the status in the orchestrator.
 * @param last the status of the last history entry.
 */
export function knownStatus(kept: string | undefined, last: string | undefined): string {
  return kept ?? last ?? UNKNOWN_STATUS;
}

/** Whether pynenc 0.2.4 to 0.3.1 defines this status. */
export function isKnownStatus(name: string): boolean {
  return BY_NAME.get(name)?.known === true;
}

/** Attributes of any status found in data. An unknown one gets a neutral entry; never throws. */
export function statusInfo(name: string): StatusInfo {
  return BY_NAME.get(name) ?? define(name, "", "waiting", "ring", "a status unknown to this monitor", false);
}
