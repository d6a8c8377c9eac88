import { rowsBy } from "../../pynenc/groups.ts";
import type { IdKind } from "../../pynenc/id-kinds.ts";
import type { ComponentName } from "../ports/common.ts";
import type { IdReads, PartialId } from "../ports/ids.ts";
import { inChunks } from "../server/chunks.ts";
import { text } from "./collections/fields.ts";
import type { CollectionOf } from "./collections/names.ts";
import { amongNewest, containing, findIn, GROUPS, idsStartingWith } from "./collections/queries.ts";
import type { CollectionReads, MongoReading } from "./collections/reading.ts";
import type { Filter } from "./server/db.ts";

/** Where ids are: a member of the documents of a collection. */
type Member = {
  [C in ComponentName]: readonly [component: C, collection: CollectionOf<C>, member: string];
}[ComponentName];

/** The members with the ids of each kind; each but that of calls is indexed, so calls are looked for among the newest invocations. */
const MEMBERS: Readonly<Record<IdKind, readonly Member[]>> = {
  invocation: [
    ["orchestrator", "invocations", "invocation_id"],
    ["state_backend", "invocations", "invocation_id"],
  ],
  workflow: [["state_backend", "workflows", "workflow_id"]],
  event: [["trigger", "events", "event_id"]],
  trigger_run: [["trigger", "trigger_runs", "trigger_run_id"]],
  trigger: [["trigger", "triggers", "trigger_id"]],
  condition: [["trigger", "conditions", "condition_id"]],
  valid_condition: [["trigger", "valid_conditions", "valid_condition_id"]],
  runner: [
    ["state_backend", "runner_contexts", "runner_id"],
    ["orchestrator", "runner_heartbeats", "runner_id"],
  ],
  atomic_service_run: [["orchestrator", "executions", "atomic_service_run_id"]],
  call: [["orchestrator", "invocations", "call_id_key"]],
  client_data: [["client_data_store", "values", "cache_key"]],
};

/** Limit of ids with a matching beginning whose ending is checked. */
const SCAN_LIMIT = 2_000;

/** Conditions that one command combines, and most documents that it reads: beyond that each condition is asked for alone. */
const TOGETHER = { conditions: 200, documents: 10_000 };

/** A condition on an id. */
interface Part {
  where: Filter;
  meets(id: string): boolean;
  /** How many documents are read for it alone. */
  most: number;
}

/** Ids by the index of their member: full ids together, partial ones by the range of their beginning. */
export function idReads(reading: MongoReading): IdReads {
  const membersOf = (kind: IdKind) =>
    Promise.all(
      MEMBERS[kind].map(async ([component, name, member]) => {
        const collection = reading.of(component, name as never);
        return { collection, member, among: kind === "call" ? await amongNewest(reading) : {} };
      }),
    );

  /** A walk finds them. Where one is asked for, as for its page, the document that it was found with is remembered. */
  async function callsAmong(wanted: readonly string[]): Promise<Set<string>> {
    const invocations = reading.of("orchestrator", "invocations");
    const places = wanted.flatMap((call) => reading.walked(`call ${call}`)?.found ?? []);
    const seen = places.length === 0 ? [] : await findIn(invocations, "_id", places, { only: { call_id_key: 1 } });
    const found = new Set(seen.map(({ call_id_key }) => text(call_id_key)));
    const others = wanted.filter((call) => !found.has(call));
    const [first] = others;
    if (first === undefined) return found;
    const where = { call_id_key: { $in: others }, ...(await amongNewest(reading)) };
    if (others.length > 1) {
      const groups = await invocations.aggregate([{ $match: where }, { $group: { _id: "$call_id_key" } }], GROUPS);
      return new Set([...found, ...groups.map(({ _id }) => text(_id))]);
    }
    const newest = await invocations.findOne(where, { sort: { _id: -1 }, only: { _id: 1 } });
    if (newest === null) return found;
    reading.remember(`call ${first}`, { found: [newest._id], upTo: newest._id });
    return found.add(first);
  }

  return {
    async known(ids) {
      const found = new Map<IdKind, Set<string>>();
      await Promise.all(
        [...rowsBy(ids, (one) => one.kind)].map(async ([kind, some]) => {
          const wanted = [...new Set(some.map(({ id }) => id))];
          if (kind === "call") return found.set(kind, await callsAmong(wanted));
          const groups = await Promise.all(
            (await membersOf(kind)).map(({ collection, member }) =>
              collection.aggregate(
                [{ $match: { [member]: { $in: wanted } } }, { $group: { _id: `$${member}` } }],
                GROUPS,
              ),
            ),
          );
          return found.set(kind, new Set(groups.flat().map(({ _id }) => text(_id))));
        }),
      );
      return ids.filter(({ kind, id }) => found.get(kind)?.has(id)).map(({ kind, id }) => ({ kind, id }));
    },

    async matching(parts, limit) {
      const found = new Map<PartialId, { ids: string[]; all: boolean }[]>(parts.map((part) => [part, []]));
      await Promise.all(
        [...rowsBy(parts, (part) => part.kind)].map(async ([kind, some]) => {
          for (const { collection, member, among } of await membersOf(kind)) {
            const conditions = some.map(({ beginning, ending }) => ({
              where: { [member]: idsStartingWith(beginning), ...among },
              meets: (id: string) => id.startsWith(beginning) && id.slice(beginning.length).endsWith(ending),
              most: ending === "" ? limit + 1 : SCAN_LIMIT,
            }));
            const all = Object.keys(among).length === 0;
            for (const [i, one] of (await idsMeeting(collection, member, conditions)).entries())
              found.get(some[i] as PartialId)?.push({ ...one, all: one.all && all });
          }
        }),
      );
      return parts.map((part) => {
        const lists = found.get(part) ?? [];
        const ids = inByteOrder(new Set(lists.flatMap((one) => one.ids)));
        return { ids: ids.slice(0, limit), complete: ids.length <= limit && lists.every((one) => one.all) };
      });
    },

    async runnersLike(parts, where, limit) {
      const lists = await Promise.all(
        (await membersOf("runner")).map(({ collection, member }) =>
          idsMeeting(
            collection,
            member,
            parts.map((part) => ({
              where: { [member]: where === "beginning" ? idsStartingWith(part) : containing(part) },
              meets: (id) => (where === "beginning" ? id.startsWith(part) : id.includes(part)),
              most: limit,
            })),
          ),
        ),
      );
      return lists.flatMap((found) =>
        parts.flatMap((part, i) => (found[i]?.ids ?? []).slice(0, limit).map((runner_id) => ({ part, runner_id }))),
      );
    },
  };
}

/** For each condition the ids that meet it, and whether these are all. */
async function idsMeeting(
  collection: CollectionReads,
  member: string,
  parts: readonly Part[],
): Promise<{ ids: string[]; all: boolean }[]> {
  const found = await Promise.all(
    inChunks(parts, TOGETHER.conditions).map(async (some) => {
      const groups = await collection.aggregate(
        [
          { $match: { $or: some.map(({ where }) => where) } },
          { $limit: TOGETHER.documents },
          { $group: { _id: `$${member}`, n: { $sum: 1 } } },
        ],
        GROUPS,
      );
      const read = groups.reduce((sum, { n }) => sum + Number(n), 0);
      if (read >= TOGETHER.documents) return Promise.all(some.map((part) => idsAlone(collection, member, part)));
      const ids = groups.map(({ _id }) => text(_id));
      return some.map(({ meets }) => ({ ids: ids.filter(meets), all: true }));
    }),
  );
  return found.flat();
}

async function idsAlone(
  collection: CollectionReads,
  member: string,
  { where, meets, most }: Part,
): Promise<{ ids: string[]; all: boolean }> {
  const found = await collection.find(where, { sort: { [member]: 1 }, limit: most, only: { [member]: 1 } });
  const ids = new Set(found.map((stored) => text(stored[member])).filter(meets));
  return { ids: [...ids], all: found.length < most };
}

function inByteOrder(ids: Iterable<string>): string[] {
  return [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
