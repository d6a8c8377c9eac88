/** Finds the folder of the app for a command that runs in one of its subfolders. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "../regular-file.ts";
import { MAX_CONFIG_BYTES } from "./config-files.ts";
import type { OptionFlags } from "./options.ts";
import type { Environment } from "./setting-sources.ts";

/** Marks the root of a project. Folders above it are not searched, because they may belong to others. */
const ROOT_MARKS = [".git", "pyproject.toml"];

/**
 * The nearest folder, from this one up to the root of its project, that configures or contains a store. This folder if none does, or if
 * options name a store or a configuration, whose paths are relative to it.
 *
 * @param holdsStore whether a folder contains a candidate database file.
 */
export function projectFolder(
  cwd: string,
  flags: OptionFlags,
  env: Environment,
  holdsStore: (folder: string) => boolean,
): string {
  const named = [flags.db, flags.url, flags.config].some((value) => value !== undefined);
  if (named || ["DB", "URL", "CONFIG"].some((name) => env[`PYNENC_MONITOR_${name}`])) return cwd;
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (ROOT_MARKS.some((mark) => existsSync(join(folder, mark)))) break;
    if (dirname(folder) === folder) return cwd;
  }
  return folders.find((folder) => namesPynenc(folder) || holdsStore(folder)) ?? cwd;
}

/** Whether a pyproject.toml has settings of pynenc. They are parsed and validated elsewhere. */
function namesPynenc(folder: string): boolean {
  try {
    return /^\s*\[tool\.pynenc[\].]/m.test(
      readRegularFile(join(folder, "pyproject.toml"), MAX_CONFIG_BYTES).toString("utf8"),
    );
  } catch {
    return false;
  }
}
