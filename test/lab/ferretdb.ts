/** A server that speaks the wire protocol of MongoDB: FerretDB 1.24 over SQLite files, built once into the lab's cache folder. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { packageRoot } from "../../src/package-root.ts";
import { labCache } from "./python.ts";

const run = promisify(execFile);

const SOURCE = join(packageRoot(), "test", "lab", "ferretdb");

/** Older ones cannot fetch the Go that FerretDB asks for. */
const OLDEST_GO = 22;

/** Whether there is a Go that can build it. */
export function hasGo(): boolean {
  const { stdout } = spawnSync("go", ["env", "GOVERSION"], { cwd: tmpdir(), encoding: "utf8" });
  const minor = /^go1\.(\d+)/.exec(stdout ?? "")?.[1];
  return Number(minor ?? 0) >= OLDEST_GO;
}

/** The path of the program; builds it first if it is missing. @throws if its modules cannot be had. */
async function ferretProgram(): Promise<string> {
  const digest = createHash("sha256");
  for (const name of ["main.go", "go.mod", "go.sum"]) digest.update(readFileSync(join(SOURCE, name)));
  const program = join(labCache(), `ferretdb-${digest.digest("hex").slice(0, 12)}`);
  if (existsSync(program)) return program;
  mkdirSync(labCache(), { recursive: true });
  const made = mkdtempSync(join(labCache(), "ferretdb-new-"));
  try {
    await run("go", ["build", "-o", join(made, "ferretdb"), "."], { cwd: SOURCE, maxBuffer: 1 << 24 });
    renameSync(join(made, "ferretdb"), program);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return program;
}

export interface FerretServer {
  /** `mongodb://127.0.0.1:port/` */
  url: string;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

/** Starts one with empty databases on a free port. It ends with this process, too. */
export async function startFerret(): Promise<FerretServer> {
  const program = await ferretProgram();
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-ferretdb-"));
  const child = spawn(program, [folder], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  const url = await firstLine(child);
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      if (child.exitCode === null) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws with what it printed if it ends before. */
async function firstLine(child: ChildProcess): Promise<string> {
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-4_000);
  });
  if (child.stdout === null) throw new Error("it has no output");
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (done) throw new Error(`FerretDB ended.\n${errors}`);
  return String(value);
}
