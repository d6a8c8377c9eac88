/** Real pynenc for the lab: a Python that is new enough, and a virtual environment per release in the user's cache folder. */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../../src/config/user-folders.ts";
import { packageRoot } from "../../src/package-root.ts";
import type { Version } from "./releases.ts";

const run = promisify(execFile);

/** pynenc needs 3.12; the lock files have no wheels for later ones than these. */
const MINORS = [12, 13, 14];

/** The first Python that starts and can make virtual environments; null where there is none. */
export function findPython(): string | null {
  const named = MINORS.map((minor) => `python3.${minor}`);
  return [...named, ...installedPythons(), "python3"].find(starts) ?? null;
}

/** Pythons of pyenv and uv. Shims of pyenv exist for versions that are not switched on, and then do not start. */
function installedPythons(): string[] {
  const folders = [
    join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions"),
    process.env.UV_PYTHON_INSTALL_DIR ?? join(homedir(), ".local", "share", "uv", "python"),
  ];
  return folders.flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder).flatMap((name) => {
          const program = join(folder, name, "bin", "python3");
          return MINORS.some((minor) => name.includes(`3.${minor}.`)) && existsSync(program) ? [program] : [];
        })
      : [],
  );
}

function starts(program: string): boolean {
  const check = `import sys, venv, ensurepip; sys.exit(0 if sys.version_info[:2] in ${JSON.stringify(
    MINORS.map((minor) => [3, minor]),
  )
    .replaceAll("[", "(")
    .replaceAll("]", ")")} else 1)`;
  return spawnSync(program, ["-c", check], { stdio: "ignore" }).status === 0;
}

/** A file of `locks/`: a release of pynenc with its plugins, or a plugin that needs an environment of its own. */
export type Lock = `pynenc-${Version}` | "mongo" | "rustvello" | "rustvello-alone";

/** Where the lab keeps what it has installed. `LAB_CACHE` names another folder than the user's cache. */
export function labCache(): string {
  return process.env.LAB_CACHE ?? join(cacheFolder(process.env) ?? homedir(), "lab");
}

/** The only package without wheels for these Pythons: the driver that the Mongo plugin needs. */
const FROM_SOURCE = "pymongo";

/**
 * The Python of a virtual environment that has these packages; installs it first if it is missing or its lock file has changed.
 *
 * @throws if the packages cannot be had.
 */
export async function environmentOf(name: Lock, python: string): Promise<string> {
  const folder = labCache();
  const path = join(packageRoot(), "test", "lab", "locks", `${name}.txt`);
  const digest = createHash("sha256").update(readFileSync(path)).update(python).digest("hex").slice(0, 12);
  const environment = join(folder, `${name}-${digest}`);
  const program = join(environment, "bin", "python");
  if (existsSync(join(environment, "complete"))) return program;
  mkdirSync(folder, { recursive: true });
  rmSync(environment, { recursive: true, force: true });
  await run(python, ["-m", "venv", environment]);
  const flags = ["--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes"];
  const binary = ["--only-binary", ":all:", "--no-binary", FROM_SOURCE];
  await run(program, ["-m", "pip", "install", ...flags, ...binary, "-r", path], { maxBuffer: 1 << 24 });
  writeFileSync(join(environment, "complete.new"), "");
  renameSync(join(environment, "complete.new"), join(environment, "complete"));
  return program;
}

/** Installs the program's own wheel beside an app, as its users would; returns the path of its command. */
export async function installWheel(wheel: string, python: string): Promise<string> {
  const flags = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"];
  await run(python, ["-m", "pip", "install", ...flags, wheel]);
  await run(python, ["-m", "pip", "install", ...flags, "--force-reinstall", "--no-deps", wheel]);
  return join(dirname(python), "monitor");
}

/** Whether packages can be installed here at all, so that a failure is one of the lab's own. */
export async function packagesCanBeHad(python: string): Promise<boolean> {
  return run(python, ["-m", "pip", "index", "versions", "--disable-pip-version-check", "pynenc"], {
    timeout: 60_000,
  }).then(
    () => true,
    () => false,
  );
}
