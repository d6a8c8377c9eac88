/**
 * What a store knows about the references in log lines, with a fixed number of reads however many there are. Lines abbreviate runner ids; if several
 * ids match an abbreviation, the result says so. A UUID on its own is a reference only if the log or the store says what it identifies.
 */
import type { LogReference } from "../../api/logs.ts";
import type { IdMark, LogEntry, ReferenceKind, ReferenceMark } from "../../log-lines/model.ts";
import type { EventRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { knownObjects, type ObjectKind } from "../model/known-objects.ts";

export interface ResolvedReferences {
  /**
   * By `referenceKey` of the written form. The full id of a runner and its abbreviations share one reference; so do a UUID on its own and the same id
   * with its kind. Unknown UUIDs without a kind are missing.
   */
  byKey: ReadonlyMap<string, LogReference>;
  events: EventRecord[];
  trigger_runs: TriggerRunRecord[];
  /** There were more than the limit; the rest was not looked up. */
  cut: boolean;
}

/** Maximum number of distinct references looked up. */
export const REFERENCES_RESOLVED = 20_000;
const CANDIDATES_SHOWN = 10;
/** Maximum number of abbreviations searched inside ids because no runner id starts with them. Each takes a scan over all ids. */
const PARTS_SEARCHED = 20;

/** @param kind of the mark; `id` for a UUID on its own */
export function referenceKey({ kind, id }: { kind: ReferenceKind | IdMark["kind"]; id: string }): string {
  return `${kind} ${id}`;
}

/** @param taskKeys every task known to the store. */
export async function resolveReferences(
  reads: AppReads,
  entries: readonly LogEntry[],
  taskKeys: readonly string[],
): Promise<ResolvedReferences> {
  const { written, lone, cut } = writtenReferences(entries);
  const namedAs = (kind: ObjectKind) => written.flatMap((one) => (one.kind === kind && !one.partial ? [one.id] : []));
  // A bare id may be of any kind: look it up as each kind with such ids.
  const idsOf = (kind: ObjectKind) =>
    BARE_ID_KINDS.some((lone) => lone === kind) ? [...namedAs(kind), ...lone] : namedAs(kind);
  const runners = await resolveRunners(reads, {
    full: idsOf("runner"),
    parts: written.filter((one) => one.partial),
    invocations: namedAs("invocation"),
  });
  const known = await knownObjects(reads, (kind) => (kind === "runner" ? runners.ids : idsOf(kind)), taskKeys);
  const facts = (kind: ReferenceKind, id: string): Partial<LogReference> | null => {
    const found = known.facts(kind, id);
    if (found === null) return null;
    const { status, task_id_key, detail } = found;
    return { status, task_id_key, detail };
  };
  const byKey = new Map<string, LogReference>();
  for (const one of written) {
    const match = one.partial ? runners.byPart.get(one.id) : undefined;
    const id = match?.id ?? one.id;
    const kind = match?.kind ?? one.kind;
    const found = match?.candidates.length ? null : facts(kind, id);
    const shared = byKey.get(referenceKey({ kind, id }));
    const reference: LogReference = shared ?? {
      ...NOTHING_KNOWN,
      kind,
      id,
      state: match?.candidates.length ? "ambiguous" : stateOf(kind, found),
      candidates: match?.candidates ?? [],
      ...found,
    };
    if (one.partial && one.id !== id) reference.part = one.id;
    byKey.set(referenceKey(one), reference);
    byKey.set(referenceKey(reference), reference);
  }
  for (const id of lone) {
    const named = BARE_ID_KINDS.flatMap((kind) => byKey.get(referenceKey({ kind, id })) ?? [])[0];
    const kind = named?.kind ?? BARE_ID_KINDS.find((one) => facts(one, id) !== null);
    if (kind === undefined) continue;
    const reference = named ?? { ...NOTHING_KNOWN, kind, id, state: "known", candidates: [], ...facts(kind, id) };
    byKey.set(referenceKey({ kind: "id", id }), reference);
    byKey.set(referenceKey(reference), reference);
  }
  return { byKey, events: known.events, trigger_runs: known.trigger_runs, cut };
}

function stateOf(kind: ReferenceKind, found: object | null): LogReference["state"] {
  if (kind === "call") return "unchecked";
  return found === null ? "unknown" : "known";
}

/** Kinds a bare UUID can be, most likely first. Workflow ids are invocation ids. */
const BARE_ID_KINDS: readonly ReferenceKind[] = ["invocation", "event", "runner", "atomic_service_run"];

const NOTHING_KNOWN = { part: null, status: null, task_id_key: null, detail: null };

/** The result before any lookup. */
export const NOTHING_RESOLVED: ResolvedReferences = { byKey: new Map(), events: [], trigger_runs: [], cut: false };

/** The result for a reference that was not looked up. */
export function uncheckedReference({ kind, id }: ReferenceMark): LogReference {
  return { ...NOTHING_KNOWN, kind, id, state: "unchecked", candidates: [] };
}

interface Written {
  kind: ReferenceKind;
  id: string;
  partial: boolean;
  /** Only ever written after `worker`, which pynenc also puts before an abbreviated invocation id. */
  worker: boolean;
}

/** Every reference in the lines, once, in log order, and the full runner ids given by contexts. */
function writtenReferences(entries: readonly LogEntry[]): { written: Written[]; lone: string[]; cut: boolean } {
  const byKey = new Map<string, Written>();
  const lone = new Set<string>();
  let cut = false;
  const add = (one: Written) => {
    const key = referenceKey(one);
    const earlier = byKey.get(key);
    if (earlier !== undefined) earlier.worker &&= one.worker;
    else if (byKey.size < REFERENCES_RESOLVED) byKey.set(key, one);
    else cut = true;
  };
  for (const { marks, context } of entries) {
    for (const mark of marks) {
      if (mark.kind === "status") continue;
      if (mark.kind !== "id")
        add({ kind: mark.kind, id: mark.id, partial: mark.partial, worker: mark.role.toLowerCase() === "worker" });
      else if (lone.size < REFERENCES_RESOLVED) lone.add(mark.id);
      else cut ||= !lone.has(mark.id);
    }
    for (const { id, partial } of context?.runners ?? [])
      if (!partial) add({ kind: "runner", id, partial, worker: false });
  }
  return { written: [...byKey.values()], lone: [...lone], cut };
}

interface PartMatch {
  /** The full id for the abbreviation; if not known, the abbreviation itself. */
  kind: "runner" | "invocation";
  id: string;
  /** The candidates if several ids match. */
  candidates: string[];
}

/** Runner ids in logs: full ids, abbreviations, and the invocations that an abbreviation may mean instead. */
interface WrittenRunners {
  full: readonly string[];
  parts: readonly Written[];
  invocations: readonly string[];
}

/** Resolves runner ids: full ids as written, and for each abbreviation the matching ids from the store. */
async function resolveRunners(
  reads: AppReads,
  { full, parts, invocations }: WrittenRunners,
): Promise<{ ids: string[]; byPart: Map<string, PartMatch> }> {
  const written = parts.map((part) => part.id);
  const found = idsByPart(written, full);
  const look = async (wanted: readonly string[], position: "beginning" | "anywhere") => {
    const matches = await reads.ids.runnersLike(wanted, position, CANDIDATES_SHOWN + 1);
    for (const { part, runner_id } of matches) found.get(part)?.add(runner_id);
  };
  await look(written, "beginning");
  const unmatched = parts.filter((part) => found.get(part.id)?.size === 0);
  // `worker:38c45921 invocation:38c45921-…`: a thread is named after the invocation it runs.
  const byInvocation = new Map(
    [
      ...idsByPart(
        unmatched.flatMap((part) => (part.worker ? [part.id] : [])),
        invocations,
      ),
    ].flatMap(([part, [id, ...others]]) => (id === undefined || others.length > 0 ? [] : [[part, id] as const])),
  );
  const searched = unmatched.flatMap((part) => (byInvocation.has(part.id) ? [] : [part.id]));
  await look(searched.slice(0, PARTS_SEARCHED), "anywhere");
  const byPart = new Map<string, PartMatch>();
  for (const [part, ids] of found) {
    const [first, ...others] = ids;
    const only = others.length === 0 ? first : undefined;
    const exact = ids.has(part) ? part : only;
    const invocation = byInvocation.get(part);
    if (invocation !== undefined) byPart.set(part, { kind: "invocation", id: invocation, candidates: [] });
    else if (exact !== undefined) byPart.set(part, { kind: "runner", id: exact, candidates: [] });
    else byPart.set(part, { kind: "runner", id: part, candidates: [...ids].sort().slice(0, CANDIDATES_SHOWN) });
  }
  const matched = [...byPart.values()].flatMap(({ kind, id, candidates }) =>
    kind === "runner" ? [id, ...candidates] : [],
  );
  return { ids: [...new Set([...full, ...matched])], byPart };
}

/** The ids that start with each part. Sorting puts them next to each other. */
function idsByPart(parts: readonly string[], ids: readonly string[]): Map<string, Set<string>> {
  const ordered = [...new Set(ids)].sort();
  return new Map(
    parts.map((part) => {
      const matching = new Set<string>();
      for (let at = firstMatch(part, ordered); at < ordered.length; at++) {
        const id = ordered[at];
        if (!id?.startsWith(part)) break;
        matching.add(id);
      }
      return [part, matching];
    }),
  );
}

/** Index of the first id that does not sort before the text. */
function firstMatch(text: string, ordered: readonly string[]): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
