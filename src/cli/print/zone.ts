/** The time zone in which commands print times, and read those that are typed. JSON, exports and files are always in UTC. */
import { instant, NOTHING } from "../../presentation/text.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import { readLocalTimes } from "../../services/input/moment.ts";
import type { Flags } from "../flags.ts";

let local = false;

/** Commands that answer browsers, scripts and assistants. */
const SERVERS = ["serve", "demo", "mcp"];

/**
 * Sets the zone from `--local` or `--utc`, at the start of each command.
 *
 * @param command its name: what a server reads comes from others.
 */
export function chooseZone({ local: wanted, utc }: Flags, env: NodeJS.ProcessEnv, command: string): void {
  const always = /^(1|true|yes|on)$/i.test(env.PYNENC_MONITOR_LOCAL?.trim() ?? "");
  local = wanted === true || (always && utc !== true);
  readLocalTimes(local && !SERVERS.includes(command));
}

/** An instant, or a dash: `2026-11-21 00:34:40.123`; in the local zone with its UTC offset, `2026-11-21 01:34:40.123+01:00`. */
export function time(iso: string | null): string {
  if (iso === null) return NOTHING;
  const utc = instant(iso);
  const epoch = local ? epochFromIso(iso) : null;
  if (epoch === null) return utc;
  const minutes = -new Date(epoch * 1000).getTimezoneOffset();
  const shifted = new Date((Math.floor(epoch) + minutes * 60) * 1000).toISOString().slice(0, 19).replace("T", " ");
  // The fraction of a second is the same in every zone.
  return `${shifted}${utc.slice(19)}${distance(minutes)}`;
}

/** As `time`, but always names the zone, for use in a sentence. */
export function zonedTime(iso: string): string {
  return local ? time(iso) : `${time(iso)} UTC`;
}

/** As `time`, to the second. */
export function timeToSeconds(iso: string): string {
  return time(iso).replace(/\.\d{3}/, "");
}

/** The time of day. */
export function clock(iso: string): string {
  return time(iso).slice(11);
}

/** Suffix for the title of a column whose times do not show their zone. */
export function zoneMark(): string {
  return local ? "" : " (UTC)";
}

function distance(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}
