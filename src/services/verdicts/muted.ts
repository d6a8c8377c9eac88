import type { Mute, Verdict } from "../../api/verdicts.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { NAMED } from "./finding.ts";

/** Mutes of this app in this store that hold now. */
export function mutesOf(app: OpenedApp): Mute[] {
  const now = isoFromEpoch(app.now());
  return app.mutes
    .all()
    .filter((one) => one.app_id === app.app_id && one.location === app.store.location && one.until > now);
}

/** The things that a verdict is about: its evidence of the kind that comes first. */
export function mainIds({ evidence }: Pick<Verdict, "evidence">): string[] {
  return evidence.filter(({ kind }) => kind === evidence[0]?.kind).map(({ id }) => id);
}

/** Its kind is muted, or it names all the things it covers and each is muted: anything new is reported. */
export function isMuted(verdict: Pick<Verdict, "code" | "evidence" | "count">, mutes: readonly Mute[]): boolean {
  return mutedUntil(verdict, mutes) !== null;
}

/** Until when, or null: the earliest end of what it needs. */
export function mutedUntil(
  verdict: Pick<Verdict, "code" | "evidence" | "count">,
  mutes: readonly Mute[],
): string | null {
  const own = mutes.filter(({ code }) => code === verdict.code);
  const all = latest(own.filter(({ id }) => id === null));
  if (all !== null) return all;
  const ids = mainIds(verdict);
  // Where it names as many as a verdict can, there may be more.
  if (ids.length === 0 || ids.length < verdict.count || ids.length >= NAMED) return null;
  const ends = ids.map((id) => latest(own.filter((one) => one.id === id)));
  return ends.includes(null) ? null : (ends.flatMap((end) => end ?? []).sort()[0] ?? null);
}

function latest(mutes: readonly Mute[]): string | null {
  return (
    mutes
      .map(({ until }) => until)
      .sort()
      .at(-1) ?? null
  );
}
