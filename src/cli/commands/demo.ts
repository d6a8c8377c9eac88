import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { resolveOptions } from "../../config/options.ts";
import type { Environment } from "../../config/pynenc-sources.ts";
import { createDemo } from "../../demo/demo.ts";
import { type Live, startLive } from "../../demo/live.ts";
import { DEMO_APP_ID } from "../../demo/story.ts";
import { DemoWriter } from "../../demo/writer.ts";
import { type InputProblem, InvalidInputError, StoreUnreachableError } from "../../errors.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { Output } from "../print/output.ts";
import type { Flags } from "../program.ts";
import { closedBySignal, runServer } from "../run-server.ts";
import { openWorkspace, READ_THREADS } from "../session.ts";

const MAX_SIZE = 10_000_000;
const LIVE_INTERVAL_MS = 1_000;

/**
 * `monitor demo`: writes an example app and serves it. Without `--live` the present stands still at the moment of writing: otherwise
 * every runner of the example would be dead ten minutes later.
 */
export async function demo(flags: Flags): Promise<void> {
  const { size, seed } = readNumbers(flags);
  const live = flags.live === true;
  const serves = flags.serve !== false;
  const env = ownEnvironment(process.env);
  // A bad option is told before anything is written.
  const options = resolveOptions({ flags, env, cwd: tmpdir() });
  if (live && options.now.value !== null) {
    throw new InvalidInputError([
      {
        parameter: options.now.origin,
        value: isoFromEpoch(options.now.value),
        accepted: "with --live the present cannot stand still",
      },
    ]);
  }
  const now = options.now.value ?? Date.now() / 1000;
  const out = new Output(options);
  const folder = flags.db === undefined ? mkdtempSync(join(tmpdir(), "pynenc-monitor-demo-")) : null;
  // A demo that is not served is for other commands, so it stays.
  const leave = () => {
    if (folder !== null && serves) rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", leave);
  const path = folder === null ? newFile(String(flags.db)) : join(folder, "demo.db");
  let movement: Movement | null = null;
  try {
    try {
      createDemo({ path, now, seed, ...(size !== undefined && { size }) });
      if (live) movement = move(path, seed);
    } catch (error) {
      throw writeError(error, path);
    }
    if (!serves) {
      if (out.json) out.document({ path, app_id: DEMO_APP_ID });
      else out.lines([path]);
      out.say(`Look at it: monitor status --app ${DEMO_APP_ID} --db ${path}`);
      if (movement === null) return;
      out.say("The demo app moves on. Ctrl-C ends it.");
      const stay = setInterval(() => undefined, 60_000);
      await closedBySignal(async () => clearInterval(stay));
      return;
    }
    out.say(`The demo app is in ${path}${folder === null ? "" : " and will be removed at the end"}.`);
    const served = { ...flags, db: path, app: flags.app ?? DEMO_APP_ID, ...(!live && { now: isoFromEpoch(now) }) };
    await runServer(served, openWorkspace(served, READ_THREADS, { env, cwd: tmpdir() }), () => undefined);
  } finally {
    movement?.stop();
    leave();
  }
}

/** @throws InvalidInputError when no file can be there. */
function newFile(given: string): string {
  const path = resolve(given);
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new InvalidInputError([{ parameter: "--db", value: given, accepted: "it must be in a folder that exists" }]);
}

/** What SQLite reports is about the file, not a defect of ours. */
function writeError(error: unknown, path: string): unknown {
  const code = String((error as { code?: unknown }).code);
  if (!code.startsWith("SQLITE_")) return error;
  return new StoreUnreachableError("failed", `${path} cannot be written (${code}).`, null, { cause: error });
}

interface Movement {
  stop(): void;
}

function move(path: string, seed: number): Movement {
  const db = new Database(path);
  let live: Live;
  try {
    live = startLive(new DemoWriter(db, DEMO_APP_ID), {
      clock: () => Date.now() / 1000,
      intervalMs: LIVE_INTERVAL_MS,
      seed,
      // The monitor goes on showing what there is.
      onStop: (error) => process.stderr.write(`The example app stopped moving: ${messageOf(error)}\n`),
    });
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    stop() {
      live.stop();
      db.close();
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the user set for an app of their own must not reach the demo: its settings, its file, its name. */
function ownEnvironment(env: Environment): Environment {
  const foreign = /^PYNENC__|^PYNENC_MONITOR_(?:APP|DB|BACKEND|URL|CONFIG)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}

function readNumbers(flags: Flags): { size: number | undefined; seed: number } {
  const problems: InputProblem[] = [];
  const read = (flag: string, min: number, max: number): number | undefined => {
    const given = flags[flag];
    if (given === undefined) return undefined;
    const value = /^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    problems.push({
      parameter: `--${flag}`,
      value: String(given),
      accepted: `expected a whole number from ${min} to ${max}`,
    });
    return undefined;
  };
  const size = read("size", 1, MAX_SIZE);
  const seed = read("seed", 0, 4_294_967_295) ?? 1;
  if (problems.length > 0) throw new InvalidInputError(problems);
  return { size, seed };
}
