/** Verdicts that this user has muted for some time: one JSON document in a file in the user's home, never next to a store. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Mute } from "../api/verdicts.ts";
import { readRegularFile, replaceRegularFile } from "../regular-file.ts";

/** Larger files are ignored: this program never writes one. */
const MAX_BYTES = 1_048_576;

/** The mutes that end last are kept. */
const MAX_MUTES = 2_000;

export interface Mutes {
  /** The file; null if mutes cannot be stored. */
  readonly path: string | null;
  /** Includes expired mutes. Empty if there is no readable file. The same list until the file changes. */
  all(): readonly Mute[];
  /** Removes mutes for which `stays` is false and adds others. @throws UnusableFileError if something else has the name of the file; errors of node:fs. */
  change(stays: (mute: Mute) => boolean, added: readonly Mute[]): void;
}

const NONE: readonly Mute[] = [];

/** For a user without a home folder, and for apps in tests. */
export const NO_MUTES: Mutes = {
  path: null,
  all: () => NONE,
  change() {
    throw new Error("there is no folder to keep mutes in");
  },
};

export class MuteFile implements Mutes {
  readonly path: string;
  /** The last content read, and the file version it came from. */
  #known: { stamp: string; mutes: readonly Mute[] } = { stamp: "", mutes: [] };

  /** @param folder created when the first mute is written. */
  constructor(folder: string) {
    this.path = join(folder, "mutes.json");
  }

  all(): readonly Mute[] {
    try {
      const { mtimeMs, size, ino } = statSync(this.path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (stamp !== this.#known.stamp) {
        this.#known = { stamp, mutes: [] };
        this.#known.mutes = mutesIn(readRegularFile(this.path, MAX_BYTES).toString("utf8"));
      }
      return this.#known.mutes;
    } catch {
      return NONE;
    }
  }

  change(stays: (mute: Mute) => boolean, added: readonly Mute[]): void {
    const mutes = [...this.all().filter(stays), ...added].sort((a, b) => (a.until > b.until ? -1 : 1));
    replaceRegularFile(this.path, `${JSON.stringify({ mutes: mutes.slice(0, MAX_MUTES) })}\n`);
  }
}

const TEXTS = ["app_id", "location", "code", "until", "muted_at"] as const;

/** The file can contain anything, because other programs can write to it. */
function mutesIn(text: string): Mute[] {
  const read = JSON.parse(text) as { mutes?: unknown } | null;
  const listed: unknown[] = Array.isArray(read?.mutes) ? read.mutes : [];
  return listed.filter((one): one is Mute => {
    if (typeof one !== "object" || one === null) return false;
    const mute = one as Record<string, unknown>;
    return TEXTS.every((name) => typeof mute[name] === "string") && (mute.id === null || typeof mute.id === "string");
  });
}
