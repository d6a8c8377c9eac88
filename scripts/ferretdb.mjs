// FerretDB 1.24 over SQLite files: a server for tests that speaks MongoDB's wire protocol. Built once, with Go, into the user's cache folder.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "..", "test", "support", "ferretdb");

/** Older ones cannot fetch the Go that FerretDB asks for. */
const OLDEST_GO = 22;

/** The path at which it is, or will be. `LAB_CACHE` names another folder than the user's cache. */
function place() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const digest = createHash("sha256");
  for (const name of ["main.go", "go.mod", "go.sum"]) digest.update(readFileSync(join(SOURCE, name)));
  return join(
    process.env.LAB_CACHE ?? join(cache, "pynenc-monitor", "lab"),
    `ferretdb-${digest.digest("hex").slice(0, 12)}`,
  );
}

/**
 * The path of the program; null where it has not been built.
 *
 * @returns {string | null}
 */
export function findFerret() {
  const program = place();
  return existsSync(program) ? program : null;
}

/** Builds it, which takes minutes and fetches its modules. @returns {boolean} false where there is no Go for it or its modules cannot be had. */
export function buildFerret() {
  const { stdout } = spawnSync("go", ["env", "GOVERSION"], { cwd: tmpdir(), encoding: "utf8" });
  if (Number(/^go1\.(\d+)/.exec(stdout ?? "")?.[1] ?? 0) < OLDEST_GO) return false;
  const program = place();
  mkdirSync(dirname(program), { recursive: true });
  const made = mkdtempSync(join(dirname(program), "ferretdb-new-"));
  try {
    const { status } = spawnSync("go", ["build", "-o", join(made, "ferretdb"), "."], {
      cwd: SOURCE,
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) return false;
    renameSync(join(made, "ferretdb"), program);
    return true;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
