/** Definitions of invocations: one JSON document each, and sets of the ids of a workflow or a parent (storage-format.md 9.2). */

import { parseInvocation } from "../../../pynenc/json-documents.ts";
import type { InvocationRecord } from "../../../pynenc/records.ts";
import type { Cursor, RowLimit, Slice } from "../../ports/common.ts";
import type { DefinitionFilter, DefinitionReads, ListedId, StoredOutcome } from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import { cutToBytes, PREVIEW_BYTES, TAIL_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import type { AppKeys } from "../keys/keys.ts";
import type { RedisReading } from "../keys/reading.ts";
import { recordedCalls } from "../orchestrator/status-records.ts";
import { textsOf } from "../server/db.ts";
import { boundedDocuments } from "../server/documents.ts";
import { membersOf, sizesOf } from "../server/sets.ts";
import { registeredEntries } from "./history-window.ts";
import {
  compare,
  indexReach,
  inOrder,
  listed,
  membersInOrder,
  positionOf,
  type Registered,
  type RegisteredSet,
  timeIndex,
  walkIndex,
} from "./registered.ts";

/** Minimum of definitions read per step of a walk. */
const STEP = 50;

/** Up to this many keys on the server, definitions are listed by a walk over all keys, which takes about 0.1 s. */
const COUNTED_KEYS = 200_000;

/** The sample that checks whether ids of the time index have definitions: this many runs of neighbours, each read by one command. */
const RUNS = 50;
const RUN = 20;

/** Most keys that the server had since the sample of an app was last complete. */
const wholeAt = new WeakMap<AppKeys, number>();

const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

/** Sets of children up to this size are read completely; in larger ones only the oldest are searched. */
const MAX_CHILDREN = 10_000;

export function definitionReads(reading: RedisReading): DefinitionReads {
  const { keys } = reading;
  const db = reading.db("state_backend");

  const defined = (rows: readonly Registered[]) =>
    db.existing(rows.map((row) => keys.key("state_backend", "invocation", row.invocation_id)));

  async function select(filter: DefinitionFilter, { limit, offset }: Slice, after?: Cursor): Promise<ListedId[]> {
    const rows: Registered[] = [];
    const step = Math.max(STEP, limit);
    // With a single condition, all members of its set match, so skipped ones need not be read.
    const singleCondition = Object.values(filter).filter((wanted) => wanted !== undefined).length < 2;
    let left = offset;
    for await (const candidates of candidatesOf(reading, filter, positionOf(after))) {
      for (const some of inChunks(candidates, step)) {
        if (singleCondition && left >= some.length) {
          left -= (await defined(some)).length;
          continue;
        }
        const definitions = await definitionsOf(
          reading,
          some.map((row) => row.invocation_id),
        );
        const matching = new Set(definitions.filter((d) => meets(d, filter)).map((d) => d.invocation_id));
        const met = some.filter((row) => matching.has(row.invocation_id));
        rows.push(...met.slice(left));
        left = Math.max(0, left - met.length);
        if (rows.length >= limit) return rows.slice(0, limit).map(listed);
      }
    }
    return rows.map(listed);
  }

  return {
    invocationsByIds: (invocationIds, argumentBytes) => definitionsOf(reading, invocationIds, argumentBytes),

    /**
     * Reads the call as recorded by the orchestrator: a short value, a thousand of them per command. Each definition would take one command and
     * consists mostly of arguments.
     */
    async tasksOf(invocationIds) {
      const ids = [...new Set(invocationIds)];
      const recorded = await recordedCalls(reading, ids);
      const unrecorded = ids.filter((_, i) => recorded[i] === null);
      const others = await definitionsOf(reading, unrecorded, 0);
      const defined = new Map(others.map(({ invocation_id, task_id_key }) => [invocation_id, task_id_key]));
      return ids.flatMap((invocation_id, i) => {
        const task_id_key = recorded[i]?.task_id_key ?? defined.get(invocation_id);
        return task_id_key === undefined ? [] : [{ invocation_id, task_id_key }];
      });
    },

    listDefined: (filter, slice) => select(filter, slice),

    /** Sets give the candidates, so hardly anything else is read and the limit is not needed. */
    async scanDefined(filter, limit, _scanLimit, after) {
      const rows = await select(filter, { limit, offset: 0 }, after);
      const last_cursor = rows.at(-1)?.cursor ?? after ?? null;
      return { rows, scanned: rows.length, exhausted: rows.length < limit, last_cursor };
    },

    async countDefined(parentId) {
      if (parentId !== undefined) {
        return db.number("SCARD", keys.key("state_backend", "parent_invocation_children", parentId));
      }
      // Counts exactly on a server of moderate size, or if the index is incomplete. Otherwise every registered invocation should still have its definition,
      // unless only the state backend was purged, which a sample shows.
      const index = timeIndex(reading);
      const [keysOnServer, count, { complete }] = await Promise.all([
        db.number("DBSIZE"),
        reading.db("orchestrator").number("ZCARD", index),
        indexReach(reading),
      ]);
      if (keysOnServer <= COUNTED_KEYS || !complete) {
        return (await reading.catalogue.names("definitions")).total;
      }
      // A purge takes away far more keys than an app writes meanwhile.
      if (keysOnServer >= (wholeAt.get(keys) ?? Number.POSITIVE_INFINITY)) {
        wholeAt.set(keys, keysOnServer);
        return count;
      }
      const ranks = Array.from({ length: RUNS }, (_, i) =>
        Math.floor(((i + spreadFraction(i)) * Math.max(0, count - RUN)) / RUNS),
      );
      const runs = await reading
        .db("orchestrator")
        .exchange(ranks.map((rank) => ["ZRANGE", index, String(rank), String(rank + RUN - 1)]));
      const ids = [...new Set(runs.flatMap(textsOf))];
      const met = await db.number("EXISTS", ...ids.map((id) => keys.key("state_backend", "invocation", id)));
      if (met === ids.length) wholeAt.set(keys, keysOnServer);
      return met === ids.length ? count : Math.round((count * met) / ids.length);
    },

    async childrenOf(parentIds, limit, kind = "invocation") {
      const family = (id: string) => keys.key("state_backend", `parent_${kind}_children`, id);
      const rows = await linkedTo(reading, parentIds, family, limit);
      return rows.map(([parent_id, invocation_id]) => ({ invocation_id, parent_id }));
    },

    async outcomesOf(kinds, invocationIds, bytes = VALUE_BYTES) {
      const ids = [...new Set(invocationIds)];
      const wanted = kinds.flatMap((kind) => ids.map((invocation_id) => ({ kind, invocation_id })));
      const values = await db.cutStrings(
        wanted.map(({ kind, invocation_id }) => keys.key("state_backend", kind, invocation_id)),
        bytes,
      );
      return wanted.flatMap((one, i): StoredOutcome[] => {
        const value = values[i] ?? null;
        if (value === null) return [];
        const { text: stored, ...mark } = value;
        return [{ ...one, stored, ...mark }];
      });
    },
  };
}

/** Maps each index to a fraction in 0..1, so that sampling positions do not align with patterns in the data. */
function spreadFraction(i: number): number {
  return (i * GOLDEN_RATIO) % 1;
}

/** Of a document larger than the limit for arguments, only both ends are read. */
export async function definitionsOf(
  reading: RedisReading,
  invocationIds: readonly string[],
  argumentBytes = PREVIEW_BYTES,
): Promise<InvocationRecord[]> {
  const db = reading.db("state_backend");
  const keyOf = (id: string) => reading.keys.key("state_backend", "invocation", id);
  const ids = [...new Set(invocationIds)];
  const documents = await boundedDocuments(db, ids.map(keyOf), argumentBytes + TAIL_BYTES, "serialized_arguments");
  return ids.flatMap((id, i) => {
    const document = documents[i] ?? null;
    const record = document === null ? null : parseInvocation(id, document.json);
    if (document === null || record === null) return [];
    if (document.left_out === null) return cutArguments(record, argumentBytes);
    const { beginning, size } = document.left_out;
    return cutArguments({ ...record, serialized_arguments: beginning, whole_size: size }, argumentBytes);
  });
}

function cutArguments(record: InvocationRecord, bytes: number): InvocationRecord[] {
  const size = Buffer.byteLength(record.serialized_arguments);
  if (size <= bytes) return [record];
  const serialized_arguments = cutToBytes(record.serialized_arguments, bytes);
  return [{ ...record, serialized_arguments, whole_size: record.whole_size ?? size }];
}

function meets(definition: InvocationRecord, filter: DefinitionFilter): boolean {
  return (["workflow_id", "workflow_type_key", "parent_invocation_id"] as const).every(
    (name) => filter[name] === undefined || definition[name] === filter[name],
  );
}

/** Ids that may match the filter, newest registration first, after a position. */
async function* candidatesOf(
  reading: RedisReading,
  filter: DefinitionFilter,
  after: Registered | null,
): AsyncGenerator<Registered[], void, undefined> {
  const sources = sourcesOf(reading, filter);
  if (sources.length === 0) {
    yield* everything(reading, after);
    return;
  }
  const sizes = (await Promise.all(sources.map(({ db, set }) => sizesOf(db, [set])))).flat();
  const smallest = sizes.indexOf(Math.min(...sizes));
  const [source, size] = [sources[smallest], sizes[smallest]];
  if (source === undefined || size === 0) return;
  yield* membersInOrder(reading, source, "newest", after);
}

function sourcesOf(reading: RedisReading, filter: DefinitionFilter): RegisteredSet[] {
  const { keys } = reading;
  const state = { db: reading.db("state_backend"), index: timeIndex(reading) };
  const sources: RegisteredSet[] = [];
  const { workflow_id, workflow_type_key, parent_invocation_id } = filter;
  if (workflow_id !== undefined) {
    sources.push({
      ...state,
      set: keys.key("state_backend", "workflow", "invocations", workflow_id),
      ancestor: workflow_id,
    });
  }
  if (workflow_type_key !== undefined) {
    sources.push({ ...state, set: keys.key("state_backend", "workflow", "type_invocations", workflow_type_key) });
  }
  if (parent_invocation_id !== undefined) {
    const set = keys.key("state_backend", "parent_invocation_children", parent_invocation_id);
    sources.push({ ...state, set, ancestor: parent_invocation_id });
  }
  return sources;
}

/**
 * Every id: first those in the time index, then those missing there because the orchestrator was purged since or a process was killed before it
 * finished the registration. On a server of moderate size the missing ones are found by key names; on a larger one, those older than the index are
 * found in the history.
 */
export async function* everything(
  reading: RedisReading,
  after: Registered | null,
): AsyncGenerator<Registered[], void, undefined> {
  yield* walkIndex(reading, timeIndex(reading), { order: "newest", after });
  if ((await reading.db("state_backend").number("DBSIZE")) <= COUNTED_KEYS) {
    const { names } = await reading.catalogue.names("definitions");
    const rows = await inOrder(reading, await withoutIndex(reading, names), "newest");
    const passed = after?.at === null ? rows.findIndex((row) => row.invocation_id === after.invocation_id) + 1 : 0;
    // They come after everything else, so their time is not a position in this list.
    yield rows.slice(passed).map(({ invocation_id }) => ({ invocation_id, at: null }));
    return;
  }
  const { oldest } = await indexReach(reading);
  const before = Math.min(oldest ?? Number.POSITIVE_INFINITY, after?.at ?? Number.POSITIVE_INFINITY);
  for await (const some of registeredEntries(reading, before)) {
    const rows = after === null ? some : some.filter((row) => compare("newest")(row, after) > 0);
    const lacking = await withoutIndex(
      reading,
      rows.map((row) => row.invocation_id),
    );
    const known = new Set(lacking);
    yield rows.filter((row) => known.has(row.invocation_id));
  }
}

/** The ids that are missing in the orchestrator's time index. */
async function withoutIndex(reading: RedisReading, ids: readonly string[]): Promise<string[]> {
  const index = timeIndex(reading);
  const scores = await reading.db("orchestrator").scores(index, ids);
  return ids.filter((_, i) => (scores[i] ?? null) === null);
}

/** Pairs of an id and an invocation in its set, oldest registration first. */
async function linkedTo(
  reading: RedisReading,
  ids: readonly string[],
  setOf: (id: string) => string,
  limit: RowLimit,
): Promise<[of: string, invocationId: string][]> {
  const wanted = [...new Set(ids)];
  const max = typeof limit === "number" ? limit : limit.each;
  const db = reading.db("state_backend");
  const sets = await membersOf(db, wanted.map(setOf), MAX_CHILDREN);
  const times = new Map(
    (
      await inOrder(
        reading,
        sets.flatMap((members) => members ?? []),
        "oldest",
      )
    ).map((row) => [row.invocation_id, row]),
  );
  const rows: (Registered & { of: string })[] = [];
  for (const [i, of] of wanted.entries()) {
    const members = sets[i];
    const ordered = members
      ? members
          .flatMap((id) => times.get(id) ?? [])
          .sort(compare("oldest"))
          .slice(0, max)
      : await oldestMembers(reading, { db, set: setOf(of), index: timeIndex(reading), ancestor: of }, max);
    rows.push(...ordered.map((row) => ({ ...row, of })));
  }
  rows.sort(compare("oldest"));
  return (typeof limit === "number" ? rows.slice(0, limit) : rows).map(({ of, invocation_id }) => [of, invocation_id]);
}

/** The first members of a set that is too large to read completely. */
async function oldestMembers(reading: RedisReading, source: RegisteredSet, max: number): Promise<Registered[]> {
  const rows: Registered[] = [];
  for await (const some of membersInOrder(reading, source, "oldest")) {
    rows.push(...some);
    if (rows.length >= max) break;
  }
  return rows.slice(0, max);
}
