/** The folder of the app, for a command that is run in one of its subfolders. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OptionFlags } from "./options.ts";
import type { Environment } from "./pynenc-sources.ts";

/** What the root of a project has. Nothing above it is looked at: it belongs to somebody else. */
const ROOT_MARKS = [".git", "pyproject.toml"];

/**
 * The nearest folder, from this one up to the root of its project, that says where the store is or holds one; this one where none does, and where
 * options name a store or a configuration, whose paths start from here.
 *
 * @param holdsStore whether a folder has a database file that could be meant.
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

/** Whether a pyproject.toml has settings of pynenc. What they are is read elsewhere, with everything that may be wrong with them. */
function namesPynenc(folder: string): boolean {
  try {
    return /^\s*\[tool\.pynenc[\].]/m.test(readFileSync(join(folder, "pyproject.toml"), "utf8"));
  } catch {
    return false;
  }
}
