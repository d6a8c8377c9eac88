/** A FerretDB of a test's own, which speaks the wire protocol of MongoDB: a free port of this machine, gone with the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe } from "vitest";
import { findFerret } from "../../scripts/ferretdb.mjs";

const PROGRAM = findFerret();

/** What is missing here for tests that need it; empty if nothing is. */
export const FERRET_NEEDS = PROGRAM === null ? "FerretDB, which npm test builds where there is Go 1.22 or newer" : "";

/**
 * The monitor gives up a server that does not answer a second connection within 0.6 s. That happens to FerretDB where other programs take all
 * cores, and is no defect: what failed by that alone is tried again. "Property failed" is what fast-check says of any error.
 */
const AGAIN = { count: 4, delay: 2_000, condition: /does not respond: no answer within|^Property failed/ };

/** Tests that need FerretDB: skipped by name where it has not been built. */
export function describeWithFerret(name: string, tests: () => void): void {
  if (FERRET_NEEDS === "") describe(name, { retry: AGAIN }, tests);
  else describe.skip(`${name} (needs ${FERRET_NEEDS})`, tests);
}

export interface FerretServer {
  /** `mongodb://127.0.0.1:port/` */
  url: string;
  /** The process stands still: connections are taken by the system and nothing is answered. `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

/** Starts one with empty databases on a free port. It ends with this process, too. */
export async function startFerret(): Promise<FerretServer> {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-ferretdb-"));
  const child = spawn(PROGRAM ?? "", [folder], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  const url = await firstLine(child);
  return {
    url,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGCONT");
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
