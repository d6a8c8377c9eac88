/** An app whose components are in several stores: each is read from the store that keeps it. */
import { RefusedError } from "../errors.ts";
import type { IdKind } from "../pynenc/id-kinds.ts";
import type { Actions } from "./ports/actions.ts";
import { COMPONENTS, type ComponentName } from "./ports/common.ts";
import type { ForgottenReads } from "./ports/forgotten.ts";
import type { IdReads } from "./ports/ids.ts";
import type { Capabilities, LayoutReads } from "./ports/layout.ts";
import type { AppReads, AppStore, DiscoveredApp, ServerLoad, Store } from "./ports/store.ts";

/** `Store.kind` of several stores together. */
export const MIXED = "mixed";

/** One of the stores and the components that it keeps. */
export interface StorePart<S = Store> {
  store: S;
  keeps: readonly ComponentName[];
}

/** The ports of a part during one read. */
type PartReads = StorePart<AppStore> & { reads: AppReads };

/** The components with ids of a kind. */
const KEPT_BY: Readonly<Record<IdKind, readonly ComponentName[]>> = {
  invocation: ["orchestrator", "state_backend"],
  workflow: ["state_backend"],
  event: ["trigger"],
  trigger_run: ["trigger"],
  trigger: ["trigger"],
  condition: ["trigger"],
  valid_condition: ["trigger"],
  runner: ["orchestrator", "state_backend"],
  atomic_service_run: ["orchestrator"],
  call: ["orchestrator"],
  client_data: ["client_data_store"],
};

/** Several stores as one. The state backend's registers the apps. */
export class MixedStore implements Store {
  readonly kind = MIXED;
  readonly #parts: readonly StorePart[];

  constructor(parts: readonly StorePart[]) {
    this.#parts = parts;
  }

  get location(): string {
    return locationOf(this.#parts);
  }

  /** Also reads from the other stores, so that an app does not seem well while one of them cannot be reached. */
  async apps(partial?: boolean): Promise<DiscoveredApp[]> {
    const registry = this.#registry();
    const others = this.#parts.filter(({ store }) => store !== registry).map(({ store }) => store.app(""));
    const [apps] = await Promise.all([
      registry.apps(partial),
      ...others.map((app) => app.read(({ ids }) => ids.known([{ kind: "invocation", id: "-" }]))),
    ]);
    return apps;
  }

  version(): Promise<string> {
    return this.#registry().version();
  }

  app(appId: string): AppStore {
    return new MixedAppStore(
      appId,
      this.#parts.map(({ store, keeps }) => ({ store: store.app(appId), keeps })),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ store }) => store.close()));
  }

  #registry(): Store {
    return keeperOf("state_backend", this.#parts).store;
  }
}

class MixedAppStore implements AppStore {
  readonly kind = MIXED;
  /** The stores are read at different moments. */
  readonly isolated = false;
  readonly app_id: string;
  readonly actions: Actions;
  readonly #parts: readonly StorePart<AppStore>[];

  constructor(appId: string, parts: readonly StorePart<AppStore>[]) {
    this.app_id = appId;
    this.#parts = parts;
    this.actions = actionsIn(parts, ({ store }) => store.actions);
  }

  get location(): string {
    return locationOf(this.#parts);
  }

  get gaps(): readonly string[] {
    return this.#parts.flatMap(({ store }) => store.gaps);
  }

  get loads(): readonly ServerLoad[] {
    return this.#parts.flatMap(({ store }) => store.loads);
  }

  get readOnly(): boolean {
    return this.#parts.some(({ store }) => store.readOnly);
  }

  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    // In the same order by everyone, so that no read waits for a store that is held by one which waits for its own.
    const within = (opened: readonly PartReads[]): Promise<T> => {
      const part = this.#parts[opened.length];
      if (part === undefined) return fn(readsOf(opened));
      return part.store.read((reads) => within([...opened, { ...part, reads }]), signal);
    };
    return within([]);
  }

  async version(): Promise<string> {
    const tokens = await Promise.all(this.#parts.map(({ store }) => store.version()));
    const dots = tokens.map((token) => token.lastIndexOf("."));
    // A place is only known if every store tells its own.
    if (dots.includes(-1)) return tokens.join("-").replaceAll(".", "_");
    const part = (from: (dot: number) => [number, number?]) =>
      tokens.map((token, i) => token.slice(...from(dots[i] ?? 0))).join("-");
    return `${part((dot) => [0, dot])}.${part((dot) => [dot + 1])}`;
  }
}

function locationOf(parts: readonly { store: { location: string } }[]): string {
  return parts.map(({ store }) => store.location).join(", ");
}

function keeperOf<Part extends { keeps: readonly ComponentName[] }>(
  component: ComponentName,
  parts: readonly Part[],
): Part {
  const keeper = parts.find(({ keeps }) => keeps.includes(component));
  if (keeper === undefined) throw new Error(`no store keeps the ${component}`);
  return keeper;
}

function readsOf(parts: readonly PartReads[]): AppReads {
  const of = (component: ComponentName) => keeperOf(component, parts).reads;
  return {
    broker: of("broker").broker,
    orchestrator: of("orchestrator").orchestrator,
    state_backend: of("state_backend").state_backend,
    client_data_store: of("client_data_store").client_data_store,
    trigger: of("trigger").trigger,
    forgotten: forgottenIn(of("state_backend"), of("orchestrator")),
    ids: idsIn(parts),
    layout: layoutIn(parts),
    preview: actionsIn(parts, ({ reads }) => reads.preview),
  };
}

/** Definitions are walked over in one store, and statuses looked up in the other. */
function forgottenIn(state: AppReads, { orchestrator }: AppReads): ForgottenReads {
  if (state.orchestrator === orchestrator) return state.forgotten;
  const { state_backend, forgotten } = state;
  return {
    async scan(scanLimit, after) {
      const step = await state_backend.scanDefined({}, scanLimit, scanLimit, after);
      const ids = step.rows.map(({ invocation_id }) => invocation_id);
      const kept = new Set((await orchestrator.statusesByIds(ids)).map(({ invocation_id }) => invocation_id));
      const others = ids.filter((id) => !kept.has(id));
      const last = ids.at(-1) ?? null;
      const [definitions, spans, orders] = await Promise.all([
        state_backend.invocationsByIds(others, 0),
        state_backend.historySpanOf(others),
        forgotten.orderOf([...others, ...(last === null ? [] : [last])]),
      ]);
      const lastStatus = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
      return {
        rows: definitions.map(({ invocation_id, task_id_key, call_id_key }) => ({
          ...{ invocation_id, task_id_key, call_id_key },
          last_status: lastStatus.get(invocation_id) ?? null,
          order: orders[invocation_id] ?? 0,
        })),
        scanned: step.scanned,
        next: step.exhausted ? null : step.last_cursor,
        reached: last === null ? Number.NEGATIVE_INFINITY : (orders[last] ?? Number.POSITIVE_INFINITY),
        last,
      };
    },
    orderOf: (invocationIds) => forgotten.orderOf(invocationIds),
  };
}

/** Asks each store for the ids of the components that it keeps. */
function idsIn(parts: readonly PartReads[]): IdReads {
  const askEach = <Asked extends { kind: IdKind }, Answer>(
    asked: readonly Asked[],
    ask: (ids: IdReads, some: Asked[]) => Promise<Answer[]>,
  ) =>
    Promise.all(
      parts.map(async ({ reads, keeps }) => {
        const some = asked.filter(({ kind }) => KEPT_BY[kind].some((component) => keeps.includes(component)));
        const answers = some.length === 0 ? [] : await ask(reads.ids, some);
        return { some, answers };
      }),
    );
  return {
    async known(ids) {
      const found = await askEach(ids, (port, some) => port.known(some));
      const known = new Set(found.flatMap(({ answers }) => answers.map(({ kind, id }) => `${kind} ${id}`)));
      return ids.filter(({ kind, id }) => known.has(`${kind} ${id}`)).map(({ kind, id }) => ({ kind, id }));
    },

    async matching(wanted, limit) {
      const found = await askEach(wanted, (port, some) => port.matching(some, limit));
      return wanted.map((part) => {
        const lists = found.flatMap(({ some, answers }) => answers[some.indexOf(part)] ?? []);
        const ids = [...new Set(lists.flatMap((one) => one.ids))].sort((a, b) =>
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        );
        return { ids: ids.slice(0, limit), complete: ids.length <= limit && lists.every(({ complete }) => complete) };
      });
    },

    async runnersLike(wanted, where, limit) {
      const keepers = new Set(KEPT_BY.runner.map((component) => keeperOf(component, parts).reads.ids));
      return (await Promise.all([...keepers].map((ids) => ids.runnersLike(wanted, where, limit)))).flat();
    },
  };
}

function layoutIn(parts: readonly PartReads[]): LayoutReads {
  async function capabilities(): Promise<Capabilities> {
    const found = new Map<PartReads, Capabilities>();
    await Promise.all(parts.map(async (part) => found.set(part, await part.reads.layout.capabilities())));
    const of = (component: ComponentName) => found.get(keeperOf(component, parts)) as Capabilities;
    const { state_backend } = of("state_backend").components;
    // In Redis, a component without data has no keys, and the app may be registered elsewhere.
    const isThere = (one: ComponentName) =>
      of(one).components[one] || (state_backend && keeperOf(one, parts).store.kind === "redis");
    const all = [...found.values()];
    return {
      events: of("trigger").events,
      executions: of("orchestrator").executions,
      components: Object.fromEntries(COMPONENTS.map((one) => [one, isThere(one)])) as Capabilities["components"],
      queue_peek: of("broker").queue_peek,
      consumed_queues: of("orchestrator").consumed_queues,
      queue_shared: of("broker").queue_shared,
      purge_is_atomic: all.every(({ purge_is_atomic }) => purge_is_atomic),
      writes_refused: all.find(({ writes_refused }) => writes_refused !== null)?.writes_refused ?? null,
    };
  }

  return {
    capabilities,

    async report() {
      const [reports, { events, executions, consumed_queues, components }, { named }] = await Promise.all([
        Promise.all(parts.map(({ reads }) => reads.layout.report())),
        capabilities(),
        keeperOf("broker", parts).reads.broker.layout(),
      ]);
      const places = parts.map(({ store, keeps }) => `${keeps.join(", ")} in ${store.kind} at ${store.location}`);
      const newer = events || executions ? "0.2.4 or newer" : "0.2.0 or newer";
      const label = named || consumed_queues ? "0.4.0 or newer" : newer;
      return {
        // A store that has only some components shows less than all of them do.
        label: components.orchestrator && components.state_backend ? label : "incomplete",
        evidence: [...new Set([...places, ...reports.flatMap(({ evidence }) => evidence)])],
        trigger_schema: reports.find(({ trigger_schema }) => trigger_schema !== null)?.trigger_schema ?? null,
        unknown_tables: reports.flatMap(({ unknown_tables }) => unknown_tables),
        gaps: reports.flatMap(({ gaps }) => gaps),
      };
    },

    async figures() {
      const each = parts.map(async ({ reads, keeps }) =>
        (await reads.layout.figures()).filter(({ component }) => keeps.includes(component)),
      );
      return (await Promise.all(each)).flat();
    },

    async files() {
      const each = parts.map(async ({ reads, keeps }) =>
        (await reads.layout.files())
          .map((file) => ({ ...file, components: file.components.filter((one) => keeps.includes(one)) }))
          .filter(({ components }) => components.length > 0),
      );
      return (await Promise.all(each)).flat();
    },
  };
}

/** No step in one store can be undone when one in another fails, so an action is left to the only store that it changes or decides by. */
function actionsIn<Part extends StorePart<AppStore>>(
  parts: readonly Part[],
  actionsOf: (part: Part) => Actions,
): Actions {
  // Not a promise of the actions: those of a store in a thread answer to every name, also to `then`.
  const within = (components: readonly ComponentName[], what: string): Actions => {
    const [first = "state_backend", ...others] = components;
    const keeper = keeperOf(first, parts);
    const apart = others.find((component) => !keeper.keeps.includes(component));
    if (apart === undefined) return actionsOf(keeper);
    const words = [first, apart].map((component) => component.replaceAll("_", " "));
    throw new RefusedError(
      `Nothing was changed: ${what} needs the ${words.join(" and the ")} in one store, and this app keeps them in two.`,
      null,
      409,
    );
  };
  const registering: readonly ComponentName[] = ["state_backend", "orchestrator", "client_data_store"];
  const queueing: readonly ComponentName[] = ["broker", "orchestrator", "state_backend"];
  const withQueue = ({ enqueue = true }: { enqueue?: boolean }, components: readonly ComponentName[]) =>
    components.filter((component) => enqueue || component !== "broker");
  return {
    purge: async (components) => within(components, "this purge").purge(components),
    purgeQueue: async (queueName) => within(["broker"], "this purge").purgeQueue(queueName),
    autoPurgeOrchestrator: async (retention) =>
      within(["orchestrator", "state_backend", "broker", "trigger"], "an auto-purge").autoPurgeOrchestrator(retention),
    autoPurgeEvents: async (retention) => within(["trigger"], "an auto-purge").autoPurgeEvents(retention),
    rerun: async (ids, request) =>
      within(withQueue(request, [...registering, "broker"]), "a rerun").rerun(ids, request),
    requeue: async (ids, request) => within(withQueue(request, queueing), "a requeue").requeue(ids, request),
    sweepQueue: async () => within(queueing, "a search for messages without records").sweepQueue(),
  };
}
