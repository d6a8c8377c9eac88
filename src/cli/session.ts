/** What data commands share: resolves options, opens the store and always closes it again. */
import { join } from "node:path";
import { alarmPath } from "../alarms/alarm-file.ts";
import { holdsDatabase, storeFiles } from "../config/discovery.ts";
import { type ResolvedConfiguration, type ResolvedOptions, resolveConfiguration } from "../config/options.ts";
import { projectFolder } from "../config/project-folder.ts";
import { refuseReachableHost, servedOptions } from "../config/reachable-host.ts";
import type { Environment } from "../config/setting-sources.ts";
import { shellWord } from "../config/shell-word.ts";
import { serverToken } from "../config/token.ts";
import { cacheFolder } from "../config/user-folders.ts";
import { MuteFile } from "../mutes/mute-file.ts";
import { counted } from "../pynenc/numbers.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { type LookAtApps, Workspace } from "../services/app/workspace.ts";
import { momentOf } from "../services/input/moment.ts";
import { orElsewhere } from "../services/model/resolve-ids.ts";
import { rollupsOfCommand, rollupsOfServer } from "../services/rollups/rollup-source.ts";
import { auditFile } from "./audit-location.ts";
import type { Flags } from "./flags.ts";
import { assertOutFile, type KeptFile } from "./out-file.ts";
import { writeMessage } from "./print/message.ts";
import { Output } from "./print/output.ts";

/** Threads for a server's reads: a slow query leaves the second one free, and the main thread stays responsive. */
const READ_THREADS = 2;

export interface Session {
  workspace: Workspace;
  configuration: ResolvedConfiguration;
}

export interface ServedSession extends Session {
  /** The token that protects the server; null for none. */
  token: string | null;
}

/** Where options and settings are looked up: the process's own environment, unless a command brings its own app. */
export interface Surroundings {
  env: Environment;
  cwd: string;
  /** As in `OpenedApp`. */
  writes_at?: number | null;
}

/** The folder is that of the app even if the command runs in a subfolder. */
export function ownSurroundings(flags: Flags): Surroundings {
  const { env } = process;
  return { env, cwd: projectFolder(process.cwd(), flags, env, holdsDatabase) };
}

/**
 * Opens the store that flags, environment and folder determine. Reads run in this thread: a worker would cost more than it saves.
 *
 * @throws StoreUnreachableError, InvalidInputError
 */
export async function openWorkspace(flags: Flags): Promise<Session> {
  const surroundings = ownSurroundings(flags);
  return connected(resolveConfiguration({ flags, ...surroundings }), surroundings, 0);
}

/**
 * Opens the store for a server.
 *
 * @throws InvalidInputError also for an address that others can reach, unless that is explicitly allowed.
 */
export async function openServed(flags: Flags, surroundings = ownSurroundings(flags)): Promise<ServedSession> {
  const resolved = resolveConfiguration({ flags, ...surroundings });
  const configuration = { ...resolved, options: servedOptions(resolved.options) };
  refuseReachableHost(configuration.options);
  const token = serverToken(configuration.options, surroundings.env, writeMessage);
  return { ...(await connected(configuration, surroundings, READ_THREADS)), token };
}

async function connected(
  configuration: ResolvedConfiguration,
  { env, cwd, writes_at = null }: Surroundings,
  threads: number,
): Promise<Session> {
  const clock = () => Date.now() / 1000;
  const serving = threads > 0;
  const { noStats, noCache } = configuration.options;
  const rollups = (serving ? rollupsOfServer : rollupsOfCommand)(noCache.value ? null : cacheFolder(env));
  const off = serving && noStats.value;
  const options = { configuration, env, cwd, threads, clock, writes_at, look, ...(off ? {} : { rollups }) };
  return { workspace: await Workspace.connect(options), configuration };
}

/** Loaded only for a store of several apps none of which was chosen. */
const look: LookAtApps = async (...given) => (await import("../services/health/app-overview.ts")).lookAtApps(...given);

/** The output of a command. `--full` prints everything uncut. */
export function outputOf(options: ResolvedOptions, flags: Flags): Output {
  return new Output(options, process.stdout, flags.full === true, flags.rows ?? null);
}

/**
 * Runs `fn` with the app that the command is about; of several, that which a server would show.
 *
 * @param about `paged`: long output may go through a pager; not for commands that ask questions or run on. `changes`: of several apps one has to be named.
 * @throws InvalidInputError when it changes something, the store holds several apps and none was chosen.
 */
export async function withApp(
  flags: Flags,
  fn: (app: OpenedApp, out: Output, options: ResolvedOptions) => Promise<void>,
  { paged = true, changes = false }: { paged?: boolean; changes?: boolean } = {},
): Promise<void> {
  await withWorkspace(flags, async ({ workspace, configuration }) => {
    const { options } = configuration;
    const app = changes ? await workspace.openOnly() : await shownApp(workspace, outputOf(options, flags));
    const run = async (out: Output) => {
      out.say(...daysMeant(flags, app.now()));
      try {
        await fn(app, out, options);
      } catch (error) {
        throw await orElsewhere(app, error);
      }
      out.say(...app.store.gaps);
    };
    const output = () => outputOf(options, flags);
    const out = output();
    if (flags.watch !== undefined) {
      const { watched, watchSeconds } = await import("./screen/watch.ts");
      return watched(watchSeconds(flags, out.json), output, run, app.now);
    }
    await (paged ? out.paged(() => run(out)) : run(out));
  });
}

/** Of a time of day that is still to come: that yesterday's is meant. */
function daysMeant(flags: Flags, now: number): string[] {
  return ["since", "until", "at"].flatMap((name) => {
    const text = String(flags[name] ?? "");
    const today = momentOf(`today ${text}`)?.(now) ?? 0;
    return today > now ? [`--${name} ${text}: that is later than now today, so yesterday's is meant.`] : [];
  });
}

/** Other apps that are named. */
const OTHERS_NAMED = 5;

/** The app that answers are about; of several, stderr says which it is, why, and how another is chosen. */
export async function shownApp(workspace: Workspace, out: Output): Promise<OpenedApp> {
  const { app, among, chosen } = await workspace.openShown();
  const others = among.filter((id) => id !== app.app_id);
  if (others.length === 0) return app;
  const { problems } = chosen?.figures ?? { problems: null };
  const why = problems === null ? "" : `, ${problems === 0 ? "changed last" : `has ${counted(problems, "problem")}`}`;
  const names = others.slice(0, OTHERS_NAMED).map((id) => `--app ${shellWord(id)}`);
  const more = others.length > names.length ? ` (${others.length - names.length} more: monitor apps)` : "";
  const which = others.length === 1 ? "the other" : "another";
  out.say(`app ${app.app_id} (1 of ${among.length}${why}); ${names.join(", ")} for ${which}${more}`);
  return app;
}

/**
 * As `withApp`, for a command that keeps showing the app: as in a server, counts over time are kept up to date, and reads run in threads.
 */
export async function withFollowedApp(
  flags: Flags,
  fn: (app: OpenedApp, options: ResolvedOptions) => Promise<void>,
): Promise<void> {
  const surroundings = ownSurroundings(flags);
  const configuration = resolveConfiguration({ flags, ...surroundings });
  const { workspace } = await connected(configuration, surroundings, READ_THREADS);
  try {
    const app = await shownApp(workspace, outputOf(configuration.options, flags));
    workspace.startRollups();
    await fn(app, configuration.options);
  } finally {
    await workspace.close();
  }
}

/** The files that the file of `-o` must not be, however it is spelled. */
function keptFiles({ workspace, configuration: { options } }: Session, flags: Flags): KeptFile[] {
  const { config, tokenFile, stateDir } = options;
  const folder = ownSurroundings(flags).cwd;
  const logs = Array.isArray(flags.logs) ? flags.logs.map(String) : [];
  const kept: [what: string, paths: readonly (string | null | undefined)[]][] = [
    ["the store", storeFiles(workspace.discovery)],
    ["a configuration file", [config.value, join(folder, "pyproject.toml")]],
    ["the file of the token", [tokenFile.value]],
    ["the record of actions", auditFile(options)?.files ?? []],
    ["the file of muted verdicts", [stateDir.value && new MuteFile(stateDir.value).path]],
    ["the record of alarms", [stateDir.value && alarmPath(stateDir.value)]],
    ["a log that this command reads", logs.map((log) => (log === "-" ? "/dev/stdin" : log))],
  ];
  return kept.flatMap(([what, paths]) => paths.flatMap((path) => (path ? [{ path, what }] : [])));
}

/** Runs `fn` with the opened store. */
export async function withWorkspace(flags: Flags, fn: (session: Session) => Promise<void>): Promise<void> {
  const session = await openWorkspace(flags);
  try {
    if (flags.out !== undefined) assertOutFile(flags, keptFiles(session, flags));
    await fn(session);
  } finally {
    await session.workspace.close();
  }
}
