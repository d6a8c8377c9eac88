/**
 * Resolves ids as typed, for pages, commands and the search. A full id wins over ids with that prefix, and exact case over lower case.
 */
import { type InputProblem, InvalidInputError, NotFoundError, quote } from "../../errors.ts";
import { ID_KINDS, type IdKind } from "../../pynenc/id-kinds.ts";
import { counted } from "../../pynenc/numbers.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { KnownId } from "../../stores/ports/ids.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { knownObjects, type ObjectFacts, type ObjectKind } from "./known-objects.ts";
import { runnersShownAs } from "./shown-runners.ts";
import { tasksNamed } from "./task-keys.ts";
import { bare, fits, fullIds, MIN_CHARACTERS, mayBeCall, partsOf, writtenId } from "./written-id.ts";

/** Limit of ids of one kind listed if several match. */
const MATCHES_LISTED = 10;

/** Tasks whose calls are searched for the digits of an arguments id. */
const MAX_TASKS = 1_000;

/** Characters of the text repeated in a message. */
const TRIED_CHARACTERS = 80;

/** Length of the prefix compared if no id matches the full text. */
const SIMILAR_PREFIX = 8;
const SIMILAR_LISTED = 5;

export interface ResolvedId {
  matches: KnownId[];
  /** The search was exhaustive, so a single match is the only one. */
  complete: boolean;
  /** The text is the full id of the matches, so ids that only start with it do not count. */
  whole: boolean;
  /** What was searched for, as ends of the sentence "Looked for ...". */
  tried: string[];
}

/** A text and the kinds of objects it may mean; all kinds by default. */
export interface IdText {
  text: string;
  kinds?: readonly IdKind[] | undefined;
}

/** Resolves all texts with two reads in total, and two for each text that is the printed name of a runner. */
export async function resolveTexts(reads: AppReads, texts: readonly IdText[]): Promise<ResolvedId[]> {
  const found = await textsAsIds(reads, texts);
  const named = texts.map(async ({ text, kinds = ID_KINDS }, i) => {
    if ((found[i]?.matches.length ?? 0) > 0 || !kinds.includes("runner")) return;
    const { ids, complete } = await runnersShownAs(reads, text.trim());
    const one = found[i];
    if (one === undefined || ids.length === 0) return;
    one.matches = ids.map((id) => ({ kind: "runner", id }));
    one.complete = complete;
  });
  await Promise.all(named);
  return found;
}

async function textsAsIds(reads: AppReads, texts: readonly IdText[]): Promise<ResolvedId[]> {
  const written = texts.map(({ text, kinds = ID_KINDS }) => {
    const stripped = bare(text);
    return {
      kinds,
      spellings: [...new Set([text, text.trim(), stripped])],
      variants: [...new Set([stripped, stripped.normalize("NFC"), stripped.normalize("NFD"), stripped.toLowerCase()])],
    };
  });
  const mayNameCalls = written.some(({ kinds, variants }) => kinds.includes("call") && variants.some(mayBeCall));
  const all = mayNameCalls ? await reads.orchestrator.taskKeys() : [];
  const tasks = all.slice(0, MAX_TASKS);
  const spelled = written.map(({ kinds, spellings, variants }) =>
    [...new Set([...spellings, ...variants])].map((text) =>
      kinds.flatMap((kind) => (kind === "call" && !mayBeCall(text) ? [] : fullIds(kind, text, tasks))),
    ),
  );
  const fullForms = spelled.flat(2).filter((one) => one.id !== "");
  const known = new Set((await reads.ids.known(fullForms)).map(keyOf));
  const whole = spelled.map((forms) =>
    forms.map((ids) => ids.filter((one) => known.has(keyOf(one)))).find((ids) => ids.length > 0),
  );
  const parts = written.map(({ kinds, variants }, i) =>
    whole[i] !== undefined
      ? []
      : variants.map((text) =>
          kinds.flatMap((kind) => (kind === "call" && !mayBeCall(text) ? [] : partsOf(kind, text, tasks))),
        ),
  );
  const flat = parts.flat(2);
  const found = flat.length === 0 ? [] : await reads.ids.matching(flat, MATCHES_LISTED);
  const answers = new Map(flat.map((part, i) => [part, found[i]]));
  return written.map(({ variants }, i): ResolvedId => {
    const tried = triedWords(variants, parts[i] ?? []);
    const exact = whole[i];
    if (exact !== undefined) return { matches: distinct(exact), complete: true, whole: true, tried: tried.slice(0, 1) };
    let complete = true;
    for (const [v, text] of variants.entries()) {
      const form = writtenId(text);
      const own = parts[i]?.[v] ?? [];
      const matches = own.flatMap((part) =>
        (answers.get(part)?.ids ?? [])
          .filter((id) => part.kind === "call" || part.kind === "client_data" || fits(form, id))
          .map((id): KnownId => ({ kind: part.kind, id })),
      );
      complete = own.every((part) => answers.get(part)?.complete !== false) && all.length <= MAX_TASKS;
      if (matches.length > 0) return { matches: distinct(matches), complete, whole: false, tried };
    }
    return { matches: [], complete, whole: false, tried };
  });
}

/** What `ask` finds in each other app of the store, one app after the other. Not inside `store.read`. */
export async function inOtherApps<Found extends object>(
  app: OpenedApp,
  ask: (reads: AppReads) => Promise<readonly Found[]>,
): Promise<(Found & { app_id: string })[]> {
  const all: (Found & { app_id: string })[] = [];
  for (const other of await app.others()) {
    const { app_id } = other;
    all.push(...(await other.read(ask)).map((found) => ({ ...found, app_id })));
  }
  return all;
}

/** A shortened id. Other texts are only looked for in other apps as whole ids: on some servers no index finds ids by their beginning. */
const DIGITS = /^[0-9a-f][0-9a-f-]{3,}(?:(?:…|\.{3})[0-9a-f]+)?$/i;

/** Objects of other apps that have the text as their id, in full or shortened. */
export async function idsElsewhere(
  app: OpenedApp,
  text: string,
  kinds: readonly IdKind[] = ID_KINDS,
): Promise<(KnownId & { app_id: string })[]> {
  const shortened = DIGITS.test(bare(text));
  if (!shortened && !writtenId(bare(text)).whole) return [];
  return inOtherApps(app, async (reads) => {
    const [answer] = await resolveTexts(reads, [{ text, kinds }]);
    return shortened || answer?.whole === true ? (answer?.matches ?? []) : [];
  });
}

/** Ids with the same first characters as an unknown one. */
export async function similarIds(
  reads: AppReads,
  text: string,
  kinds: readonly IdKind[] = ID_KINDS,
): Promise<KnownId[]> {
  const stripped = bare(text);
  const [first = ""] = writtenId(stripped).pieces;
  const beginning = first.slice(0, SIMILAR_PREFIX);
  if (first.length <= SIMILAR_PREFIX || beginning.length < SIMILAR_PREFIX) return [];
  const parts = kinds.filter((kind) => kind !== "call").map((kind) => ({ kind, beginning, ending: "" }));
  const found = await reads.ids.matching(parts, SIMILAR_LISTED);
  return found
    .flatMap(({ ids }, i) => ids.map((id) => ({ kind: parts[i]?.kind as IdKind, id })))
    .slice(0, SIMILAR_LISTED);
}

/** An id with what is known about it. */
export interface DescribedId {
  kind: ObjectKind;
  id: string;
  task_id_key: string | null;
  status: string | null;
  detail: string | null;
  /** When it happened, or last changed. */
  at: string | null;
}

export async function describedIds(
  reads: AppReads,
  ids: readonly { kind: ObjectKind; id: string }[],
): Promise<DescribedId[]> {
  const known = await knownObjects(reads, (kind) => ids.flatMap((one) => (one.kind === kind ? [one.id] : [])), []);
  return ids.map(({ kind, id }) => {
    const { task_id_key, status, detail, at }: ObjectFacts = known.facts(kind, id) ?? NOTHING_KNOWN;
    return { kind, id, task_id_key, status, detail, at: isoOrNull(at) };
  });
}

const NOTHING_KNOWN: ObjectFacts = { task_id_key: null, status: null, detail: null, at: null };

/** A parameter or an argument that takes an id. */
export interface IdWanted {
  /** Its name for the user: `runner`, `--runner`, `<id>`. */
  parameter: string;
  kinds: readonly IdKind[];
  text: string;
}

/** The id matches several objects, or it is not known whether it does. */
export class AmbiguousIdError extends InvalidInputError {
  readonly wanted: IdWanted;

  constructor(wanted: IdWanted, candidates: readonly DescribedId[], complete: boolean) {
    const found = counted(candidates.length, "id");
    const accepted = complete
      ? `it fits ${candidates.length === MATCHES_LISTED ? "several ids, the first of them" : found}:`
      : `it fits ${found} of those that were checked, and there may be more; give the full id:`;
    const problem: InputProblem = { parameter: wanted.parameter, value: wanted.text, accepted };
    super([problem], candidates.map(candidateLine).join("\n"));
    this.wanted = wanted;
  }
}

function candidateLine({ kind, id, task_id_key, status, detail, at }: DescribedId): string {
  return `  ${[kind.replaceAll("_", " "), id, task_id_key, status, detail, at].filter((word) => word !== null).join("  ")}`;
}

/**
 * The one id that matches a text; null if none does. Not inside `store.read`.
 *
 * @throws AmbiguousIdError if several match, or one does and not all could be checked.
 */
export async function resolvedId(app: OpenedApp, wanted: IdWanted): Promise<KnownId | null> {
  return app.store.read(async (reads) => {
    const [found] = await resolveTexts(reads, [wanted]);
    const matches = found?.matches ?? [];
    const [only, ...others] = matches;
    if (only === undefined) return null;
    if (others.length === 0 && found?.complete === true) return only;
    throw new AmbiguousIdError(
      wanted,
      await describedIds(reads, matches.slice(0, MATCHES_LISTED)),
      found?.complete === true,
    );
  });
}

/** Parameters that take ids, with the kinds of objects they accept. */
export type IdParameters = Readonly<Record<string, readonly IdKind[]>>;

/**
 * Replaces shortened ids in the input by full ones. A text that matches nothing stored is kept. Values may hold several ids, separated by
 * commas. Not inside `store.read`.
 *
 * @throws AmbiguousIdError
 */
export async function withFullIds(app: OpenedApp, raw: RawInput, parameters: IdParameters): Promise<RawInput> {
  const given = Object.entries(parameters).flatMap(([parameter, kinds]) =>
    (raw[parameter] ?? []).flatMap((value) => value.split(",").map((text) => ({ parameter, kinds, text }))),
  );
  if (given.every(({ text }) => text.trim() === "")) return raw;
  return app.store.read(async (reads) => {
    const found = await resolveTexts(reads, given);
    const ids: string[] = [];
    for (const [i, wanted] of given.entries()) {
      const { matches = [], complete = false } = found[i] ?? {};
      const [only, ...others] = matches;
      if (only !== undefined && (others.length > 0 || !complete)) {
        throw new AmbiguousIdError(wanted, await describedIds(reads, matches.slice(0, MATCHES_LISTED)), complete);
      }
      ids.push(only?.id ?? wanted.text);
    }
    const whole: Record<string, readonly string[] | undefined> = { ...raw };
    for (const parameter of Object.keys(parameters)) {
      whole[parameter] = raw[parameter]?.map((value) => ids.splice(0, value.split(",").length).join(","));
    }
    return whole;
  });
}

/**
 * Runs `use` with the full id for a text, or with the text itself if nothing matches: a detail page may know ids that have no record of their own.
 * If `use` does not find it either, the error says what was searched for and lists similar ids.
 *
 * @throws AmbiguousIdError, NotFoundError, and what `use` throws.
 */
export async function withId<T>(app: OpenedApp, wanted: IdWanted, use: (id: string) => Promise<T>): Promise<T> {
  const found = await resolvedId(app, wanted);
  try {
    return await use(found?.id ?? wanted.text);
  } catch (error) {
    if (!(error instanceof NotFoundError) || found !== null) throw error;
    throw new NotFoundError(error.kind, error.id, await notFoundDetails(app, wanted, error.hint), error.message);
  }
}

/** If other apps of the store have what was not found, an error that names them; otherwise the error itself. Not inside `store.read`. */
export async function orElsewhere(app: OpenedApp, error: unknown): Promise<unknown> {
  if (!(error instanceof NotFoundError) || NOT_OF_APPS.includes(error.kind)) return error;
  const { kind, id } = error;
  const ids = await idsElsewhere(app, id);
  const found = ids.length > 0 ? ids : await namedElsewhere(app, kind, id);
  const apps = [...new Set(found.map(({ app_id }) => app_id))];
  if (apps.length === 0) return error;
  const hint = `It is in ${apps.length === 1 ? "another app" : "other apps"} of this store: ${apps.join(", ")}.`;
  // A workflow run has the id of its defining invocation.
  const alike = found.filter((one) => one.kind === kind.replaceAll(" ", "_"));
  const elsewhere = apps.flatMap((app_id) => [...alike, ...found].find((one) => one.app_id === app_id) ?? []);
  return new NotFoundError(kind, id, hint, `No ${kind} ${quote(id)} in the app ${quote(app.app_id)}.`, elsewhere);
}

/** Kinds of missing things that do not belong to an app. */
const NOT_OF_APPS = ["app", "page", "asset"];

/** Kinds of missing things that a name may mean, with the kinds of names to look for. */
const NAMED: Readonly<Record<string, readonly NamedThing[]>> = {
  task: ["task"],
  "workflow type": ["task"],
  queue: ["queue"],
  "event code": ["event_code"],
  thing: ["task", "queue", "event_code"],
};
type NamedThing = "task" | "queue" | "event_code";

/** A name may follow its kind: `queue mail`. */
const KIND_BEFORE = /^(?:task|queue|workflow type|event code)\s+/i;

/** Event codes of one app that are looked through. */
const MAX_CODES = 1_000;

/** Things of other apps that have exactly this name; of queues those with messages. */
async function namedElsewhere(
  app: OpenedApp,
  kind: string,
  text: string,
): Promise<{ app_id: string; kind: NamedThing; id: string }[]> {
  const kinds = NAMED[kind] ?? [];
  const name = bare(text).replace(KIND_BEFORE, "");
  if (kinds.length === 0) return [];
  return inOtherApps(app, async (reads) => {
    const namesOf = {
      task: async () => tasksNamed(name, await reads.orchestrator.taskKeys()),
      queue: async () => (await reads.broker.queues()).flatMap(({ queue_name }) => queue_name ?? []),
      event_code: () => reads.trigger.eventCodes(MAX_CODES),
    };
    const found = await Promise.all(
      kinds.map(async (one) => {
        const names = await namesOf[one]();
        return names.filter((id) => one === "task" || id === name).map((id) => ({ kind: one, id }));
      }),
    );
    return found.flat();
  });
}

async function notFoundDetails(app: OpenedApp, { text, kinds }: IdWanted, hint: string | null): Promise<string> {
  const { similar, others } = await app.store.read(async (reads) => {
    const [found] = await resolveTexts(reads, [{ text }]);
    return {
      similar: await describedIds(reads, await similarIds(reads, text, kinds)),
      others: await describedIds(reads, found?.matches.slice(0, SIMILAR_LISTED) ?? []),
    };
  });
  const short = bare(text).length < MIN_CHARACTERS;
  const lines = [
    ...(hint === null ? [] : [hint]),
    short
      ? `An id can be shortened to its first ${MIN_CHARACTERS} characters or more.`
      : "Searched for full ids and ids that start with this, ignoring case.",
    ...(others.length === 0 ? [] : ["Found, but of another kind:", ...others.map(candidateLine)]),
    ...(similar.length === 0 ? [] : ["Similar ids:", ...similar.map(candidateLine)]),
  ];
  return lines.join("\n");
}

function triedWords(variants: readonly string[], parts: readonly (readonly unknown[])[]): string[] {
  const words = variants.flatMap((text, v) => {
    const form = writtenId(text);
    const all = form.pieces.join("…");
    const shown = all.length > TRIED_CHARACTERS ? `${all.slice(0, TRIED_CHARACTERS)}…` : all;
    const whole = form.whole ? [`the full id ${JSON.stringify(shown)}`] : [];
    const part =
      (parts[v]?.length ?? 0) === 0
        ? []
        : [form.whole ? `ids that start with ${JSON.stringify(shown)}` : `ids shortened to ${JSON.stringify(shown)}`];
    return [...whole, ...part].map((sentence) => sentence.normalize());
  });
  // A composed and a decomposed spelling look the same.
  return [...new Set(words)];
}

function keyOf({ kind, id }: KnownId): string {
  return `${kind} ${id}`;
}

function distinct(ids: readonly KnownId[]): KnownId[] {
  return [...new Map(ids.map((one) => [keyOf(one), one])).values()];
}
