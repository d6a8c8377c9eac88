/** The opened store and its apps: which exist, which one is shown. Each app is opened once, with its own settings. */
import type { AppRow, LastLook } from "../../api/app.ts";
import { AuditFile } from "../../audit/audit-file.ts";
import { NO_RERUNS, type RecordedReruns, RerunsOnRecord } from "../../audit/recorded-reruns.ts";
import { type Discovery, discoverStore, type FoundStore, keptIn } from "../../config/discovery.ts";
import { DEFAULT_MAX_COMMANDS, type ResolvedConfiguration } from "../../config/options.ts";
import { type EffectiveSettings, effectiveSettings } from "../../config/pynenc-sources.ts";
import { DEFAULT_ORIGIN, type Environment } from "../../config/setting-sources.ts";
import { assertProgressing } from "../../config/settings-report.ts";
import { InvalidInputError, NotFoundError, StoreUnreachableError } from "../../errors.ts";
import { MuteFile, NO_MUTES } from "../../mutes/mute-file.ts";
import type { AppInfoRecord } from "../../pynenc/records.ts";
import type { RollupReads } from "../../rollups/reads.ts";
import { connectStore, type StoreAddress } from "../../stores/connect.ts";
import { MixedStore } from "../../stores/mixed-store.ts";
import type { AppStore, DiscoveredApp, Store } from "../../stores/ports/store.ts";
import { RabbitQueue } from "../../stores/rabbitmq/queue.ts";
import { QueueElsewhere } from "../../stores/rabbitmq/queue-elsewhere.ts";
import { rabbitAddress } from "./app-queue.ts";
import { appToOpen } from "./choose.ts";
import { type OpenedApp, openedApp } from "./opened-app.ts";

/** Source of an app's counts over time. */
export interface RollupSource {
  readonly reads: RollupReads;
  /** Starts reading before the first query. */
  start(): void;
  close(): Promise<void>;
}

/** An app of the store. */
export interface ShownApp {
  app_id: string;
  phantom: boolean;
  module: string | null;
  /** The one that answers are about unless another is asked for. */
  shown: boolean;
}

/** Opens the counts over time of an app; `maxCommands` as in ConnectOptions. */
export type OpenRollups = (
  app: AppStore,
  at: { address: StoreAddress; maxCommands: number | null; now: () => number },
) => RollupSource;

/** How apps of the workspace are doing. */
export type LookAtApps = (workspace: Workspace, apps: readonly ShownApp[]) => Promise<AppRow[]>;

export interface WorkspaceOptions {
  configuration: ResolvedConfiguration;
  env: Environment;
  cwd: string;
  /** Worker threads for reads. */
  threads: number;
  /** No counts over time if absent. */
  rollups?: OpenRollups;
  /** To choose one of several apps. If absent, the first by name is shown. */
  look?: LookAtApps;
  /** Seconds since the epoch; used unless `--now` fixes the present. */
  clock: () => number;
  /** As in `OpenedApp`; null by default. */
  writes_at?: number | null;
}

/** Apps that are searched for an id which an app does not have, or looked at to choose one. */
const OTHERS = 20;

/** Milliseconds to wait for a check of the store: a healthy one needs a few. Where the last check has just ended, its result is as good as another. */
const CHECK_MS = { usually: 1_000, recent: 20 };

/** Milliseconds for which a check is recent. */
const RECENT_MS = 5_000;

/**
 * Of a server, milliseconds until a check is repeated, because frequent ones would cost more than the pages, and until one is waited for: its answer comes
 * after those of the pages. A file is checked each time.
 */
const SERVER_CHECK_MS = { repeat: 250, wait: 1_000 };

export class Workspace {
  readonly store: Store;
  /** How the store was found. */
  readonly discovery: Discovery;
  /** The present is fixed (`--now`). */
  readonly clockFixed: boolean;
  /** There are figures over time. */
  readonly figures: boolean;
  readonly now: () => number;
  readonly #options: WorkspaceOptions;
  readonly #opened = new Map<string, OpenedApp>();
  readonly #glanced = new Map<string, OpenedApp>();
  /** Opens queues outside of the store. */
  readonly #queues: RabbitQueue[] = [];
  readonly #rollups: RollupSource[] = [];
  /** Of all apps, so that the record is read once. */
  readonly #reruns: RecordedReruns;
  /** Chosen by flag, environment or click, so it must exist. */
  #active: string | null;
  /** The app that was active before the first click. */
  #startApp: string | null = null;
  /** The app that is used if nothing else decides (choose.ts), and how it was doing when it was chosen. */
  #first: AppRow | null = null;
  /** The current choice, shared by all callers. */
  #choosing: Promise<AppRow | null> | null = null;
  /** How many apps the last list of them had. Every page lists them, so an answer does not wait for another list. */
  #listed: number | null = null;
  #checking: Promise<LastLook> | null = null;
  /** The current check, shared by all callers. */
  #answer: Promise<LastLook> | null = null;
  /** Null until the first check has ended. */
  #lastCheck: { look: LastLook; at: number } | null = null;
  /** `app_id` of pynenc's own configuration: used only if this store has it, because `--db` may open another app's store. */
  readonly #configured: string | null;

  /**
   * Finds the store from the configuration and the folder, and opens it.
   *
   * @throws StoreUnreachableError when no store is found; InvalidInputError for a bad option.
   */
  static async connect(options: WorkspaceOptions): Promise<Workspace> {
    const { configuration, cwd, threads } = options;
    const discovery = discoverStore({ options: configuration.options, settings: configuration.settings, cwd });
    const { lockWait, readOnly, maxCommands } = configuration.options;
    const connect = (found: FoundStore) =>
      connectStore(addressOf(found), {
        ...{ threads, lockWait: lockWait.value, readOnly: readOnly.value },
        maxCommands: maxCommands.origin === DEFAULT_ORIGIN ? DEFAULT_MAX_COMMANDS[found.kind] : maxCommands.value,
      });
    const { beside = [] } = discovery;
    const others = beside.map(async ({ found, keeps }) => ({ keeps, store: await connect(found) }));
    const [store, ...parts] = [await connect(discovery), ...(await Promise.all(others))] as const;
    const keeps = keptIn(discovery.kind, configuration.settings);
    const opened = parts.length === 0 ? store : new MixedStore([{ store, keeps }, ...parts]);
    return new Workspace(options, discovery, opened);
  }

  private constructor(options: WorkspaceOptions, discovery: Discovery, store: Store) {
    const { configuration } = options;
    this.discovery = discovery;
    this.store = store;
    this.#options = options;
    const { value, origin } = configuration.options.app;
    const chosen = origin === "--app" || origin === "PYNENC_MONITOR_APP";
    this.#active = chosen ? value : null;
    this.#configured = chosen ? null : value;
    const { stateDir } = configuration.options;
    this.#reruns = stateDir.value === null ? NO_RERUNS : new RerunsOnRecord(new AuditFile(stateDir.value));
    const fixed = configuration.options.now.value;
    this.clockFixed = fixed !== null;
    this.figures = options.rollups !== undefined;
    this.now = fixed === null ? options.clock : () => fixed;
  }

  /** Real apps first, by id; then phantoms. @param partial as in `Store.apps`. */
  async apps(partial = false): Promise<ShownApp[]> {
    const registered = await this.store.apps(partial);
    const shown = await this.#shownId(registered);
    const entries = registered.map(({ app_id, phantom, info }) => ({
      app_id,
      phantom,
      module: info?.module ?? null,
      shown: app_id === shown,
    }));
    // An app whose registration was purged is not in the registry, but can still be opened by name.
    if (shown !== null && !entries.some((entry) => entry.shown))
      entries.unshift({ app_id: shown, phantom: false, module: null, shown: true });
    this.#listed = entries.length;
    return entries;
  }

  /**
   * Checks the store. If the store hangs, it returns the result of the previous check instead of waiting; only the first check is always waited for,
   * because a server opens its store before it listens. Callers in the same turn of the event loop share one check, and callers of a server the
   * last one, as long as `SERVER_CHECK_MS` says.
   */
  lastCheck(): Promise<LastLook> {
    if (this.#answer !== null) return this.#answer;
    const answer = this.#answered();
    this.#answer = answer;
    const forget = () => {
      if (this.#answer === answer) this.#answer = null;
    };
    answer.finally(() => setImmediate(forget));
    return answer;
  }

  async #answered(): Promise<LastLook> {
    const known = this.#lastCheck;
    const isServer = this.discovery.kind !== "sqlite";
    const age = known === null ? Number.POSITIVE_INFINITY : performance.now() - known.at;
    if (isServer && known !== null && age < SERVER_CHECK_MS.repeat) return known.look;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    if (known === null) return this.#checking;
    if (isServer && age < SERVER_CHECK_MS.wait) return known.look;
    const patience = age < RECENT_MS ? CHECK_MS.recent : CHECK_MS.usually;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<LastLook>((resolve) => {
      timer = setTimeout(() => resolve(known.look), patience);
    });
    try {
      return await Promise.race([this.#checking, enough]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #check(): Promise<LastLook> {
    const look = await this.apps(true).then(
      (apps): LastLook => ({ app: apps.find((app) => app.shown)?.app_id ?? null, store: "ok" }),
      (): LastLook => ({ app: null, store: "unreachable" }),
    );
    this.#lastCheck = { look, at: performance.now() };
    return look;
  }

  /**
   * The shown app, or the one named.
   *
   * @throws NotFoundError when the store has no such app; StoreUnreachableError when it has none at all.
   */
  async open(appId: string | null = null): Promise<OpenedApp> {
    const named = appId ?? this.#active;
    const wanted = named ?? this.#configured;
    const known = this.#opened.get(wanted ?? "");
    if (known !== undefined) return known;
    // Listing the apps of a large server takes seconds, so a named app that is registered is opened without the list.
    const described = wanted === null ? null : await this.#describedAs(wanted);
    // A purge of the state backend removes the description.
    if (wanted !== null && (described !== null || (await this.#hasData(wanted)))) {
      return this.#openAs(wanted, described);
    }
    const registered = await this.store.apps(named === null);
    const id = named ?? (await this.#shownId(registered));
    if (id === null) throw notPynenc(this.store);
    const entry = registered.find((app) => app.app_id === id);
    if (entry === undefined) {
      const ids = registered.map((app) => app.app_id);
      if (ids.length === 0 && appId === null) throw notPynenc(this.store);
      throw new NotFoundError(
        "app",
        id,
        ids.length === 0 ? "The store registers no app." : `Apps here: ${ids.join(", ")}`,
      );
    }
    return this.#openAs(id, entry.info);
  }

  #openAs(id: string, appInfo: AppInfoRecord | null): OpenedApp {
    // Two requests may open it at the same time.
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const settings = this.#settingsOf(appInfo);
    assertProgressing(settings);
    const opened = this.#withSettings(id, settings);
    this.#opened.set(id, opened);
    return opened;
  }

  /**
   * An app for a look at many: without figures over time, for each of which a thread reads, unless it is open.
   *
   * @throws InvalidInputError for settings that `open` would refuse.
   */
  glanced(id: string, appInfo: AppInfoRecord | null): OpenedApp {
    const known = this.#opened.get(id) ?? this.#glanced.get(id);
    if (known !== undefined) return known;
    const settings = this.#settingsOf(appInfo);
    assertProgressing(settings);
    const app = this.#withSettings(id, settings, false);
    this.#glanced.set(id, app);
    return app;
  }

  /** An app of the store, also if `open` would refuse its settings. */
  unchecked(id: string, appInfo: AppInfoRecord | null): OpenedApp {
    return this.#opened.get(id) ?? this.#withSettings(id, this.#settingsOf(appInfo));
  }

  #settingsOf(appInfo: AppInfoRecord | null): EffectiveSettings {
    const { configuration, cwd, env } = this.#options;
    const { store, beside } = configuration.settings;
    return effectiveSettings({ cwd, env, configFile: configuration.configFile, appInfo, store, beside });
  }

  /** The settings also locate its queue if that is outside of the store. */
  #withSettings(appId: string, settings: EffectiveSettings, counted = true): OpenedApp {
    const store = this.store.app(appId);
    const address = rabbitAddress(settings);
    const rollups = counted ? this.#rollupsOf(store) : null;
    const { stateDir } = this.#options.configuration.options;
    const mutes = stateDir.value === null ? NO_MUTES : new MuteFile(stateDir.value);
    const others = async () => {
      const registered = await this.store.apps(true);
      const real = registered.filter(({ app_id, phantom }) => app_id !== appId && !phantom);
      return real.slice(0, OTHERS).map(({ app_id }) => this.store.app(app_id));
    };
    const addressedAs = async () => {
      if (this.#listed === null) await this.apps(true);
      return Number(this.#listed) > 1 ? appId : null;
    };
    const { threads, writes_at = null } = this.#options;
    const options = { serving: threads > 0, writes_at, rollups, mutes, reruns: this.#reruns, others, addressedAs };
    if (address === null) return openedApp(store, settings, this.now, options);
    const queue = new RabbitQueue(address);
    this.#queues.push(queue);
    return openedApp(new QueueElsewhere(store, queue), settings, this.now, options);
  }

  /** Starts counting over time for the open apps. */
  startRollups(): void {
    for (const source of this.#rollups) source.start();
  }

  #rollupsOf(store: AppStore): RollupReads | null {
    const { rollups, configuration } = this.#options;
    if (rollups === undefined) return null;
    const maxCommands = configuration.options.maxCommands.value;
    // All that is counted is in the store of the state backend.
    const source = rollups(store, { address: addressOf(this.discovery), maxCommands, now: this.now });
    this.#rollups.push(source);
    return source.reads;
  }

  /**
   * Opens the app that a command changes: the named one, or the only one.
   *
   * @throws InvalidInputError listing the apps when there are several and none was chosen.
   */
  async openOnly(): Promise<OpenedApp> {
    const ids = await this.#choices();
    if (ids.length === 0) return this.open();
    throw new InvalidInputError(
      [{ parameter: "--app", value: "", accepted: `one of ${ids.join(", ")}` }],
      `For example: --app ${JSON.stringify(ids[0])}`,
      `This store holds ${ids.length} apps: ${ids.join(", ")}. Choose one.`,
    );
  }

  /**
   * Opens the app that a command shows, chosen as a server does. `among`: ids of all of several apps none of which was named, otherwise none; `chosen`:
   * how the app was doing when it was chosen among them.
   */
  async openShown(): Promise<{ app: OpenedApp; among: string[]; chosen: AppRow | null }> {
    const among = await this.#choices();
    return { app: await this.open(), among, chosen: among.length === 0 ? null : this.#first };
  }

  /** The ids of several apps none of which was chosen; otherwise none. */
  async #choices(): Promise<string[]> {
    // Whether the app of pynenc's own configuration is here is known without the list, which takes long on a large server.
    const configured = this.#configured;
    if (this.#active !== null) return [];
    if (configured !== null && ((await this.#describedAs(configured)) !== null || (await this.#hasData(configured))))
      return [];
    const registered = await this.store.apps();
    if (registered.some((app) => app.app_id === configured)) return [];
    const ids = registered.filter((app) => !app.phantom).map((app) => app.app_id);
    return ids.length > 1 ? ids : [];
  }

  /** The app that was active at the start, because external monitoring must not change with a click. @throws as `open` */
  openFirst(): Promise<OpenedApp> {
    return this.open(this.#startApp);
  }

  /** Makes an app the default for requests without `?app=`. @throws NotFoundError */
  async activate(appId: string): Promise<void> {
    const before = this.#startApp ?? (await this.open()).app_id;
    await this.open(appId);
    this.#startApp = before;
    this.#active = appId;
    // Earlier results are about another app.
    this.#lastCheck = null;
    this.#checking = null;
    this.#answer = null;
  }

  async close(): Promise<void> {
    for (const app of [...this.#opened.values(), ...this.#glanced.values()]) app.close();
    await Promise.all([...this.#rollups, this.store, ...this.#queues].map((opened) => opened.close()));
  }

  async #shownId(registered: readonly DiscoveredApp[]): Promise<string | null> {
    if (this.#active !== null) return this.#active;
    const has = (id: string | null) => registered.some((app) => app.app_id === id);
    if (has(this.#configured) || this.#opened.has(this.#configured ?? "")) return this.#configured;
    // Neither apps found later nor their problems replace it.
    if (!has(this.#first?.app_id ?? null)) {
      this.#choosing ??= this.#chosenOf(registered).finally(() => {
        this.#choosing = null;
      });
      this.#first = await this.#choosing;
    }
    return this.#first?.app_id ?? null;
  }

  async #chosenOf(registered: readonly DiscoveredApp[]): Promise<AppRow | null> {
    const all = registered.map(({ app_id, phantom, info }) => {
      return { app_id, phantom, module: info?.module ?? null, shown: false, figures: null, trouble: null };
    });
    const real = all.filter(({ phantom }) => !phantom).slice(0, OTHERS);
    const { look } = this.#options;
    if (real.length < 2 || look === undefined) return all[0] ?? null;
    return appToOpen(await look(this, real)) ?? null;
  }

  #describedAs(appId: string): Promise<AppInfoRecord | null> {
    return this.store.app(appId).read((reads) => reads.state_backend.appInfo());
  }

  async #hasData(appId: string): Promise<boolean> {
    const { components } = await this.store.app(appId).read((reads) => reads.layout.capabilities());
    return Object.values(components).some(Boolean);
  }
}

function addressOf(found: FoundStore): StoreAddress {
  if (found.kind !== "sqlite") return found;
  const files = [...(found.components ?? [])].map(([component, file]) => [component, file.path] as const);
  return { kind: "sqlite", path: found.db.path, components: new Map(files) };
}

function notPynenc({ kind, location }: Store): StoreUnreachableError {
  const named = "If a purge of the state backend removed the registration, name the app: --app <app id>.";
  const elsewhere = "The database is mongo_db of pynenc's settings, not one that a URL names: PYNENC__MONGO_DB=<name>.";
  return new StoreUnreachableError(
    "not-pynenc",
    `${location} holds no pynenc app.`,
    kind === "mongodb" ? `${named} ${elsewhere}` : named,
  );
}
