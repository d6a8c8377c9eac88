import { resolve } from "node:path";
import { pipeline, type Readable } from "node:stream";
import type { ActionOutcome } from "../../api/actions.ts";
import { maskText } from "../../config/masked-text.ts";
import { maskAddress } from "../../config/masking.ts";
import { ActionLog } from "../../services/actions/action-log.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { withoutValues } from "../../services/exports/without-values.ts";
import { rollupsHere } from "../../services/rollups/rollup-source.ts";
import { type Recorded, shellUser } from "../action.ts";
import { auditFile } from "../audit-location.ts";
import { conflict } from "../exported.ts";
import type { Flags } from "../flags.ts";
import { invokedAs } from "../invoked-as.ts";
import { assertLogFile } from "../log-source.ts";
import type { McpChoice } from "../mcp/server.ts";
import { outputOf, type Session, shownApp, withWorkspace } from "../session.ts";
import { version } from "../version.ts";

/**
 * Milliseconds to wait for each figure over time; an answer has up to four of them. Clients give up after a minute, and other requests wait
 * meanwhile. The answer says that it is incomplete; the next one continues from there.
 */
const PATIENCE = 3_000;

/** `monitor mcp`: tools for assistants over the standard streams. Standard output carries the protocol and nothing else. */
export async function run(flags: Flags): Promise<void> {
  const logs = (Array.isArray(flags.logs) ? flags.logs : []).map(String);
  const noValues = flags.values === false;
  for (const file of logs) await assertLogFile("--logs", file);
  await withWorkspace(flags, async (session) => {
    const { workspace, configuration } = session;
    const { options } = configuration;
    const out = outputOf(options, flags);
    const acts = flags.allowActions === true;
    const app = acts ? await workspace.openOnly() : await shownApp(workspace, out);
    if (out.json) throw conflict("--json", "true", "the protocol defines its own output");
    if (process.stdin.isTTY)
      out.say(
        "Waiting for an assistant on standard input. In the settings of one (docs/agents.md):",
        assistantSettings(flags, session),
      );
    const [{ serveStdio, StdioServerTransport }, { mcpServer }, { documents }, { InputLines }] = await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("../mcp/server.ts"),
      import("../mcp/documents.ts"),
      import("../mcp/input-lines.ts"),
    ]);
    const warn = (words: string) => out.say(maskText(words));
    const log = new ActionLog({ via: "agent", file: auditFile(options), write: warn, warn });
    const record: Recorded = async <Outcome extends ActionOutcome>(action: string, act: () => Promise<Outcome>) =>
      (await log.record(shellUser(), action, app, act)).outcome;
    const apps = new Map<OpenedApp, OpenedApp>();
    const choice: McpChoice = {
      app,
      async shown(id) {
        const wanted = id === undefined ? app : await workspace.open(id);
        const shown = apps.get(wanted) ?? readFrom(wanted, noValues);
        apps.set(wanted, shown);
        return shown;
      },
      logs: noValues ? null : logs,
      async doctor(one) {
        const [{ doctorReport }, { appEntries }] = await Promise.all([
          import("../../services/health/doctor.ts"),
          import("../../services/runners/active-apps.ts"),
        ]);
        const { discovery } = workspace;
        const readOnly = options.readOnly.value;
        return doctorReport({ app: one, apps: await appEntries(workspace), discovery, readOnly });
      },
      record: acts ? record : null,
      documents: await documents(),
      version: version(),
      warn,
    };
    const input = new InputLines((line) => process.stdout.write(line));
    const ended = untilEnded(input);
    const handle = serveStdio(() => mcpServer(choice), {
      transport: new StdioServerTransport(input),
      onerror: (error: NodeJS.ErrnoException) => {
        // What cannot be written is reported for every command in the same way.
        if (error.syscall !== "write") warn(`Connection error: ${error.message}`);
      },
    });
    pipeline(process.stdin, input, () => undefined);
    await ended;
    await handle.close();
    process.stdin.destroy();
    out.say(...app.store.gaps);
  });
}

/** What most assistants read of a server, for this store and app. An address, which may have a password, stays in the environment. */
export function assistantSettings(
  flags: Flags,
  { configuration: { options }, workspace: { discovery } }: Session,
): string {
  const [command = "", ...words] = invokedAs().split(" ");
  const { app, config } = options;
  const whole = (path: unknown) => resolve(String(path));
  // Several stores have no single address: pynenc's settings name them.
  const single = discovery.beside === undefined ? discovery : null;
  const file = single?.kind === "sqlite" && single.components === null ? ["--db", whole(single.db.path)] : [];
  const args = [
    ...words,
    "mcp",
    ...file,
    ...(config.value === null ? [] : ["--config", whole(config.value)]),
    ...(app.value === null ? [] : ["--app", app.value]),
    ...(Array.isArray(flags.logs) ? flags.logs.flatMap((log) => ["--logs", whole(log)]) : []),
    ...(flags.values === false ? ["--no-values"] : []),
    ...(flags.allowActions === true ? ["--allow-actions"] : []),
  ];
  const server = single === null || single.kind === "sqlite" ? null : maskAddress(single.endpoints.state_backend.url);
  const env = server === null ? {} : { env: { PYNENC_MONITOR_URL: server } };
  return JSON.stringify({ mcpServers: { pynenc: { command, args, ...env } } }, null, 2);
}

/** The app that answers are read from. */
function readFrom(app: OpenedApp, noValues: boolean): OpenedApp {
  return noValues ? withoutValues(app, PATIENCE) : { ...app, rollups: rollupsHere(app.store, app.now, PATIENCE) };
}

/** Resolves when the assistant closes the connection, or a signal asks the program to stop. */
function untilEnded(input: Readable): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve();
    for (const event of ["end", "close"]) input.once(event, end);
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  });
}
