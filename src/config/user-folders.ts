/** The standard folders for a user's program data on each system. */
import { homedir } from "node:os";
import { isAbsolute, posix, win32 } from "node:path";
import type { Environment } from "./setting-sources.ts";

const OWN = "pynenc-monitor";

/** A kind of folder: the variable that names it, and its path below the home. */
interface Place {
  /** On other systems (XDG Base Directory Specification). */
  variable: string;
  xdg: readonly string[];
  mac: string;
  /** Below that of this program. */
  windows: readonly string[];
}

/** Data that must survive and cannot be recreated. */
const STATE: Place = {
  variable: "XDG_STATE_HOME",
  xdg: [".local", "state"],
  mac: "Application Support",
  windows: [],
};

/** Data that saves work and may be deleted at any time. */
const CACHE: Place = { variable: "XDG_CACHE_HOME", xdg: [".cache"], mac: "Caches", windows: ["Cache"] };

type FolderOf = (env: Environment, platform?: NodeJS.Platform, home?: () => string | null) => string | null;

/** Null for a user without a home. @param home called if no variable names the folder. */
export const stateFolder: FolderOf = (env, platform, home) => folderAt(STATE, env, platform, home);

/** As `stateFolder`. */
export const cacheFolder: FolderOf = (env, platform, home) => folderAt(CACHE, env, platform, home);

function folderAt(
  place: Place,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: () => string | null = homeOrNull,
): string | null {
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || under(home(), (folder) => win32.join(folder, "AppData", "Local"));
    return under(local, (folder) => win32.join(folder, OWN, ...place.windows));
  }
  if (platform === "darwin") {
    return under(home(), (folder) => posix.join(folder, "Library", place.mac, OWN));
  }
  const named = env[place.variable];
  // A relative path is invalid there and is ignored.
  const folder =
    named !== undefined && isAbsolute(named) ? named : under(home(), (own) => posix.join(own, ...place.xdg));
  return under(folder, (whole) => posix.join(whole, OWN));
}

function under(folder: string | null, join: (folder: string) => string): string | null {
  return folder === null ? null : join(folder);
}

function homeOrNull(): string | null {
  try {
    return homedir() || null;
  } catch {
    // Users in containers may have no home.
    return null;
  }
}
