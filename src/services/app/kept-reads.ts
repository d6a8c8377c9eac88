/**
 * Answers of ports that are kept while the store is unchanged. Verdicts are evaluated for each answer, because a runner falls silent without a change of
 * the store; the rows that they are judged from are read once. What depends on the clock is asked for in a way that does not (kept-rows.ts).
 */
import { AbandonedError } from "../../errors.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { messagesOnce, rowsOnce, ShortLists } from "./kept-rows.ts";
import { type KnownRows, rowsById } from "./rows-by-id.ts";

type Methods = { readonly [Port in keyof AppReads]?: readonly (keyof AppReads[Port])[] };

/** What verdicts read: rows of bounded number and size. Values, arguments and other contents that a page shows are not kept. */
const KEPT = {
  orchestrator: [
    "listInvocations",
    "countInvocations",
    "heartbeats",
    "countHeartbeats",
    "consumers",
    "pendingSince",
    "ownedByDeadRunner",
    "executions",
  ],
  state_backend: ["historyOf", "historyBetween", "historyWithin", "lastEntriesBefore", "listActive", "childrenOf"],
  trigger: ["conditionsByIds"],
  layout: ["report", "capabilities"],
} as const satisfies Methods;

/** The same, kept beyond a snapshot only of an isolated store: a server finds them by a walk over its keys, and finds more without a change. */
const SEARCHED = {
  broker: ["layout", "countMessages", "queues", "peekMessages", "messagesOf"],
  orchestrator: ["blockingEdges"],
  state_backend: ["countRunnerContexts"],
  trigger: ["countDefinitions", "countValidConditions", "triggers", "listValidConditions"],
} as const satisfies Methods;

/** Reads for several ids whose rows are kept one by one, by this id. */
const BY_ID = {
  orchestrator: { statusesByIds: "invocation_id", heartbeatsByIds: "runner_id" },
  state_backend: { historySpanOf: "invocation_id", tasksOf: "invocation_id", runnerContexts: "runner_id" },
} as const satisfies { [Port in keyof AppReads]?: { [Method in keyof AppReads[Port]]?: string } };

/** Definitions are kept with their arguments during a snapshot if no more than this number are requested. */
const FEW = 50;

/** How the rows of an answer are known by their ids; null if they are not. */
function rowsAskedFor(
  port: string,
  method: string,
  [ids, ...others]: readonly unknown[],
): { idName: string; kept: boolean } | null {
  if (method !== "invocationsByIds") {
    const methods: Readonly<Record<string, string>> = BY_ID[port as keyof typeof BY_ID] ?? {};
    const idName = Object.hasOwn(methods, method) ? methods[method] : undefined;
    return idName === undefined ? null : { idName, kept: true };
  }
  // Definitions without their arguments are small, and so are a few with them.
  const kept = others[0] === 0;
  return kept || (ids as readonly string[]).length <= FEW ? { idName: "invocation_id", kept } : null;
}

function isIn(methods: Methods, port: string, method: string): boolean {
  return (methods[port as keyof AppReads] as readonly string[] | undefined)?.includes(method) === true;
}

/** Whether answers are kept beyond a snapshot, or at least in it. */
function lifeOf(port: string, method: string, isolated: boolean): "state" | "snapshot" | null {
  if (isIn(KEPT, port, method)) return "state";
  if (!isIn(SEARCHED, port, method)) return null;
  return isolated ? "state" : "snapshot";
}

/** Rows of one answer, and of all answers, that are kept. About 10 MB. */
const MOST_ROWS_EACH = 2_500;
const MOST_ROWS = 25_000;

/** Characters of arguments that count as a row. */
const CHARACTERS_OF_ROW = 200;

/** Answers by call. When there are too many, the oldest are dropped. */
class Answers<Answer> {
  readonly #byCall = new Map<string, { answer: Answer; rows: number }>();
  #rows = 0;

  get(call: string): { answer: Answer } | undefined {
    return this.#byCall.get(call);
  }

  set(call: string, answer: Answer, rows: number): void {
    this.#rows += rows - (this.#byCall.get(call)?.rows ?? 0);
    this.#byCall.set(call, { answer, rows });
    for (const [oldest, one] of this.#byCall) {
      if (this.#rows <= MOST_ROWS) break;
      this.#byCall.delete(oldest);
      this.#rows -= one.rows;
    }
  }
}

/** How many rows an answer counts as, with the arguments of its call. */
function rowsOf(call: string, answer: unknown): number {
  return 1 + (Array.isArray(answer) ? answer.length : 0) + Math.floor(call.length / CHARACTERS_OF_ROW);
}

type Row = Record<string, unknown>;

/** What is known of one state of the store. */
interface State {
  token: string | null;
  answers: Answers<unknown>;
  /** By call and id. */
  rows: Map<string, KnownRows<Row>>;
}

function rowsIn(rows: Map<string, KnownRows<Row>>, key: string): KnownRows<Row> {
  const known = rows.get(key) ?? new Map<string, Row | null>();
  rows.set(key, known);
  return known;
}

/** The kept answers of one app. */
export class KeptReads {
  readonly #isolated: boolean;
  readonly #lists = new ShortLists();
  #newest: State | null = null;

  /** @param isolated as of its store. */
  constructor(isolated: boolean) {
    this.#isolated = isolated;
  }

  /**
   * The reads of one snapshot. Each of the calls listed above is made at most once.
   *
   * @param tokenOf the version of the store that the snapshot sees; null if that is not known, so that nothing is kept beyond the snapshot.
   * @param hasEnded the snapshot: what is read later would be of another one, perhaps of another app.
   */
  over(reads: AppReads, tokenOf: () => Promise<string | null>, hasEnded: () => boolean): AppReads {
    let state: Promise<State> | null = null;
    const stateOf = () => {
      state ??= tokenOf().then((token) => this.#stateOf(token));
      return state;
    };
    const ofSnapshot = new Answers<Promise<unknown>>();
    const once = (key: string, kept: boolean, call: () => Promise<unknown>): Promise<unknown> => {
      const earlier = ofSnapshot.get(key);
      if (earlier !== undefined) return earlier.answer;
      // Another client gets only what is there: this one may go away before its read ends.
      const answer = kept ? stateOf().then((known) => keptIn(known, key, call)) : call().then(shared);
      ofSnapshot.set(key, answer, 1);
      const weigh = (read: unknown) => ofSnapshot.set(key, answer, rowsOf(key, read));
      // Errors are for the callers.
      answer.then(weigh, () => undefined);
      return answer;
    };
    const rowsOfSnapshot = new Map<string, KnownRows<Row>>();
    const tables = new Map<string, (ids: readonly string[]) => Promise<Row[]>>();
    const table = (
      key: string,
      { idName, kept }: { idName: string; kept: boolean },
      read: (ids: unknown) => unknown,
    ) => {
      const known = async () => rowsIn(kept ? (await stateOf()).rows : rowsOfSnapshot, key);
      const rows =
        tables.get(key) ??
        rowsById<Row>(
          async (ids) => (await read(ids)) as Row[],
          (row) => String(row[idName]),
          known,
        );
      tables.set(key, rows);
      return rows;
    };
    const portsOnce = Object.entries(reads).map(([port, target]) => [
      port,
      new Proxy(target as object, {
        get: (_, method) => {
          const name = String(method);
          const call = async (...args: unknown[]) => {
            if (hasEnded()) throw new AbandonedError();
            return Reflect.apply(Reflect.get(target as object, method) as () => unknown, target, args) as unknown;
          };
          return (...args: unknown[]) => {
            const [ids, ...others] = args;
            const rows = rowsAskedFor(port, name, args);
            if (rows !== null) {
              return table(keyOf(port, name, others), rows, (some) => call(some, ...others))(ids as readonly string[]);
            }
            const life = lifeOf(port, name, this.#isolated);
            return life === null ? call(...args) : once(keyOf(port, name, args), life === "state", () => call(...args));
          };
        },
      }),
    ]);
    const over = Object.fromEntries(portsOnce) as AppReads;
    const statuses = async () =>
      rowsIn(
        (await stateOf()).rows,
        keyOf("orchestrator", "statusesByIds", []),
      ) as unknown as KnownRows<InvocationStatusRecord>;
    return {
      ...over,
      broker: this.#isolated ? messagesOnce(over.broker) : over.broker,
      orchestrator: rowsOnce(over.orchestrator, statuses, this.#isolated ? this.#lists : null),
    };
  }

  /** After an action. */
  forget(): void {
    this.#newest = null;
  }

  #stateOf(token: string | null): State {
    if (token !== null && this.#newest?.token === token) return this.#newest;
    const state: State = { token, answers: new Answers(), rows: new Map() };
    if (token !== null) this.#newest = state;
    return state;
  }
}

/** An argument that is left out is not another call. */
function keyOf(port: string, method: string, args: readonly unknown[]): string {
  const given = args.slice(0, args.findLastIndex((arg) => arg !== undefined) + 1);
  return `${port} ${method} ${JSON.stringify(given)}`;
}

async function keptIn(state: State, key: string, call: () => Promise<unknown>): Promise<unknown> {
  const earlier = state.answers.get(key);
  if (earlier !== undefined) return earlier.answer;
  const answer = shared(await call());
  const rows = rowsOf(key, answer);
  // Null is said while something is still being searched.
  if (rows <= MOST_ROWS_EACH && answer !== null) state.answers.set(key, answer, rows);
  return answer;
}

/** Several callers get the same rows, so none may sort or change them. */
function shared(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}
