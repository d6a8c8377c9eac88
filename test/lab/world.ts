/** One app of real pynenc in a store of its own: its runners, a client that calls tasks, and the monitor that is asked about it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { IS_FERRET, type MongoServer, startMongo } from "../support/mongodb-server.ts";
import { type RabbitServer, startRabbit } from "../support/rabbitmq-server.ts";
import { type RedisServer, startRedis } from "../support/redis-server.ts";
import { Monitor } from "./monitor.ts";
import { record } from "./record.ts";
import type { LabStore } from "./releases.ts";
import { Truth } from "./truth.ts";

/** Folder of the Python apps. */
export const APPS = fileURLToPath(new URL("./apps/", import.meta.url));

/** Components of an app, and the class of each in a store. */
const COMPONENTS = ["ORCHESTRATOR", "BROKER", "STATE_BACKEND", "CLIENT_DATA_STORE", "TRIGGER"];
const CLASSES: Readonly<Record<string, string>> = {
  ORCHESTRATOR: "Orchestrator",
  BROKER: "Broker",
  STATE_BACKEND: "StateBackend",
  CLIENT_DATA_STORE: "ClientDataStore",
  TRIGGER: "Trigger",
};

type ClassPrefix = "SQLite" | "Redis" | "Mongo" | "RustSqlite";

/** RabbitMQ has a broker only, which its own settings name. */
const PREFIXES: Readonly<Record<LabStore, ClassPrefix>> = {
  sqlite: "SQLite",
  rabbitmq: "SQLite",
  redis: "Redis",
  mongodb: "Mongo",
};

/** The settings that put every component into stores of one kind. */
export function storeClasses(prefix: ClassPrefix): Record<string, string> {
  return Object.fromEntries(COMPONENTS.map((name) => [`PYNENC__${name}_CLS`, `${prefix}${CLASSES[name]}`]));
}

/** pynenc waits minutes before it acts by itself; the lab has seconds. The crons cannot be quicker than a minute. */
const QUICK: Readonly<Record<string, string>> = {
  PYNENC__MAX_PENDING_SECONDS: "3",
  PYNENC__RUNNER_CONSIDERED_DEAD_AFTER_MINUTES: "0.2",
  PYNENC__RECOVER_PENDING_INVOCATIONS_CRON: "* * * * *",
  PYNENC__RECOVER_RUNNING_INVOCATIONS_CRON: "* * * * *",
  PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "0.05",
  PYNENC__ATOMIC_SERVICE_SPREAD_MARGIN_MINUTES: "0.01",
  PYNENC__ATOMIC_SERVICE_CHECK_INTERVAL_MINUTES: "0.02",
  PYNENC__LOG_USE_COLORS: "false",
};

/** For scenarios that count messages: the recovery runs when the first runner starts (`World.recovered`), and not again. */
export const RECOVERY_ONCE: Readonly<Record<string, string>> = {
  PYNENC__RECOVER_PENDING_INVOCATIONS_CRON: "0 0 1 1 *",
  PYNENC__RECOVER_RUNNING_INVOCATIONS_CRON: "0 0 1 1 *",
};

const RECOVERIES = ["pynenc.core_tasks.recover_pending_invocations", "pynenc.core_tasks.recover_running_invocations"];

export interface WorldOptions {
  store: LabStore;
  /** Module in `apps/`. */
  app: string;
  app_id: string;
  /** pynenc's settings, by their environment variables. */
  settings?: Readonly<Record<string, string>>;
  /** The Python that has pynenc. */
  program: string;
}

export type RunnerKind = "ThreadRunner" | "ProcessRunner" | "PersistentProcessRunner" | "MultiThreadRunner";

export interface RunnerOptions {
  kind?: RunnerKind;
  /** Slots of a ThreadRunner. */
  threads?: number;
  env?: Readonly<Record<string, string>>;
}

/** A runner process, with its children in a process group of its own. */
export interface LabRunner {
  pid: number;
  log: string;
  /** Resolves when it has ended, by itself or not. */
  ended: Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it at once, children included, as a crash of the machine does. */
  kill(): Promise<void>;
  /** Shuts it down as Ctrl-C does. */
  stop(): Promise<void>;
}

export class World {
  readonly folder: string;
  readonly truth: Truth;
  readonly monitor: Monitor;
  readonly env: Readonly<Record<string, string>>;
  readonly redis: RedisServer | null;
  readonly mongo: MongoServer | null;
  readonly #options: WorldOptions;
  readonly #rabbit: RabbitServer | null;
  readonly #runners: LabRunner[] = [];
  readonly #beside: World[] = [];
  readonly #at = new Map<number, Monitor>();
  #client: Client | null = null;

  private constructor(
    options: WorldOptions,
    made: {
      folder: string;
      truth: Truth;
      redis: RedisServer | null;
      mongo: MongoServer | null;
      rabbit: RabbitServer | null;
    },
  ) {
    this.#options = options;
    this.folder = made.folder;
    this.truth = made.truth;
    this.redis = made.redis;
    this.mongo = made.mongo;
    this.#rabbit = made.rabbit;
    this.env = this.#environment();
    this.monitor = new Monitor(this.storeArgs, { cwd: this.folder, env: this.env });
  }

  static async start(options: WorldOptions): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-lab-"));
    const [truth, redis, mongo, rabbit] = await Promise.all([
      Truth.start(),
      options.store === "redis" ? startRedis() : null,
      options.store === "mongodb" ? startMongo() : null,
      options.store === "rabbitmq" ? startRabbit() : null,
    ]);
    mkdirSync(join(folder, "logs"));
    return new World(options, { folder, truth, redis, mongo, rabbit });
  }

  /** Another app in the same store, with runners and a client of its own. Ends with this one. */
  beside(app_id: string): World {
    const { folder, truth, redis, mongo } = this;
    const made = { folder, truth, redis, mongo, rabbit: this.#rabbit };
    const world = new World({ ...this.#options, app_id }, made);
    this.#beside.push(world);
    return world;
  }

  /** What a user would type to look at this store. */
  get storeArgs(): string[] {
    const server = this.redis ?? this.mongo;
    return server === null ? ["--db", this.database] : ["--url", server.url];
  }

  get database(): string {
    return join(this.folder, "app.db");
  }

  /** The program as it answers at another instant. @param instant epoch seconds */
  at(instant: number): Monitor {
    const known = this.#at.get(instant);
    if (known !== undefined) return known;
    const now = new Date(instant * 1000).toISOString();
    const monitor = new Monitor([...this.storeArgs, "--now", now], { cwd: this.folder, env: this.env });
    this.#at.set(instant, monitor);
    return monitor;
  }

  #environment(): Record<string, string> {
    const { app_id, store, settings = {} } = this.#options;
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.folder,
      PYTHONPATH: APPS,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONUNBUFFERED: "1",
      PYNENC__APP_ID: app_id,
      ...storeClasses(PREFIXES[store]),
      PYNENC__SQLITE_DB_PATH: this.database,
      ...(this.redis !== null && { PYNENC__REDIS_URL: this.redis.url }),
      ...(this.mongo !== null && { PYNENC__MONGO_URL: this.mongo.url, ...(IS_FERRET && { LAB_FERRETDB: "1" }) }),
      ...this.#rabbit?.env(),
      ...QUICK,
      LAB_TRUTH: this.truth.address,
      ...settings,
    };
  }

  /** Starts a runner with pynenc's own command. */
  runner({ kind = "ThreadRunner", threads = 2, env = {} }: RunnerOptions = {}): LabRunner {
    const log = join(this.folder, "logs", `${this.#options.app_id}-runner${this.#runners.length}.log`);
    const child = spawn(this.#options.program, ["-m", "pynenc", "--app", this.#options.app, "runner", "start"], {
      cwd: this.folder,
      env: {
        ...this.env,
        PYNENC__RUNNER_CLS: kind,
        PYNENC__CONFIGTHREADRUNNER__MAX_THREADS: String(threads),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const lines = createWriteStream(log);
    child.stdout.pipe(lines, { end: false });
    child.stderr.pipe(lines, { end: false });
    const runner = labRunner(child, log, this.truth);
    this.#runners.push(runner);
    this.truth.note("starts a runner", { kind, pid: runner.pid });
    return runner;
  }

  /** Runs a program of `apps/` to its end. @throws with what it printed, if it fails. */
  async program(file: string, ...args: readonly string[]): Promise<void> {
    const run = [join(APPS, file), ...args];
    this.truth.note("runs a program", { file, args });
    await promisify(execFile)(this.#options.program, run, { cwd: this.folder, env: this.env, maxBuffer: 1 << 26 });
    this.truth.note("the program has ended", { file });
  }

  /** Starts a runner and has it run a call of `held`, until the lab opens the gate. Both recoveries have run before. */
  async busyRunner(gate: string, options: RunnerOptions = {}): Promise<{ runner: LabRunner; held: string }> {
    const runner = this.runner(options);
    await this.recovered();
    const held = await this.call("held", { name: gate });
    await this.truth.until({ what: "waits", invocation: held });
    return { runner, held };
  }

  /** Calls a task as a program of the user does. @returns the id of the invocation. */
  async call(task: string, args: Record<string, unknown> = {}): Promise<string> {
    const asked = Date.now() / 1000;
    const id = await this.callQuietly(task, args);
    this.truth.note("calls", { task, args, id, asked });
    return id;
  }

  /** The same without a note, for arguments that are too long for the story. */
  async callQuietly(task: string, args: Record<string, unknown>): Promise<string> {
    return String(await this.#ask({ do: "call", task, args }));
  }

  /** The status by pynenc's own reading of its store. */
  async status(id: string): Promise<string> {
    return String(await this.#ask({ do: "status", id }));
  }

  /** Waits until pynenc itself says that an invocation has this status. */
  async untilStatus(id: string, status: string): Promise<void> {
    const end = performance.now() + PATIENCE;
    let now = "";
    while (performance.now() < end) {
      now = await this.status(id);
      if (now === status) {
        this.truth.note("sees", { id, status });
        return;
      }
      await sleep(100);
    }
    throw new Error(`${id} is ${now}, not ${status}.\n${this.truth.story().join("\n")}`);
  }

  /** Waits until both recoveries have run, which each runner starts soon after its own start. @returns how many of their runs have succeeded */
  async recovered(): Promise<number> {
    const end = performance.now() + PATIENCE;
    let runs = 0;
    for (const task of RECOVERIES) {
      let succeeded = 0;
      while (succeeded === 0) {
        succeeded = Number(await this.#ask({ do: "succeeded", task }));
        if (succeeded > 0) break;
        if (performance.now() > end) throw new Error(`${task} has not run.`);
        await sleep(100);
      }
      runs += succeeded;
    }
    return runs;
  }

  async emit(code: string, payload: Record<string, unknown>): Promise<string> {
    const asked = Date.now() / 1000;
    const id = String(await this.#ask({ do: "emit", code, payload }));
    this.truth.note("emits", { code, payload, id, asked });
    return id;
  }

  /** pynenc's own purge of a component, or of the whole app. */
  async purge(target: "all" | "broker" | "orchestrator" | "state_backend" | "trigger"): Promise<void> {
    await this.#ask({ do: "purge", target });
    this.truth.note("purges", { target });
  }

  /** Takes the next message out of the queue and forgets it, as a worker does that dies right after. @returns the id in it */
  async loseMessage(): Promise<string> {
    const id = String(await this.#ask({ do: "drop_message" }));
    this.truth.note("loses a message", { id });
    return id;
  }

  /** The client starts again with these too, as one on another host. */
  clientWith(env: Readonly<Record<string, string>>): void {
    this.#client?.close();
    this.#client = this.#newClient(env);
  }

  #newClient(env: Readonly<Record<string, string>> = {}): Client {
    return new Client(this.#options.program, this.#options.app, { cwd: this.folder, env: { ...this.env, ...env } });
  }

  async #ask(request: object): Promise<unknown> {
    this.#client ??= this.#newClient();
    return this.#client.ask(request);
  }

  /** Keeps what is there now as a fixture: files `<name>.*` in a folder. @returns their paths */
  record(to: string, name: string, story: string): Promise<string[]> {
    const { folder, database, redis, mongo, truth } = this;
    return record({
      to,
      name,
      story,
      folder,
      database,
      redis,
      mongo,
      truth,
      apps: APPS,
      program: this.#options.program,
    });
  }

  /** Ends everything. @param keep leaves the store and the logs, to look at after a failure. */
  async close(keep = false): Promise<void> {
    for (const world of [this, ...this.#beside]) {
      world.#client?.close();
      await Promise.all(world.#runners.map((runner) => runner.kill()));
      for (const monitor of [world.monitor, ...world.#at.values()]) await monitor.close();
    }
    await this.truth.close();
    await this.redis?.close();
    await this.mongo?.close();
    await this.#rabbit?.close();
    if (!keep) rmSync(this.folder, { recursive: true, force: true });
  }
}

const PATIENCE = 150_000;

function labRunner(child: ChildProcess, log: string, truth: Truth): LabRunner {
  const pid = child.pid ?? 0;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-pid, name);
    } catch {
      // It has ended.
    }
  };
  return {
    pid,
    log,
    ended,
    signal(name) {
      truth.note("signals", { pid, signal: name });
      signal(name);
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) truth.note("kills", { pid });
      signal("SIGKILL");
      await ended;
    },
    async stop() {
      truth.note("stops", { pid });
      child.kill("SIGINT");
      await ended;
      truth.note("ended", { pid });
    },
  };
}

/** A Python process that calls tasks for the lab, one request at a time. */
class Client {
  readonly #child: ReturnType<typeof spawn>;
  readonly #answers: AsyncIterator<string>;
  #errors = "";
  #last: Promise<unknown> = Promise.resolve();

  constructor(program: string, app: string, options: { cwd: string; env: Readonly<Record<string, string>> }) {
    const child = spawn(program, [join(APPS, "client.py"), app], { ...options, stdio: ["pipe", "pipe", "pipe"] });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = `${this.#errors}${text}`.slice(-4_000);
    });
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  ask(request: object): Promise<unknown> {
    const answered = this.#last.then(async () => {
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await this.#answers.next();
      if (done) throw new Error(`The client ended.\n${this.#errors}`);
      const { answer, error } = JSON.parse(String(value)) as { answer?: unknown; error?: string };
      if (error !== undefined) throw new Error(`${error}\n${this.#errors}`);
      return answer;
    });
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }
}
