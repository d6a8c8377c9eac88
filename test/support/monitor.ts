/** A monitor on a copy of a fixture, asked in-process or over a socket. */
import { join } from "node:path";
import { inspect } from "node:util";
import { createConsola, LogLevels } from "consola";
import { afterAll, beforeAll, describe, onTestFinished, vi } from "vitest";
import type { VerdictList } from "../../src/api/verdicts.ts";
import { AuditFile } from "../../src/audit/audit-file.ts";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import { Access } from "../../src/http/access.ts";
import { createApp } from "../../src/http/app.ts";
import { loadAssets } from "../../src/http/assets.ts";
import { Bodies, type BodyLimits } from "../../src/http/body.ts";
import type { ServerContext } from "../../src/http/context.ts";
import { RememberedAnswers } from "../../src/http/remembered-answers.ts";
import { startServer } from "../../src/http/server.ts";
import { type TurnLimits, Turns } from "../../src/http/turns.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { ActionLog } from "../../src/services/actions/action-log.ts";
import { Workspace } from "../../src/services/app/workspace.ts";
import { lookAtApps } from "../../src/services/health/app-overview.ts";
import { rollupsOfCommand } from "../../src/services/rollups/rollup-source.ts";
import { assertAnswer } from "./answers.ts";
import { defectLogged } from "./defects.ts";
import { copyFixture, type FixtureName, presentOf, registerOnly, temporaryFolder } from "./fixtures.ts";

export interface Monitor {
  /** The database that is served; a private copy. Empty for a server. */
  path: string;
  /** Asks for a path of ours; `origin` is added to state-changing requests as a browser would. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** The same without the server in front of the routes. A `host` has to be given. */
  inProcess(path: string, init: RequestInit): Promise<Response>;
  json<T = Record<string, unknown>>(path: string): Promise<T>;
  text(path: string): Promise<string>;
  workspace: Workspace;
  /** What the server knows. */
  context: ServerContext;
  /** Of the server: `http://127.0.0.1:41234`. */
  origin: string;
  /** What actions wrote to the log. */
  actionLines: readonly string[];
  /** What it warned of. */
  warnings: readonly string[];
  /** Does an action as a script would: with an Origin of ours, and fields as JSON. */
  post(path: string, fields?: Record<string, unknown>, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export type Transport = "in process" | "over a socket";

export interface MonitorOptions {
  app?: string;
  /** The same, for an app that becomes the only registered one: its addresses do not name it. */
  alone?: string;
  readOnly?: boolean;
  dev?: boolean;
  allowedHosts?: string[];
  /** Path below which it is served. */
  basePath?: string;
  /** Epoch seconds; by default the end of the fixture's window. */
  now?: number;
  /** Pages are not told that the clock stands still, so they refresh by themselves. */
  refreshing?: boolean;
  env?: Record<string, string>;
  /** Seconds that actions wait for other writers. */
  lockWait?: number;
  /** Folder of the record of actions; by default one of its own. */
  stateDir?: string;
  bodies?: BodyLimits;
  turns?: TurnLimits;
  /** None unless given. */
  token?: string;
  publicMetrics?: boolean;
}

/** Serves a copy of a fixture. */
export function monitorOf(
  fixture: FixtureName,
  transport: Transport = "in process",
  options: MonitorOptions = {},
): Promise<Monitor> {
  const folder = temporaryFolder();
  const path = copyFixture(fixture, folder.path);
  return monitorAt(path, transport, { now: presentOf(fixture), ...options }, folder.remove);
}

/** Serves a database where it is. */
export function monitorAt(
  path: string,
  transport: Transport,
  options: MonitorOptions = {},
  onClose: () => void = () => undefined,
): Promise<Monitor> {
  return monitorOn({ db: path }, transport, options, onClose);
}

/** Serves a store that is named by flags, or by `options.env`. */
export async function monitorOn(
  place: Pick<OptionFlags, "db" | "url" | "backend">,
  transport: Transport = "in process",
  options: MonitorOptions = {},
  onClose: () => void = () => undefined,
): Promise<Monitor> {
  const {
    alone,
    app = alone,
    readOnly = false,
    dev = false,
    allowedHosts = [],
    basePath,
    now,
    refreshing = false,
    env = {},
    lockWait,
    stateDir,
    bodies,
  } = options;
  const { token, publicMetrics = false, turns } = options;
  const folder = temporaryFolder();
  if (alone !== undefined && place.db !== undefined) registerOnly(place.db, alone);
  const flags = {
    ...place,
    app,
    basePath,
    readOnly,
    lockWait,
    stateDir,
    now: now === undefined || refreshing ? undefined : isoFromEpoch(now),
  };
  const configuration = resolveConfiguration({ flags, env, cwd: folder.path });
  const workspace = await Workspace.connect({
    configuration,
    env,
    cwd: folder.path,
    threads: 0,
    rollups: rollupsOfCommand(null),
    look: lookAtApps,
    clock: () => now ?? Date.now() / 1000,
  });
  const actionLines: string[] = [];
  const warnings: string[] = [];
  const context: ServerContext = {
    workspace,
    assets: loadAssets(),
    bodies: new Bodies(bodies),
    turns: new Turns(turns),
    remembered: new RememberedAnswers(),
    log: createConsola({ level: LogLevels.error, reporters: [{ log: ({ args }) => defectLogged(inspect(args)) }] }),
    actions: new ActionLog({
      via: "server",
      file: new AuditFile(stateDir ?? join(folder.path, "state")),
      write: (line) => actionLines.push(line),
      warn: (words) => warnings.push(words),
    }),
    access: token === undefined ? null : new Access(token, publicMetrics, (words) => warnings.push(words)),
    version: "0.0.0-test",
    dev,
    basePath: configuration.options.basePath.value,
    readOnly,
    allowedHosts: allowedHosts,
    proxiedHosts: allowedHosts,
  };
  const h3 = createApp(context);
  const server = transport === "over a socket" ? await startServer(context, h3, "127.0.0.1", 0) : null;
  const { origin } = new URL(server?.url ?? "http://127.0.0.1:8000/");
  const inProcess = async (target: string, init: RequestInit) => {
    const response = await h3.request(new Request(origin + target, init));
    await assertAnswer(init.method ?? "GET", target, response);
    return response;
  };
  const get = async (target: string, init: RequestInit = {}): Promise<Response> => {
    const url = origin + target;
    if (server !== null) {
      const response = await fetch(url, { redirect: "manual", ...init });
      await assertAnswer(init.method ?? "GET", target, response);
      return response;
    }
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", new URL(origin).host);
    return inProcess(target, { ...init, headers });
  };
  return {
    path: place.db ?? "",
    workspace,
    origin,
    actionLines,
    warnings,
    context,
    get,
    inProcess,
    post: (target, fields, headers) =>
      get(target, {
        method: "POST",
        headers: { origin, ...(fields && { "content-type": "application/json" }), ...headers },
        ...(fields && { body: JSON.stringify(fields) }),
      }),
    async json<T>(target: string) {
      const response = await get(target, { headers: { accept: "application/json" } });
      return (await response.json()) as T;
    },
    text: async (target) => (await get(target, { headers: { accept: "text/html" } })).text(),
    async close() {
      await server?.close();
      await workspace.close();
      folder.remove();
      onClose();
    },
  };
}

/** Waits until figures over time are read: until then, pages list them as not checked. */
export async function figuresRead(monitor: Monitor): Promise<Monitor> {
  const isRead = async () => {
    const { not_looked_at } = await monitor.json<VerdictList>("/verdicts");
    return not_looked_at.every((words) => !words.includes("has not been read"));
  };
  await vi.waitUntil(isRead, { timeout: 60_000 });
  return monitor;
}

/** A monitor for all tests of a file or a group: opened before the first of them, closed behind the last. */
export function sharedMonitor(open: () => Promise<Monitor>): Monitor {
  let opened: Monitor | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return new Proxy({} as Monitor, { get: (_, name) => opened?.[name as keyof Monitor] });
}

/** A monitor for the test that opens it, closed when that ends. */
export async function testMonitor(opening: Promise<Monitor>): Promise<Monitor> {
  const opened = await opening;
  onTestFinished(() => opened.close());
  return opened;
}

/** A suite whose cases share one monitor. */
export function describeWithMonitor(
  name: string,
  open: () => Promise<Monitor>,
  cases: (monitor: () => Monitor) => void,
): void {
  describe(name, () => {
    const monitor = sharedMonitor(open);
    cases(() => monitor);
  });
}
