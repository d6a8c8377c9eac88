/** Where programs of a user keep what outlives them and is neither configuration nor cache: the place that each system has for it. */
import { homedir } from "node:os";
import { isAbsolute, posix, win32 } from "node:path";
import type { Environment } from "./pynenc-sources.ts";

const OWN = "pynenc-monitor";

/** Null for a user without a home. @param home asked for where no variable names the place. */
export function stateFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: () => string | null = homeOrNull,
): string | null {
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || under(home(), (folder) => win32.join(folder, "AppData", "Local"));
    return under(local, (folder) => win32.join(folder, OWN));
  }
  if (platform === "darwin") {
    return under(home(), (folder) => posix.join(folder, "Library", "Application Support", OWN));
  }
  // A relative path there counts as none (XDG Base Directory Specification).
  const named = env.XDG_STATE_HOME;
  const state =
    named !== undefined && isAbsolute(named) ? named : under(home(), (folder) => posix.join(folder, ".local", "state"));
  return under(state, (folder) => posix.join(folder, OWN));
}

function under(folder: string | null, join: (folder: string) => string): string | null {
  return folder === null ? null : join(folder);
}

function homeOrNull(): string | null {
  try {
    return homedir() || null;
  } catch {
    // A user of a container need not have one.
    return null;
  }
}
