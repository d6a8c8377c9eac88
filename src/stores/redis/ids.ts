import type { IdKind } from "../../pynenc/id-kinds.ts";
import type { ComponentName } from "../ports/common.ts";
import type { IdReads, PartialId, RunnerIdMatch } from "../ports/ids.ts";
import type { FamilyName } from "./keys/catalogue.ts";
import { globEscape, type Section } from "./keys/keys.ts";
import { startingWith } from "./keys/names.ts";
import type { RedisReading } from "./keys/reading.ts";
import { idsOf, membersInSteps } from "./server/members.ts";
import { contextNames } from "./state-backend/runner-contexts.ts";

/** A family with one key per id; `words` are the key parts before the id. */
interface KeyFamily {
  component: ComponentName;
  section: Section;
  words: readonly string[];
}

/** Where to search for parts of ids, which no index serves: a time index, sets of ids, or names of keys (storage-format.md 9.2). */
type Listing =
  | { in: "sorted set"; component: ComponentName; section: Section; key: string }
  | { in: "names"; family: FamilyName }
  | { in: "workflow types" };

interface IdLocation {
  keys: readonly KeyFamily[];
  listings: readonly Listing[];
}

const orchestrator = (...words: string[]): KeyFamily => ({ component: "orchestrator", section: "orchestrator", words });
const state = (...words: string[]): KeyFamily => ({ component: "state_backend", section: "state_backend", words });
const trigger = (...words: string[]): KeyFamily => ({ component: "trigger", section: "trigger", words });
const byTime = (section: "orchestrator" | "trigger", key: string): Listing => ({
  in: "sorted set",
  component: section,
  section,
  key,
});
const named = (family: FamilyName): Listing => ({ in: "names", family });

const ID_LOCATIONS: Readonly<Record<IdKind, IdLocation>> = {
  invocation: {
    keys: [orchestrator("invocation_status"), state("invocation")],
    listings: [byTime("orchestrator", "all_invocations_by_time"), named("definitions")],
  },
  workflow: { keys: [state("workflow", "run")], listings: [{ in: "workflow types" }] },
  event: { keys: [trigger("evts_hash")], listings: [byTime("trigger", "evts_by_time")] },
  trigger_run: { keys: [trigger("trun_hash")], listings: [byTime("trigger", "truns_by_time")] },
  trigger: { keys: [trigger("trigger")], listings: [named("triggers")] },
  condition: { keys: [trigger("condition")], listings: [named("conditions")] },
  valid_condition: { keys: [trigger("valid_condition")], listings: [named("valid_conditions")] },
  runner: {
    keys: [state("runner_context"), orchestrator("runner_heartbeat")],
    listings: [named("runner_contexts"), byTime("orchestrator", "runner_heartbeats")],
  },
  atomic_service_run: {
    keys: [orchestrator("atomic_service_execution")],
    listings: [byTime("orchestrator", "atomic_service_executions")],
  },
  call: { keys: [orchestrator("call_to_invocation")], listings: [named("calls")] },
  client_data: {
    keys: [{ component: "client_data_store", section: "client_data_store", words: ["client_data_store"] }],
    listings: [named("client_data")],
  },
};

/** Most members read from one index, newest first. Takes a fraction of a second on a large server. */
const SCAN_LIMIT = 200_000;

/** Limit of matches per part whose existence is checked. */
const MAX_CHECKED = 1_000;

/**
 * A full id is the name of a key. Parts of ids are searched among the names collected by a cached walk over all keys (catalogue.ts), and in the time
 * indexes as far as a page can wait.
 */
export function idReads(reading: RedisReading): IdReads {
  const { keys } = reading;

  async function known(ids: Parameters<IdReads["known"]>[0]) {
    const requested = ids.flatMap((one) => ID_LOCATIONS[one.kind].keys.map((family) => ({ one, ...family })));
    const found = new Set<(typeof ids)[number]>();
    const components = new Set(requested.map((family) => family.component));
    await Promise.all(
      [...components].map(async (component) => {
        const here = requested.filter((family) => family.component === component);
        const keyOf = ({ section, words, one }: (typeof here)[number]) => keys.key(section, ...words, one.id);
        const present = new Set(await reading.db(component).existing(here.map(keyOf)));
        for (const family of here) if (present.has(keyOf(family))) found.add(family.one);
      }),
    );
    return ids.filter((one) => found.has(one)).map(({ kind, id }) => ({ kind, id }));
  }

  /** Ids of a listing that match any of these parts (all of one kind), and whether the complete listing was read. */
  async function listed(listing: Listing, parts: readonly PartialId[]): Promise<{ ids: string[]; all: boolean }> {
    if (listing.in === "names") {
      const { names, complete, settled } = await reading.catalogue.names(listing.family, async () => []);
      return { ids: parts.flatMap((part) => startingWith(names, part.beginning)), all: complete && settled };
    }
    const found: string[] = [];
    let scanned = 0;
    const steps =
      listing.in === "workflow types"
        ? runsIn(parts)
        : idsOf(reading.db(listing.component), keys.key(listing.section, listing.key));
    for await (const ids of steps) {
      for (const id of ids) if (parts.some((part) => id.startsWith(part.beginning))) found.push(id);
      scanned += ids.length;
      if (scanned >= SCAN_LIMIT) return { ids: found, all: false };
    }
    return { ids: found, all: true };
  }

  /** Workflow runs from the sets of their types; the server filters by prefix. */
  async function* runsIn(parts: readonly PartialId[]): AsyncGenerator<string[], void, undefined> {
    const db = reading.db("state_backend");
    const types = await db.texts("SMEMBERS", keys.key("state_backend", "workflow", "types"));
    const sets = types.map((type) => keys.key("state_backend", "workflow", "type_index", type));
    for (const { beginning } of parts) yield* membersInSteps(db, sets, `${globEscape(beginning)}*`);
  }

  return {
    known,

    async matching(parts, limit) {
      const kinds = [...new Set(parts.map((part) => part.kind))];
      const found = new Map(
        await Promise.all(
          kinds.map(async (kind) => {
            const own = parts.filter((part) => part.kind === kind);
            const listings = await Promise.all(ID_LOCATIONS[kind].listings.map((listing) => listed(listing, own)));
            return [kind, listings] as const;
          }),
        ),
      );
      const candidates = parts.map(({ kind, beginning, ending }) => {
        const listings = found.get(kind) ?? [];
        const ids = [...new Set(listings.flatMap((one) => one.ids))]
          .filter((id) => id.startsWith(beginning) && id.slice(beginning.length).endsWith(ending))
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        return {
          kind,
          ids: ids.slice(0, MAX_CHECKED),
          all: ids.length <= MAX_CHECKED && listings.every((one) => one.all),
        };
      });
      // An auto-purge leaves ids in the time index (storage-format.md 7.3), and names may be slightly outdated.
      const stored = await known(candidates.flatMap(({ kind, ids }) => ids.map((id) => ({ kind, id }))));
      const storedOf = new Map(
        kinds.map((kind) => [kind, new Set(stored.flatMap((one) => (one.kind === kind ? [one.id] : [])))]),
      );
      return candidates.map(({ kind, ids, all }) => {
        const kept = ids.filter((id) => storedOf.get(kind)?.has(id));
        return { ids: kept.slice(0, limit), complete: all && kept.length <= limit };
      });
    },

    async runnersLike(parts, where, limit) {
      if (parts.length === 0) return [];
      const { names } = await contextNames(reading);
      const withContext = parts.flatMap((part) => {
        const found = where === "beginning" ? startingWith(names, part) : names.filter((id) => id.includes(part));
        return found.slice(0, limit).map((runner_id) => ({ part, runner_id }));
      });
      const heartbeats = idsOf(reading.db("orchestrator"), keys.key("orchestrator", "runner_heartbeats"));
      return [...withContext, ...(await idsLike(heartbeats, parts, where, limit))];
    },
  };
}

/** Ids that start with or contain each of these parts, at most `limit` per part. Stops reading once every part has enough. */
async function idsLike(
  steps: AsyncIterable<readonly string[]>,
  parts: readonly string[],
  where: "beginning" | "anywhere",
  limit: number,
): Promise<RunnerIdMatch[]> {
  const open = new Map(parts.map((part) => [part, [] as string[]]));
  const found = new Map(open);
  if (open.size === 0 || limit <= 0) return [];
  for await (const ids of steps) {
    for (const [part, matches] of open) {
      for (const id of ids) {
        if (!(where === "beginning" ? id.startsWith(part) : id.includes(part))) continue;
        if (matches.push(id) === limit) break;
      }
      if (matches.length >= limit) open.delete(part);
    }
    if (open.size === 0) break;
  }
  return [...found].flatMap(([part, ids]) => ids.map((runner_id) => ({ part, runner_id })));
}
