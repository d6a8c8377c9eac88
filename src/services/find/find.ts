/**
 * The search. It finds ids in every form (model/resolve-ids.ts), names of tasks, queues, event codes, workflow types, hosts, statuses, exceptions and
 * pages, every object mentioned in a log line, and text in the arguments of invocations.
 */

import type { FindAnswer, FoundThing } from "../../api/find.ts";
import { InvalidInputError, NotFoundError } from "../../errors.ts";
import { findInput } from "../../inputs/find.ts";
import { ID_KINDS, type IdKind } from "../../pynenc/id-kinds.ts";
import { counted, grouped } from "../../pynenc/numbers.ts";
import { type OpenedApp, openedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { queryValue } from "../input/query-text.ts";
import { listInvocations, readInvocationInput } from "../invocations/invocations.ts";
import { hasField, IS_WORDS } from "../model/invocation-query.ts";
import type { WalkProgress } from "../model/invocation-walk.ts";
import type { ObjectKind } from "../model/known-objects.ts";
import { conditionsNaming, NAMED_EVENTS } from "../model/named-events.ts";
import {
  type DescribedId,
  describedIds,
  idsElsewhere,
  inOtherApps,
  type ResolvedId,
  resolveTexts,
  similarIds,
} from "../model/resolve-ids.ts";
import { taskKeys } from "../model/task-keys.ts";
import { bare } from "../model/written-id.ts";
import {
  allNames,
  hostsOf,
  MAX_CODES,
  NAMES_LISTED,
  type NamedPage,
  type NameKind,
  NO_HOSTS,
  namesLike,
  namesOf,
  pagesMeant,
} from "./find-names.ts";
import { type Followed, followedBy } from "./followed.ts";
import { kindAndName, matchingNames } from "./names.ts";
import { latestExceptions } from "./query-completion.ts";
import { NO_PIECES, piecesOf, SHORTEST_WORD, wordsOf } from "./query-words.ts";

/** Without the path of the page, which the HTTP layer adds. */
export type Found = Omit<FoundThing, "path">;

export interface Findings extends Omit<FindAnswer, "matches" | "near"> {
  matches: Found[];
  near: Found[];
}

/** Long enough for a log line; the log explorer takes complete logs. */
const LONGEST_TEXT = 10_000;

/** Shorter texts occur in too many arguments. */
const SHORTEST_ARGUMENT = 3;
const LONGEST_ARGUMENT = 200;

/** Limits of a text search without an index. */
export interface Reach {
  /** Newest invocations whose arguments are searched. */
  invocations: number;
  onProgress?: WalkProgress;
}

/** For pages, which must be fast. */
const PAGE_REACH: Reach = { invocations: 2_000 };

/** Cap when counting matches. */
const ARGUMENTS_COUNTED = 100;

/** What the text means, and the pages that it may mean unless it means something stored. @throws InvalidInputError */
export async function find(
  app: OpenedApp,
  raw: RawInput,
  pages: readonly NamedPage[],
  reach = PAGE_REACH,
): Promise<Findings> {
  const found = await findByNames(app, raw, pages, reach);
  if (raw.kind !== undefined || found.matches.some(({ kind }) => !OF_MONITOR.has(kind))) return found;
  const named = new Set(found.matches.map(({ label }) => label));
  const meant = pagesMeant(pages, found.query).filter((label) => !named.has(label));
  if (meant.length === 0) return found;
  return { ...found, matches: [...found.matches, ...meant.map((label) => namedMatch("page", label, pages))], near: [] };
}

async function findByNames(
  app: OpenedApp,
  raw: RawInput,
  pages: readonly NamedPage[],
  reach: Reach,
): Promise<Findings> {
  const { q: query = "", kind = "" } = parseInput(findInput, raw);
  if (query.length > LONGEST_TEXT) {
    const accepted = `at most ${LONGEST_TEXT} characters; the log explorer takes whole logs`;
    throw new InvalidInputError([{ parameter: "q", value: query, accepted }]);
  }
  if (query === "") return { query, matches: [], complete: true, tried: [], near: [] };
  const found = await findObjects(app, query, kind, pages);
  if (found.matches.length === 0 && kind === "" && (await isSearch(app, query))) {
    return { ...found, matches: [searchFor(query, "Invocations that match this search")], near: [], complete: true };
  }
  // A log line may name a task that both apps have.
  const isOpen = found.matches.every((one) => one.kind === "task" && wordsOf(query).length > 0);
  const elsewhere = isOpen ? await objectsElsewhere(app, query, kind) : [];
  if (elsewhere.length > 0) return { ...found, near: elsewhere };
  if (found.matches.length > 0 || kind !== "") return found;
  const exceptions = await exceptionsNamed(app, bare(query));
  if (exceptions.exact) return { ...found, matches: exceptions.searches, near: [], complete: true };
  const all = withArguments(found, query, reach, await amongArguments(app, query, reach));
  if (all.matches.length + exceptions.searches.length === 0) {
    const named = await namesElsewhere(app, query);
    if (named.length > 0) return { ...all, near: [...named, ...all.near] };
    const { found: there, tried } = await argumentsElsewhere(app, query);
    return { ...all, tried: [...all.tried, ...tried], near: [...there, ...all.near] };
  }
  if (exceptions.searches.length === 0) return all;
  return { ...all, matches: [...exceptions.searches, ...all.matches], near: [] };
}

/** What a full id, or the ids in a log line, mean in other apps of the store. */
async function objectsElsewhere(app: OpenedApp, query: string, kind: IdKind | ""): Promise<Found[]> {
  const ids = await idsElsewhere(app, query, kind === "" ? undefined : [kind]);
  const isLine = ids.length === 0 && kind === "" && wordsOf(query).length > 0;
  const found = isLine ? await inOtherApps(app, async (reads) => (await piecesOf(reads, query, [])).matches) : ids;
  return deduplicated(found).map((one) => ({ ...NO_FACTS, label: `in the app ${one.app_id}`, ...one }));
}

/** Tasks, queues with messages and event codes of other apps whose names contain the text, and runners on hosts that do. */
async function namesElsewhere(app: OpenedApp, query: string): Promise<Found[]> {
  const text = bare(query);
  if (text.length < SHORTEST_WORD) return [];
  const found = await inOtherApps(app, async (reads) => {
    const named = (kind: "task" | "queue" | "event_code", names: readonly string[]) =>
      matchingNames(text, names, NAMES_LISTED).names.map((name) => namedMatch(kind, name, []));
    const { runners } = await hostsOf(reads, text);
    return [
      ...named("task", await reads.orchestrator.taskKeys()),
      ...named(
        "queue",
        (await reads.broker.queues()).flatMap(({ queue_name }) => queue_name ?? []),
      ),
      ...named("event_code", await reads.trigger.eventCodes(MAX_CODES)),
      ...(await describedIds(reads, runners)).map(withLabel),
    ];
  });
  return found.slice(0, NAMES_LISTED);
}

/** Searches in other apps, for a text that is in the arguments of their newest invocations. */
async function argumentsElsewhere(
  app: OpenedApp,
  query: string,
): Promise<Pick<Findings, "tried"> & { found: Found[] }> {
  const [found, tried]: [Found[], string[]] = [[], []];
  for (const store of await app.others()) {
    const { app_id } = store;
    const there = openedApp(store, app.settings, app.now);
    const among = await amongArguments(there, query, PAGE_REACH).finally(() => there.close());
    if (among === null) continue;
    tried.push(`${argumentsTried(among, PAGE_REACH)} in the app ${app_id}`);
    found.push(...among.found.slice(0, 1).map((one) => ({ ...one, app_id })));
  }
  return { found, tried };
}

/** Searches by exception, for exceptions whose name matches the text. Uses the same names as completion. */
async function exceptionsNamed(app: OpenedApp, text: string): Promise<{ searches: Found[]; exact: boolean }> {
  if (text.length < SHORTEST_ARGUMENT) return { searches: [], exact: false };
  const { names, exact } = matchingNames(text, await latestExceptions(app), NAMES_LISTED);
  const searches = names.map((name) =>
    searchFor(`exception:${queryValue(name)}`, `Invocations that failed with ${name}`),
  );
  return { searches, exact };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function findObjects(
  app: OpenedApp,
  query: string,
  kind: IdKind | "",
  pages: readonly NamedPage[],
): Promise<Findings> {
  const kinds = kind === "" ? ID_KINDS : [kind];
  // No name looks like the id of an invocation, so names are only read if no invocation has this id.
  const known = UUID.test(bare(query))
    ? await app.store.read((reads) => resolveTexts(reads, [{ text: query, kinds }]))
    : [];
  const isKnown = known[0]?.whole === true;
  const all = kind === "" && !isKnown ? await allNames(app, pages) : [];
  const meant = kindAndName(query);
  if (meant !== null) {
    const ofKind = all.filter((names) => names.kind === meant.kind);
    const [found] = namesOf(ofKind, meant.name).filter((one) => one.found.names.length > 0);
    if (found !== undefined) {
      const matches = found.found.names.map((name) => namedMatch(found.kind, name, pages));
      return { query, matches, complete: !found.found.cut, tried: TRIED_NAMES, near: [] };
    }
  }
  const named = namesOf(all, query);
  const tasks = isKnown ? [] : await taskKeys(app);
  return app.store.read(async (reads) => {
    const [ids = NO_IDS] = isKnown ? known : await resolveTexts(reads, [{ text: query, kinds }]);
    const hosts = kind === "" && !ids.whole ? await hostsOf(reads, query) : NO_HOSTS;
    const direct = deduplicated([...ids.matches, ...hosts.runners]);
    const names = named.flatMap(({ kind: of, found }) => found.names.map((id) => ({ kind: of, id })));
    const pieces = direct.length + names.length > 0 || kind !== "" ? NO_PIECES : await piecesOf(reads, query, tasks);
    const stored = deduplicated([...direct, ...pieces.matches]);
    // Last resort for a text that matches nothing else.
    const mayBeEvent = stored.length + names.length === 0 && (kind === "" || kind === "event");
    const naming = mayBeEvent ? await conditionsNaming(reads, query) : [];
    const described = await describedIds(reads, [
      ...stored,
      ...naming.slice(0, NAMES_LISTED).map((id) => ({ kind: "valid_condition" as const, id })),
    ]);
    const exactName = named.some(({ found }) => found.exact);
    const matches = [
      ...described.map(withLabel),
      ...named.flatMap(({ kind: of, found }) =>
        (exactName || ids.whole) && !found.exact ? [] : found.names.map((name) => namedMatch(of, name, pages)),
      ),
    ];
    const near = matches.length > 0 ? [] : await describedIds(reads, await similarIds(reads, query, kinds));
    const alike = matches.length > 0 ? [] : namesLike(all, bare(query));
    return {
      query,
      matches,
      complete: ids.complete && hosts.all && pieces.complete && named.every(({ found }) => !found.cut),
      tried: [
        ...ids.tried,
        ...(kind === "" ? TRIED_NAMES : []),
        ...pieces.tried,
        ...(mayBeEvent ? [NAMED_EVENTS] : []),
      ],
      near: [...near.map(withLabel), ...alike.map(({ kind: of, name }) => namedMatch(of, name, pages))],
    };
  });
}

/** Whether the text is a valid invocation query with at least one field. */
async function isSearch(app: OpenedApp, query: string): Promise<boolean> {
  try {
    if (!hasField(query)) return false;
    await readInvocationInput(app, { q: [query] });
    return true;
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof NotFoundError) return false;
    throw error;
  }
}

function searchFor(q: string, label: string, at: string | null = null): Found {
  return { ...NO_FACTS, kind: "query", id: q, label, at };
}

/** Invocations with the text in their arguments, for example an order number, and what followed them. Null for a text that is too short or too long. */
async function amongArguments(
  app: OpenedApp,
  query: string,
  reach: Reach,
): Promise<{ found: Found[]; whole: boolean } | null> {
  if (query.length < SHORTEST_ARGUMENT || query.length > LONGEST_ARGUMENT) return null;
  const q = inArguments(query);
  const input = await readInvocationInput(app, { q: [q], limit: [String(ARGUMENTS_COUNTED)] });
  const { invocations, page } = await listInvocations(app, input, reach.invocations, reach.onProgress);
  const whole = page.total !== null;
  if (invocations.length === 0) return { found: [], whole };
  const number = whole
    ? counted(page.total ?? 0, "invocation")
    : `${counted(invocations.length, "invocation")} or more`;
  const label = `${number} with this text in the arguments`;
  const listed = searchFor(q, label, invocations[0]?.registered_at);
  // Which ones are the first of their families is only known of all that carry the text.
  const all = whole && page.total === invocations.length;
  const families = all ? await app.store.read((reads) => followedBy(reads, invocations)) : [];
  return { found: [listed, ...families.map(familyOf)], whole };
}

function familyOf({ first, words }: Followed): Found {
  const { invocation_id: id, task_id_key, status, registered_at: at } = first;
  return { ...NO_FACTS, kind: "family", id, label: words, task_id_key, status, at };
}

function inArguments(text: string): string {
  return `arg:${queryValue(text)}`;
}

function withArguments(
  nothing: Findings,
  query: string,
  reach: Reach,
  among: Awaited<ReturnType<typeof amongArguments>>,
): Findings {
  if (among === null) return nothing;
  const tried = [...nothing.tried, argumentsTried(among, reach)];
  // The first match is a link to the list of all matches, which also contains those not found here.
  if (among.found.length > 0) return { ...nothing, tried, matches: among.found, near: [], complete: true };
  if (among.whole) return { ...nothing, tried };
  const onwards = searchFor(inArguments(query), "Search the arguments of older invocations too");
  return { ...nothing, tried, complete: false, near: [...nothing.near, onwards] };
}

function argumentsTried({ whole }: { whole: boolean }, reach: Reach): string {
  return whole ? "arguments of invocations" : `arguments of the newest ${grouped(reach.invocations)} invocations`;
}

/** Kinds of matches that are no stored things. */
const OF_MONITOR: ReadonlySet<Found["kind"]> = new Set(["page", "action", "query"]);

const NO_FACTS = { task_id_key: null, status: null, detail: null, at: null };
const NO_IDS: ResolvedId = { matches: [], complete: true, whole: false, tried: [] };
const TRIED_NAMES = ["names of tasks, queues, event codes, workflow types, hosts, statuses, exceptions and pages"];

/** Removes duplicates, and workflow runs whose defining invocation is included: both have the same id, and the invocation's page links to the run. */
function deduplicated<One extends { kind: ObjectKind; id: string; app_id?: string }>(things: readonly One[]): One[] {
  const keyOf = ({ id, app_id = "" }: One, kind: ObjectKind) => `${kind} ${id} ${app_id}`;
  const invocations = new Set(things.flatMap((one) => (one.kind === "invocation" ? [keyOf(one, "invocation")] : [])));
  const kept = things.filter((one) => one.kind !== "workflow" || !invocations.has(keyOf(one, "invocation")));
  return [...new Map(kept.map((one) => [keyOf(one, one.kind), one])).values()];
}

function withLabel(described: DescribedId): Found {
  const words = [described.task_id_key, described.detail].filter((word) => word !== null);
  return { ...described, label: words.join(", ") || described.id };
}

/** @param name the label in case of a page. */
function namedMatch(kind: NameKind, name: string, pages: readonly NamedPage[]): Found {
  if (kind === "query") {
    return IS_WORDS.includes(name)
      ? searchFor(`is:${name}`, `Invocations that are ${name}`)
      : searchFor(`status:${name}`, `Invocations with status ${name}`);
  }
  const id = pages.find((page) => page.kind === kind && page.label === name)?.key ?? name;
  return { ...NO_FACTS, kind, id, label: name, task_id_key: kind === "task" ? id : null };
}
