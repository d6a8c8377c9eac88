import type { Mute, Verdict } from "../../api/verdicts.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { NAMED } from "./finding.ts";

/** Current mutes for this app in this store. */
export function mutesOf(app: OpenedApp): Mute[] {
  const now = isoFromEpoch(app.now());
  return app.mutes
    .all()
    .filter((one) => one.app_id === app.app_id && one.location === app.store.location && one.until > now);
}

/** The things a verdict is about: the ids in its evidence that have the same kind as the first. */
export function mainIds({ evidence }: Pick<Verdict, "evidence">): string[] {
  return evidence.filter(({ kind }) => kind === evidence[0]?.kind).map(({ id }) => id);
}

/** Whether a verdict is muted: its code is, or everything it is about is muted and listed in full, so that anything new is still reported. */
export function isMuted(verdict: Pick<Verdict, "code" | "evidence" | "count">, mutes: readonly Mute[]): boolean {
  return mutedUntil(verdict, mutes) !== null;
}

/** When the mute ends, or null: the earliest end of all mutes it depends on. */
export function mutedUntil(
  verdict: Pick<Verdict, "code" | "evidence" | "count">,
  mutes: readonly Mute[],
): string | null {
  const own = mutes.filter(({ code }) => code === verdict.code);
  const all = latest(own.filter(({ id }) => id === null));
  if (all !== null) return all;
  const ids = mainIds(verdict);
  // If it names as many things as a verdict can, there may be more.
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
