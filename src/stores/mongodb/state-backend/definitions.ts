/** Definitions of invocations, their results and exceptions. */
import { parseCallKey } from "../../../pynenc/identifiers.ts";
import { pythonJson } from "../../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../../pynenc/records.ts";
import type { DefinitionFilter, DefinitionReads, ListedId, StoredOutcome } from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import { PREVIEW_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import { type BoundedText, itemsOf, singleItemOf } from "../collections/chunk-form.ts";
import { text, textOrNull } from "../collections/fields.ts";
import { boundedText, cursorOf, findIn, findPerValue, olderThan } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";

/** Documents with values read at once: each may have 16 MB. */
const VALUES = 200;

const OUTCOMES = { result: "results", exception: "exceptions" } as const;

export function definitionReads(reading: MongoReading): DefinitionReads {
  const invocations = reading.of("state_backend", "invocations");
  const newestFirst = { sort: { _id: -1 }, only: { invocation_id: 1 } } as const;

  return {
    invocationsByIds: (invocationIds, argumentBytes) => definitionsOf(reading, invocationIds, argumentBytes),

    tasksOf: async (invocationIds) =>
      (await findIn(invocations, "invocation_id", invocationIds, { only: { invocation_id: 1, task_id_key: 1 } })).map(
        (stored) => ({ invocation_id: text(stored.invocation_id), task_id_key: text(stored.task_id_key) }),
      ),

    listDefined: async (filter, { limit, offset }) =>
      (await invocations.find(definedWith(filter), { ...newestFirst, limit, skip: offset })).map(listed),

    /** Each member that a filter can name has an index, so the limit is not needed. */
    async scanDefined(filter, limit, _scanLimit, after) {
      const where = { ...definedWith(filter), ...(after === undefined ? {} : { _id: olderThan(after) }) };
      const rows = (await invocations.find(where, { ...newestFirst, limit })).map(listed);
      const last_cursor = rows.at(-1)?.cursor ?? after ?? null;
      return { rows, scanned: rows.length, exhausted: rows.length < limit, last_cursor };
    },

    countDefined: (parent_invocation_id) =>
      invocations.count(parent_invocation_id === undefined ? {} : { parent_invocation_id }),

    childrenOf(parentIds, limit, kind = "invocation") {
      const member = kind === "invocation" ? "parent_invocation_id" : "parent_event_id";
      const limits = { sort: { _id: 1 }, only: { invocation_id: 1, [member]: 1 } } as const;
      return findPerValue(invocations, member, parentIds, limit, limits, (stored) => {
        const parent_id = text(stored[member]);
        return [{ of: parent_id, row: { invocation_id: text(stored.invocation_id), parent_id } }];
      });
    },

    async outcomesOf(kinds, invocationIds, bytes = VALUE_BYTES) {
      const found = await Promise.all(kinds.map((kind) => outcomesOfKind(reading, kind, invocationIds, bytes)));
      return found.flat();
    },
  };
}

/** @param argumentBytes longer arguments are cut to this size. */
export async function definitionsOf(
  reading: MongoReading,
  invocationIds: readonly string[],
  argumentBytes = PREVIEW_BYTES,
): Promise<InvocationRecord[]> {
  const records: InvocationRecord[] = [];
  for (const some of inChunks([...new Set(invocationIds)], VALUES)) {
    for (const stored of await findIn(reading.of("state_backend", "invocations"), "invocation_id", some)) {
      records.push(await invocationRecord(reading, stored, argumentBytes));
    }
  }
  return records;
}

async function invocationRecord(
  reading: MongoReading,
  stored: Document,
  argumentBytes: number,
): Promise<InvocationRecord> {
  const invocation_id = text(stored.invocation_id);
  const call_id_key = text(stored.call_id_key);
  const chunks = reading.of("state_backend", "chunks");
  const items = await itemsOf(stored.arguments, chunks, `${invocation_id}:args`, argumentBytes);
  const { text: serialized_arguments, ...mark } = argumentsText(items, argumentBytes);
  return {
    invocation_id,
    call_id_key,
    task_id_key: text(stored.task_id_key),
    arguments_id: parseCallKey(call_id_key)?.arguments_id ?? "",
    serialized_arguments,
    ...mark,
    parent_invocation_id: textOrNull(stored.parent_invocation_id),
    parent_event_id: textOrNull(stored.parent_event_id),
    workflow_id: textOrNull(stored.workflow_id),
    workflow_type_key: textOrNull(stored.workflow_type_key),
    parent_workflow_id: textOrNull(stored.parent_workflow_id),
  };
}

/** The JSON object that other stores have (storage-format.md 3.4). Empty, which is none, for a document of an older plugin. */
function argumentsText(items: ReadonlyMap<string, BoundedText> | null, bytes: number): BoundedText {
  if (items === null) return { text: "" };
  const json = pythonJson(Object.fromEntries([...items].map(([name, item]) => [name, item.text])));
  const left = [...items.values()].reduce(
    (sum, { text: kept, whole_size }) => sum + (whole_size === undefined ? 0 : whole_size - Buffer.byteLength(kept)),
    0,
  );
  const cut = boundedText(json, bytes);
  if (left === 0) return cut;
  return { text: cut.text, whole_size: Buffer.byteLength(json) + left };
}

async function outcomesOfKind(
  reading: MongoReading,
  kind: keyof typeof OUTCOMES,
  invocationIds: readonly string[],
  bytes: number,
): Promise<StoredOutcome[]> {
  const outcomes: StoredOutcome[] = [];
  const chunks = reading.of("state_backend", "chunks");
  for (const some of inChunks([...new Set(invocationIds)], VALUES)) {
    for (const stored of await findIn(reading.of("state_backend", OUTCOMES[kind]), "invocation_id", some)) {
      const invocation_id = text(stored.invocation_id);
      const value = await singleItemOf(stored, kind, chunks, `${invocation_id}:${kind}`, bytes);
      if (value === null) continue;
      const { text: whole, ...mark } = value;
      outcomes.push({ kind, invocation_id, stored: whole, ...mark });
    }
  }
  return outcomes;
}

function definedWith({ workflow_id, workflow_type_key, parent_invocation_id }: DefinitionFilter): Filter {
  return {
    ...(workflow_id === undefined ? {} : { workflow_id }),
    ...(workflow_type_key === undefined ? {} : { workflow_type_key }),
    ...(parent_invocation_id === undefined ? {} : { parent_invocation_id }),
  };
}

function listed(stored: Document): ListedId {
  return { invocation_id: text(stored.invocation_id), cursor: cursorOf(stored) };
}
