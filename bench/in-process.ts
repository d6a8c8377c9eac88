import { createConsola } from "consola";
import { resolveConfiguration } from "../src/config/options.ts";
import { createApp } from "../src/http/app.ts";
import { loadAssets } from "../src/http/assets.ts";
import { Bodies } from "../src/http/body.ts";
import { RememberedAnswers } from "../src/http/remembered-answers.ts";
import { Turns } from "../src/http/turns.ts";
import { packageRoot } from "../src/package-root.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { ActionLog } from "../src/services/actions/action-log.ts";
import { Workspace } from "../src/services/app/workspace.ts";
import type { Traffic } from "../src/stores/server/servers.ts";
import { ServerStore } from "../src/stores/server/store.ts";
import { BULK_APP, BULK_NOW } from "./bulk-file.ts";

const nothing = () => undefined;

/** A monitor of the bulk app that answers in this process, so that one can look inside it. */
export class InProcess {
  readonly workspace: Workspace;
  readonly #app: ReturnType<typeof createApp>;

  private constructor(workspace: Workspace) {
    this.workspace = workspace;
    this.#app = createApp({
      workspace,
      assets: loadAssets(),
      bodies: new Bodies(),
      turns: new Turns(),
      remembered: new RememberedAnswers(),
      log: createConsola({ level: -999 }),
      actions: new ActionLog({ via: "server", file: null, write: nothing, warn: nothing }),
      access: null,
      version: "bench",
      dev: false,
      basePath: "",
      readOnly: true,
      allowedHosts: [],
      proxiedHosts: [],
    });
  }

  /** @param threads that read a file. */
  static async open(place: { db?: string; url?: string }, threads = 0): Promise<InProcess> {
    const flags = { ...place, app: BULK_APP, now: isoFromEpoch(BULK_NOW) };
    const cwd = packageRoot();
    const configuration = resolveConfiguration({ flags, env: {}, cwd });
    return new InProcess(await Workspace.connect({ configuration, env: {}, cwd, threads, clock: () => BULK_NOW }));
  }

  /** The body of the answer. @throws unless it is a success. */
  async ask(address: string, accept: "text/html" | "application/json"): Promise<string> {
    const headers = { accept, host: "127.0.0.1:8000" };
    const response = await this.#app.request(new Request(`http://127.0.0.1:8000${address}`, { headers }));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
    return text;
  }

  /** What one request asks of a Redis or MongoDB server. */
  async trafficOf(address: string): Promise<Traffic> {
    const { store } = this.workspace;
    if (!(store instanceof ServerStore)) throw new Error("not a store on a server");
    const before = store.traffic;
    await this.ask(address, "text/html");
    const after = store.traffic;
    return { round_trips: after.round_trips - before.round_trips, commands: after.commands - before.commands };
  }

  close(): Promise<void> {
    return this.workspace.close();
  }
}
