/** What differs between a selection of invocations and a baseline. */
import type { ComparedDifference, ComparedSide, ComparedValue, Comparison } from "../../api/compare.ts";
import { counted, grouped, lasting } from "../../pynenc/numbers.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { queryValue } from "../input/query-text.ts";
import { type InvocationFilter, shownFilter } from "../model/filter-type.ts";
import { isUnfiltered } from "../model/invocation-filter.ts";
import { ARGUMENT_BYTES, comparedFacts } from "./compared-facts.ts";
import { type ComparedInput, leftOutOf, readComparedInput } from "./compared-input.ts";
import { type Drawn, drawnFrom, matchesAmong, type Range, thinned, WHOLE, wholeSelection } from "./compared-sample.ts";
import { type ComparedInvocation, type Difference, differences, type Having, type LeftOut } from "./differences.ts";

/** With fewer invocations on a side, hardly any difference is distinguishable from chance. */
const FEW = 10;

/**
 * Milliseconds after which nothing more is read, far below the deadline of a read: what has been read by then is compared, and a note says so. The first
 * half is for finding the invocations, a quarter for reading each side. Each step reads something, however long the previous one took.
 */
const PATIENCE = 8_000;
const FIND_PATIENCE = PATIENCE / 2;
const HERE_PATIENCE = (3 / 4) * PATIENCE;

/**
 * Compares a selection with its baseline. If nothing restricts the selection, nothing is read, and a note says what to ask for.
 *
 * @param raw as for `readComparedInput`.
 * @throws InvalidInputError
 */
export async function compare(app: OpenedApp, raw: RawInput): Promise<Comparison> {
  const input = await readComparedInput(app, raw);
  const { here, there } = input;
  const leftOut = leftOutOf(input);
  const common = {
    with: input.with,
    span: { from: isoOrNull(here.from), to: isoOrNull(here.to) },
    left_out: leftOutWords(leftOut),
  };
  if (input.nothing) {
    const notes = ["Choose what to compare with all others: enter a search, or choose a time range."];
    const none = { compared: 0, total: null, sample: false };
    return {
      ...common,
      here: { filter: shownFilter(here), ...none },
      there: { filter: shownFilter(there), ...none },
      ...{ values: 0, pairs: 0, differences: [], closest: [], medians: [], differences_total: 0, notes },
    };
  }
  const begun = performance.now();
  const sides = await bothSides(app, input, begun + FIND_PATIENCE);
  const late = performance.now() >= begun + FIND_PATIENCE && (sides.here.sample || sides.there.sample);
  const { facts: factsHere, examined: examinedHere } = await comparedFacts(
    app,
    sides.here.ids,
    here,
    begun + HERE_PATIENCE,
  );
  const { facts: factsThere, examined: examinedThere } = await comparedFacts(
    app,
    sides.there.ids,
    there,
    begun + PATIENCE,
  );
  const unread = { here: sides.here.ids.length - examinedHere, there: sides.there.ids.length - examinedThere };
  for (const id of factsHere.keys()) factsThere.delete(id);
  const [all, others] = [[...factsHere.values()], [...factsThere.values()]];
  const found = differences(all, others, leftOut);
  const answer = {
    here: sideOf(here, onlyExamined(sides.here, sides.here.ids.slice(0, examinedHere)), all.length),
    there: sideOf(there, onlyExamined(sides.there, sides.there.ids.slice(0, examinedThere)), others.length),
  };
  return {
    ...common,
    ...answer,
    values: found.values,
    pairs: found.pairs,
    differences: found.differences.slice(0, input.limit).map(shownDifference),
    closest: found.closest.map(shownDifference),
    medians: found.medians.map(({ measure, here: a, there: b }) => ({
      measure,
      here: shownSide(a),
      there: shownSide(b),
    })),
    differences_total: found.differences.length,
    notes: [...(late ? [LATE_NOTE] : []), ...slowNotes(unread), ...notesOf(answer, [...all, ...others])],
  };
}

/**
 * The invocations of both sides. One that belongs to both counts only for the selection; if it is not known whether one does, the baseline leaves it
 * out.
 */
async function bothSides(
  app: OpenedApp,
  { here, there }: ComparedInput,
  until: number,
): Promise<{ here: Drawn; there: Drawn }> {
  const sameRange = here.from === there.from && here.to === there.to;
  const drawn = await drawnFrom(app, here, until);
  const { selected, examined } = await selectedFrom(app, here, drawn, until);
  const drawnThere = sameRange ? examined : await drawnFrom(app, there, until);
  const { selected: others } = await selectedFrom(app, there, drawnThere, until);
  // All invocations of the baseline that the selection contains are among its ids if the selection is complete, if both come from one sample, or if
  // their ranges do not overlap. Otherwise the baseline may contain others.
  const isKnown = !selected.sample || (sameRange ? others.sample : !overlap(here, there));
  const both = isKnown
    ? { met: new Set(selected.ids), examined: others.ids }
    : await matchesAmong(app, here, others.ids, until, sameRange ? "any time" : "its range");
  const rest = both.examined.filter((id) => !both.met.has(id));
  return { here: limited(selected, selected.ids), there: limited(onlyExamined(others, both.examined), rest) };
}

function beginsBefore({ from }: Range, end: number | null): boolean {
  return from === null || end === null || from <= end;
}

function overlap(a: Range, b: Range): boolean {
  return beginsBefore(a, b.to) && beginsBefore(b, a.to);
}

/** The invocations that meet a filter: all of them if an index finds them, otherwise those of the sample that were checked in time. */
async function selectedFrom(
  app: OpenedApp,
  filter: InvocationFilter,
  drawn: Drawn,
  until: number,
): Promise<{ selected: Drawn; examined: Drawn }> {
  if (isUnfiltered({ ...filter, from: null, to: null })) return { selected: drawn, examined: drawn };
  const whole = drawn.sample ? await wholeSelection(app, filter, until) : null;
  if (whole !== null) return { selected: { ids: whole, total: whole.length, sample: false }, examined: drawn };
  const { met, examined: ids } = await matchesAmong(app, filter, drawn.ids, until);
  const examined = onlyExamined(drawn, ids);
  const selected = partOf(
    examined,
    ids.filter((id) => met.has(id)),
  );
  return { selected, examined };
}

/** The part of a sample that was examined. The total stays. */
function onlyExamined(drawn: Drawn, ids: readonly string[]): Drawn {
  return { ...drawn, ids, sample: drawn.sample || ids.length < drawn.ids.length };
}

/** A part of a sample, with the total reduced in proportion. */
function partOf({ ids: all, total, sample }: Drawn, ids: readonly string[]): Drawn {
  return {
    ids,
    sample,
    total: total === null || all.length === 0 ? total : Math.round((total * ids.length) / all.length),
  };
}

const LATE_NOTE = `The store is slow: the search took longer than ${lasting(FIND_PATIENCE / 1_000)}, so fewer invocations may be compared.`;

function slowNotes(unread: Record<"here" | "there", number>): string[] {
  const sides = (["here", "there"] as const).filter((name) => unread[name] > 0);
  if (sides.length === 0) return [];
  const which = sides.map((name) => (name === "here" ? "the selection" : "the baseline")).join(" and ");
  return [
    `The store is slow: ${counted(unread.here + unread.there, "invocation")} of ${which} could not be read within ${lasting(PATIENCE / 1_000)} and ${unread.here + unread.there === 1 ? "is" : "are"} not compared.`,
  ];
}

/** At most `WHOLE` of these ids, evenly spread: as many as are compared. */
function limited(drawn: Drawn, ids: readonly string[]): Drawn {
  const part = partOf(drawn, ids);
  return { ...part, ids: thinned(ids, WHOLE), sample: part.sample || ids.length > WHOLE };
}

function sideOf(filter: InvocationFilter, drawn: Drawn, compared: number): ComparedSide {
  const { total } = partOf(drawn, drawn.ids.slice(0, compared));
  return { filter: shownFilter(filter), compared, total: drawn.sample ? total : compared, sample: drawn.sample };
}

/** What a reader has to know about the sides. One sentence each. */
function notesOf(sides: Record<"here" | "there", ComparedSide>, all: readonly ComparedInvocation[]): string[] {
  const notes = (["here", "there"] as const).flatMap((name) => {
    const { compared, sample } = sides[name];
    const which = name === "here" ? "the selection" : "the baseline";
    if (sample) return [];
    if (compared === 0) return [`No invocations in ${which}.`];
    return compared < FEW
      ? [`Only ${counted(compared, "invocation")} in ${which}: too few to distinguish most differences from chance.`]
      : [];
  });
  const unread = all.filter(({ unknown }) => unknown.includes("argument")).length;
  if (unread > 0) {
    notes.push(
      `The arguments of ${counted(unread, "invocation")} are not compared: they are not stored, or longer than ${grouped(ARGUMENT_BYTES)} bytes.`,
    );
  }
  return notes;
}

function leftOutWords({ dimensions, arguments: names, measures }: LeftOut): string[] {
  return [
    ...[...dimensions].map((dimension) => DIMENSION_WORDS[dimension]),
    ...[...names].map((name) => `argument ${name}`),
    ...[...measures].map(timeOf),
  ];
}

const DIMENSION_WORDS: Readonly<Record<Having["dimension"], string>> = {
  task: "task",
  argument: "arguments",
  host: "host",
  runner: "runner",
  hour: "hour of day",
  parent_task: "parent task",
  trigger: "trigger",
  retries: "retries",
  exception: "exception",
  status: "status",
};

function shownDifference({ having, alike, here, there, least, ...rest }: Difference): ComparedDifference {
  const { measure, times, apart } = rest;
  return {
    sentence: sentenceOf({ having, here, there, measure, times }),
    measure,
    values: having.map(shownValue),
    alike: alike.map(shownValue),
    here: shownSide(here),
    there: shownSide(there),
    times,
    apart,
    at_least: least,
    query: queryOf(having),
  };
}

function shownSide({ count, total, median, p95 }: Difference["here"]): ComparedDifference["here"] {
  return { count, total, median_seconds: median, p95_seconds: p95 };
}

function shownValue(having: Having): ComparedValue {
  return { ...having, words: wordsOf(having) };
}

/** `host b and region=eu: 12 of 40 here, 3 of 900 there`. */
function sentenceOf({
  having,
  here,
  there,
  measure,
  times,
}: Pick<Difference, "having" | "here" | "there" | "measure" | "times">): string {
  const values = having.map(wordsOf).join(" and ");
  if (measure === "share") {
    const share = ({ count, total }: Difference["here"]) => `${grouped(count)} of ${grouped(total)}`;
    return `${values}: ${share(here)} selected, ${share(there)} in the baseline`;
  }
  const median = (side: Difference["here"]) => `${lasting(side.median ?? 0)} in ${grouped(side.count)}`;
  const what = `${timeOf(measure)} ${timesWords(times ?? 1)}`;
  return `${values === "" ? "all" : values}: ${what}, median ${median(here)} selected, ${median(there)} in the baseline`;
}

function timeOf(measure: Difference["measure"]): string {
  return measure === "run" ? "time running" : "time waiting";
}

function timesWords(times: number): string {
  const [factor, word] = times >= 1 ? [times, "as long"] : [1 / times, "shorter"];
  return `${Number(factor.toPrecision(2))}× ${word}`;
}

function wordsOf({ dimension, argument, value }: Having): string {
  switch (dimension) {
    case "argument":
      return `${argument}=${value}`;
    case "hour":
      return `registered from ${value}:00 to ${value}:59 UTC`;
    case "parent_task":
      return value === null ? "top-level call" : `called by ${value}`;
    case "trigger":
      return value === null ? "started by no trigger" : `started by trigger ${value.slice(0, 8)}`;
    case "retries":
      return counted(Number(value), "retry", "retries");
    case "exception":
      return `failed with ${value}`;
    default:
      return `${dimension} ${value}`;
  }
}

/** A search for invocations with these values; null if a search cannot express one of them. */
function queryOf(having: readonly Having[]): string | null {
  const terms = having.map(termOf);
  return terms.length === 0 || terms.includes(null) ? null : terms.join(" ");
}

function termOf({ dimension, argument, value }: Having): string | null {
  if (value === null || value === "") return null;
  const written = queryValue(value);
  switch (dimension) {
    case "task":
    case "runner":
    case "retries":
    case "status":
      return `${dimension}:${written}`;
    case "argument":
      return /^[^\s:<>=",]+$/.test(argument ?? "") ? `arg.${argument}=${written}` : null;
    default:
      return null;
  }
}
