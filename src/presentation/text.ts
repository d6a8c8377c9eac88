/** Text for people: pure functions without a clock, a locale or markup. */
import type { QueueHealth, QueueState } from "../api/health.ts";
import type { DurationMeaning, ExceptionLine } from "../api/model/invocation-rows.ts";
import type { FailureGroup } from "../api/stats.ts";
import { grouped, lasting } from "../pynenc/numbers.ts";
import { NOTHING } from "./age.ts";

export { percentage } from "../pynenc/numbers.ts";
export { age, heartbeatAge, NOTHING } from "./age.ts";

/**
 * Characters that are invisible or reorder the text around them: control and format characters (bidirectional marks, zero
 * width, soft hyphen, tags), lone surrogates, line separators, blank fillers. Line feed and tab are handled by the caller.
 */
const INVISIBLE = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[\u115f\u1160\u3164\uffa0]|\u034f|[\u{e0100}-\u{e01ef}]/gu;

/** Stored text with everything invisible made visible: ESC as `␛`, U+202E as `⟨U+202E⟩`. Line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === "\n" || character === "\t" ? character : mark(character),
  );
}

/** As `visible`, for single lines: line feeds and tabs are marked as well. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, mark);
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Unicode has a picture for each ASCII control character.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

const HEXADECIMAL_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})$/i;

/**
 * An id shortened in the middle. UUIDs and SHA-256 digests keep 8 and 4 digits; ids of up to 20 characters are not shortened; a runner such
 * as `ExternalRunner@host-4711` may have 40; a call id keeps the function's name and the digits. Counts code points, so that no
 * character is cut in half.
 */
export function shortId(id: string): string {
  if (HEXADECIMAL_ID.test(id)) return `${id.slice(0, 8)}…${id.slice(-4)}`;
  const characters = Array.from(id);
  const digest = id.slice(id.lastIndexOf(":") + 1);
  if (digest.length === 64 && HEXADECIMAL_ID.test(digest)) {
    const owner = characters.slice(0, -65);
    const name = owner.length <= 24 ? owner : ["…", ...owner.slice(-23)];
    return `${name.join("")}:${shortId(digest)}`;
  }
  const room = /^\w+@/.test(id) ? 40 : 20;
  if (characters.length <= room) return id;
  const tail = room === 40 ? 14 : 6;
  return `${characters.slice(0, room - 1 - tail).join("")}…${characters.slice(-tail).join("")}`;
}

/** As `lasting`. Negative durations, caused by clocks that differ, are marked. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return NOTHING;
  if (seconds < 0) {
    const size = lasting(-seconds);
    return size === "0 s" ? size : `−${size} (clock skew)`;
  }
  return lasting(seconds);
}

/** Labels for whether runners take messages from a queue. */
export const QUEUE_STATES: Readonly<Record<QueueState, string>> = {
  consuming: "active",
  not_consumed: "no consumer",
  not_configured: "not declared",
  unknown: "not known",
};

/** Whether messages are waiting in the queue and no active runner takes them. */
export function isMissed({ waiting, active_consumers, health }: QueueHealth): boolean {
  return waiting > 0 && active_consumers === 0 && health !== "unknown";
}

/** Labels of elapsed times. */
export const DURATION_LABELS: Readonly<Record<DurationMeaning, string>> = {
  took: "Duration",
  took_at_least: "Duration, at least",
  never_ran: "Never ran, ended after",
  waiting: "Waiting for",
  so_far: "Since registration",
};

/** An elapsed time as a phrase: `took 1.24 s`, `took at least 1.24 s`, `never ran`, `waiting for 1.24 s`, `1.24 s since registration`. */
export function durationPhrase(seconds: number, meaning: DurationMeaning): string {
  switch (meaning) {
    case "took":
      return `took ${duration(seconds)}`;
    case "took_at_least":
      return `took at least ${duration(seconds)}`;
    case "never_ran":
      return "never ran";
    case "waiting":
      return `waiting for ${duration(seconds)}`;
    case "so_far":
      return `${duration(seconds)} since registration`;
  }
}

/** `1,234,567`. */
export function count(value: number): string {
  return Number.isFinite(value) ? grouped(value) : NOTHING;
}

/** `512 B`, `1.2 kB`, `34 MB`: powers of 1000. */
export function bytes(value: number): string {
  if (!Number.isFinite(value) || value < 0) return NOTHING;
  if (value < 1000) return `${Math.round(value)} B`;
  let size = value;
  for (const unit of ["kB", "MB", "GB", "TB"]) {
    size /= 1000;
    if (size < 9.95) return `${size.toFixed(1)} ${unit}`;
    if (size < 999.5 || unit === "TB") return `${count(Math.round(size))} ${unit}`;
  }
  return NOTHING;
}

const ISO_INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:Z|\+00:00)$/;

/** `2026-11-21T00:34:39.919765+00:00` as `2026-11-21 00:34:39.919`: UTC, cut to milliseconds. Other text is returned made visible. */
export function instant(iso: string): string {
  const match = ISO_INSTANT.exec(iso);
  if (!match) return visibleLine(iso);
  const [, date, time, fraction = ""] = match;
  return `${date} ${time}.${fraction.slice(0, 3).padEnd(3, "0")}`;
}

/** Suffix for a sentence about a range of the history that may not have been read completely. */
export function asFarAsRead({ complete }: { complete: boolean }): string {
  return complete ? "" : " so far";
}

/** A rate, with as many digits as are meaningful. */
export function rate(value: number): string {
  if (value === 0 || value >= 100) return count(Math.round(value));
  return value < 0.01 ? "under 0.01" : String(Number(value.toPrecision(2)));
}

/** An exception on one line, as lists show it. */
export function exceptionText({ type, message, cut }: ExceptionLine): string {
  return `${message ? `${type}: ${message}` : type}${cut === true ? " (read in part)" : ""}`;
}

/** What a group of failures failed with, on one line. */
export function causeText({
  type,
  message,
  other_messages,
  causes,
}: Pick<FailureGroup, "type" | "message" | "other_messages" | "causes">): string {
  if (type !== null && message === null) return visibleLine(`${type} (${count(causes)} messages)`);
  if (type !== null) {
    const named = message ? `${type}: ${message}` : type;
    return visibleLine(other_messages ? `${named} (other messages at other times)` : named);
  }
  if (causes === 0) return NO_EXCEPTION;
  return causes === 1 ? "1 kind, and some without a stored exception" : `${count(causes)} kinds`;
}

/** Where a failure or retry has no stored exception. */
export const NO_EXCEPTION = "no exception recorded";
