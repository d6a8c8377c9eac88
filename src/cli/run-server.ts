/** Runs the server for a command. It loads everything a server needs, so only commands that serve import it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { createConsola, LogLevels } from "consola";
import type { ServedMonitor } from "../api/app.ts";
import { versioned } from "../api/version.ts";
import { maskText } from "../config/masked-text.ts";
import type { ResolvedOptions } from "../config/options.ts";
import { isLoopback, reachOf } from "../config/reachable-host.ts";
import { Access, CODE_SECONDS } from "../http/access.ts";
import { createApp } from "../http/app.ts";
import { loadAssets } from "../http/assets.ts";
import { Bodies } from "../http/body.ts";
import type { ServerContext } from "../http/context.ts";
import { RememberedAnswers } from "../http/remembered-answers.ts";
import { type RunningServer, startServer } from "../http/server.ts";
import { Turns } from "../http/turns.ts";
import { createLinks } from "../presentation/links.ts";
import { ActionLog } from "../services/actions/action-log.ts";
import type { Workspace } from "../services/app/workspace.ts";
import { startThreadEarly } from "../stores/threads/worker-threads.ts";
import { auditFile } from "./audit-location.ts";
import type { Flags } from "./flags.ts";
import { jsonDocument } from "./print/json.ts";
import { writeMessage } from "./print/message.ts";
import type { ServedSession } from "./session.ts";
import { verdictAlarms } from "./verdict-alarms.ts";
import { version } from "./version.ts";

/** Serves a session until a signal arrives. @param onClose runs after the server has stopped. */
export async function runServer(
  flags: Flags,
  { workspace, configuration, token }: ServedSession,
  onClose: () => void,
): Promise<void> {
  const { options } = configuration;
  keepMemorySmall();
  const log = createConsola({ level: logLevel(options.logLevel.value), stdout: MASKED_STDERR, stderr: MASKED_STDERR });
  const context: ServerContext = {
    workspace,
    assets: loadAssets(),
    bodies: new Bodies(),
    remembered: new RememberedAnswers(),
    turns: new Turns(),
    log,
    actions: new ActionLog({
      via: "server",
      file: auditFile(options),
      write: (line) => log.info(`action ${line}`),
      warn: (words) => log.warn(words),
    }),
    access: token === null ? null : new Access(token, options.publicMetrics.value, (words) => log.warn(words)),
    version: version(),
    dev: flags.dev === true,
    basePath: options.basePath.value,
    readOnly: options.readOnly.value,
    allowedHosts: [...options.allowedHosts.value, options.host.value],
    proxiedHosts: options.allowedHosts.value,
  };
  // Log unhandled defects and keep running: a monitor that exits by itself is of no use.
  process.on("unhandledRejection", (reason) => log.error("Unhandled error:", reason));
  let server: RunningServer;
  let app: string;
  try {
    const pages = createApp(context);
    // Report an unreadable store now, not on the first page.
    app = (await workspace.open()).app_id;
    server = await startServer(context, pages, options.host.value, options.port.value);
  } catch (error) {
    await workspace.close();
    onClose();
    throw error;
  }
  // Before the address is known to anybody: whoever reads it may stop the server at once.
  const stop = new AbortController();
  const closed = closedBySignal(async () => {
    stop.abort();
    await server.close();
    await workspace.close();
    onClose();
  });
  const { access } = context;
  const links = createLinks(null, { basePath: context.basePath });
  const login = access === null ? null : new URL(links.signIn({ code: access.newCode() }), server.url).href;
  announce({ url: server.url, login, app }, workspace, options);
  // Loaded for the first page; loading it earlier would only have delayed the start.
  startThreadEarly(workspace.discovery.kind);
  workspace.startRollups();
  keepCompiledCode();
  await reportVerdicts(options, server.url, workspace, { log, stopped: stop.signal });
  if (flags.open === true) await openBrowser(login === null ? server.url : fileThatLeadsTo(login), server.url);
  await closed;
}

/** Where log lines go: they may hold what the store holds, and are collected elsewhere. */
const MASKED_STDERR: NodeJS.WriteStream = Object.create(process.stderr, {
  write: { value: (text: string) => process.stderr.write(maskText(text)) },
});

/** Runs the command of `--on-verdict` for verdicts that appear or end. */
async function reportVerdicts(
  options: ResolvedOptions,
  url: string,
  workspace: Workspace,
  { log, stopped }: { log: ServerContext["log"]; stopped: AbortSignal },
): Promise<void> {
  if (options.onVerdict.value === null) return;
  const sleep = (milliseconds: number) => wait(milliseconds, undefined, { signal: stopped }).catch(() => undefined);
  const severities = ["error", "warning"] as const;
  const alarms = verdictAlarms(await workspace.openFirst(), { options, severities, url, log }, { sleep, stopped });
  void (async () => {
    for await (const { rows } of alarms)
      for (const { change, verdict } of rows) log.info(`verdict ${change} ${verdict.severity} ${verdict.code}`);
  })();
}

/** @param login one-time sign-in address; null without a token. */
function announce(
  { url, login, app }: { url: string; login: string | null; app: string },
  { store, discovery }: Workspace,
  options: ResolvedOptions,
): void {
  const { host, quiet, readOnly, json } = options;
  const { location } = store;
  const document: ServedMonitor = { url, login_url: login, app_id: app, location, read_only: readOnly.value };
  process.stdout.write(json.value ? jsonDocument(versioned(document)) : `${login ?? url}\n`);
  if (quiet.value) return;
  const mode = readOnly.value ? ", read-only" : "";
  const lines = [`Showing ${app} from ${location} (${discovery.origin})${mode}. Press Ctrl-C to stop.`];
  if (login !== null) {
    lines.push(
      `That address signs in one browser, once, within ${CODE_SECONDS / 60} minutes. Anyone who has the token or is signed in ${reachOf(options)}.`,
    );
  } else if (!isLoopback(host.value)) {
    lines.push(`Listening on ${host.value} without a token: anyone who can reach this port ${reachOf(options)}.`);
  }
  writeMessage(lines.join("\n"));
}

/**
 * A page leaves a few megabytes of garbage, and V8 lets old objects grow to more than three times of what is used before it looks for it. At twice,
 * the server needs 40 MB less with 1 million invocations, and its pages take the same time with 6 % more processor time.
 *
 * Likewise for new objects, whose space V8 would grow to twice 32 MB in a burst of requests (Node 24; in Node 20 and 22 to twice 16 MB, whatever is set
 * here, because each thread that starts resets it).
 */
function keepMemorySmall(): void {
  setFlagsFromString("--heap-growing-percent=100");
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Node saves its compile cache at exit, but a server may be killed. */
function keepCompiledCode(): void {
  (module as { flushCompileCache?(): void }).flushCompileCache?.();
}

/**
 * Every user of this machine can read command lines, so opening a browser with the sign-in address would let others
 * sign in with it. This file is readable by its owner only, and is deleted with the server.
 */
function fileThatLeadsTo(login: string): string {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${login}">`, { mode: 0o600 });
  return file;
}

/** @param shown address to print if no browser can be opened; never a sign-in address. */
export async function openBrowser(url: string, shown: string): Promise<void> {
  const { default: open } = await import("open");
  await open(url).catch(() => writeMessage(`Could not open a browser; go to ${shown}`));
}

function logLevel(word: string): number {
  const levels: Record<string, number> = {
    silent: LogLevels.silent,
    error: LogLevels.error,
    warn: LogLevels.warn,
    info: LogLevels.info,
    debug: LogLevels.debug,
  };
  return levels[word] ?? LogLevels.info;
}

/** Shuts down on SIGINT or SIGTERM; a second signal exits at once. */
export function closedBySignal(close: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let closing = false;
    const onSignal = () => {
      if (closing) process.exit(130);
      closing = true;
      close().then(resolve, reject);
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}
