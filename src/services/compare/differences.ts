/**
 * What distinguishes one group of invocations from another: values that are more or less frequent in it, and values with which it takes longer or
 * shorter, singly or in pairs. Plain data in and out.
 *
 * A difference is listed only if chance alone would hardly produce it. `LISTED_BY_CHANCE` is the probability that a random split of all invocations
 * lists anything at all, however many values are examined: half of it is divided among all values that could be listed, half among all
 * their pairs (Bonferroni's correction; values too rare to be listed at all do not count, after Tarone). A pair of values must also differ from each of
 * its values alone by more than chance, and durations with a value from durations without it.
 */

import type { ComparedDimension, ComparedMeasure } from "../../api/compare.ts";
import { addTo } from "../../pynenc/groups.ts";
import { type Counted, chanceOfCounts, leastChance, leastDifference } from "../model/count-chance.ts";
import {
  chanceOfTimes,
  chanceOfUnlikeTimes,
  leastSeparation,
  type Separation,
  separations,
  type TimedItems,
  timedItems,
} from "./time-chance.ts";

export const LISTED_BY_CHANCE = 0.001;

/** How many values per measure are tried in pairs: those least likely by chance. */
const PAIRED = 12;

/** Where nothing is listed: how many of the differences that chance may explain are named, and how likely chance may make one of them. */
const CLOSEST = 5;
const CLOSEST_CHANCE = 0.2;

/** How many values are tested for that, those with the greatest difference first. */
const CLOSEST_TESTED = 200;

/** With fewer invocations on a side, durations are not compared. */
const LEAST_TIMED = 5;

/** Minimum ratio of durations, in either direction, for a difference to be listed. */
const LEAST_TIMES = 1.25;

/** A value that an invocation has: `retries` 2, `argument` region=eu. */
export interface Having {
  dimension: ComparedDimension;
  /** Name of the argument, and after dots the path of a member inside it; null for other dimensions. */
  argument: string | null;
  /** Null if it has no parent or no trigger. */
  value: string | null;
}

/** The facts about one invocation that are compared. */
export interface ComparedInvocation {
  /** Durations are compared with those of the same task. */
  task: string | null;
  having: readonly Having[];
  /** Dimensions that are not known: the invocation does not count in their totals. */
  unknown: readonly ComparedDimension[];
  /** Seconds spent running and waiting; null if it did not, or if that is not known. */
  run: number | null;
  wait: number | null;
}

/** What is not compared, because the groups were chosen by it. */
export interface LeftOut {
  dimensions: ReadonlySet<ComparedDimension>;
  /** Single arguments, by name. */
  arguments: ReadonlySet<string>;
  measures: ReadonlySet<ComparedMeasure>;
}

/** One side of a difference. */
export interface Side extends Counted {
  /** Of the durations of those counted, in seconds; null for shares. */
  median: number | null;
  p95: number | null;
}

interface Ranked {
  measure: ComparedMeasure;
  /** One value, or a pair; empty for durations of all invocations. */
  having: readonly Having[];
  /** Other values that exactly the same invocations have. */
  alike: readonly Having[];
  /** Between -1 and 1: the share here minus the share there; for durations, as `Separation.apart`. */
  apart: number;
  /** Lower bound for `apart`, without its sign. Differences are ranked by it. */
  least: number;
}

/** The numbers that are shown with a difference. */
interface Figures {
  here: Side;
  there: Side;
  /** For durations: the median ratio of a duration here to the median of its task there. Null for shares. */
  times: number | null;
}

export interface Difference extends Ranked, Figures {}

export interface Found {
  /** Greatest first. */
  differences: Difference[];
  /** If there are none: the closest to one, shares before durations, each the greatest first. Chance may explain them. */
  closest: Difference[];
  /** Durations of all invocations of both sides, also of the kind that the selection was chosen by. */
  medians: Pick<Difference, "measure" | "here" | "there">[];
  /** Values and durations that could have been listed, and pairs of them. */
  values: number;
  pairs: number;
}

/** A value with the invocations that have it. */
interface Entry {
  having: Having;
  /** Indices, ascending. */
  items: number[];
  here: number;
  there: number;
  alike: Having[];
}

interface Tested {
  entries: readonly Entry[];
  difference: Ranked;
  chance: number;
  /** Only called for what is listed, because medians take the longest. */
  figures: () => Figures;
}

/** The invocations of both sides in one list. Those before index `here` are in the first. */
class Items {
  readonly all: readonly ComparedInvocation[];
  readonly here: number;
  readonly entries: readonly Entry[];
  readonly #known = new Map<ComparedDimension, { items: Uint8Array; here: number; there: number }>();

  constructor(here: readonly ComparedInvocation[], there: readonly ComparedInvocation[], leftOut: LeftOut) {
    this.all = [...here, ...there];
    this.here = here.length;
    this.entries = this.#entriesOf(leftOut);
  }

  /** Which invocations count for a dimension, and how many there are on each side. */
  known(dimension: ComparedDimension) {
    const before = this.#known.get(dimension);
    if (before !== undefined) return before;
    const items = Uint8Array.from(this.all, ({ unknown }) => (unknown.includes(dimension) ? 0 : 1));
    const here = items.subarray(0, this.here).reduce((sum, one) => sum + one, 0);
    const there = items.subarray(this.here).reduce((sum, one) => sum + one, 0);
    const known = { items, here, there };
    this.#known.set(dimension, known);
    return known;
  }

  counted({ having, here, there }: Entry): [here: Counted, there: Counted] {
    const known = this.known(having.dimension);
    return [
      { count: here, total: known.here },
      { count: there, total: known.there },
    ];
  }

  #entriesOf({ dimensions, arguments: names }: LeftOut): Entry[] {
    const found: Entry[] = [];
    // By dimension or argument, then by value: joining them into one key would take longer.
    const ofDimension = new Map<string, Map<string | null, Entry>>();
    const ofArgument = new Map<string, Map<string | null, Entry>>();
    this.all.forEach(({ having: all }, item) => {
      for (const having of all) {
        const { dimension, argument, value } = having;
        if (dimensions.has(dimension) || (argument !== null && names.has(argument))) continue;
        const [kinds, kind] = argument === null ? [ofDimension, dimension] : [ofArgument, argument];
        const values = kinds.get(kind) ?? new Map<string | null, Entry>();
        const known = values.get(value);
        const entry = known ?? { having, items: [], here: 0, there: 0, alike: [] };
        if (known === undefined) {
          kinds.set(kind, values.set(value, entry));
          found.push(entry);
        }
        if (entry.items.at(-1) === item) continue;
        entry.items.push(item);
        if (item < this.here) entry.here++;
        else entry.there++;
      }
    });
    return found;
  }
}

/** What differs between two groups of invocations, none of which is in both. */
export function differences(
  here: readonly ComparedInvocation[],
  there: readonly ComparedInvocation[],
  leftOut: LeftOut,
): Found {
  const items = new Items(here, there, leftOut);
  const known = (["run", "wait"] as const).map((measure): [typeof measure, TimedItems] => [
    measure,
    timesOf(items, measure),
  ]);
  const durations = known.filter(([measure]) => !leftOut.measures.has(measure));
  const timed = durations.flatMap(([measure, times]) => timeTests(items, measure, times));
  const counted = leftOut.measures.has("share") ? [] : items.entries;
  const least = counted.map((entry) => {
    const [a, b] = items.counted(entry);
    return leastChance(entry.here + entry.there, a.total, b.total);
  });
  const values = timed.length + listable(least, timed.length);
  const pairs = Math.max(0, (values * (values - 1)) / 2);
  const [limit, pairLimit] = [LISTED_BY_CHANCE / 2 / values, LISTED_BY_CHANCE / 2 / pairs];
  const shares = counted.flatMap((entry, i) => ((least[i] ?? 1) > limit ? [] : [shareTest(items, entry)]));
  const single = withoutAlike([...shares, ...timed].filter(({ chance }) => chance <= limit));
  const paired = [
    ...strongest(shares.filter(({ difference }) => difference.apart > 0)).flatMap((pair) => sharePair(items, pair)),
    ...durations.flatMap(([measure, times]) =>
      strongest(timed.filter(({ difference }) => difference.measure === measure)).flatMap((pair) =>
        timePair(items, measure, times, pair),
      ),
    ),
  ].filter(({ chance }) => chance <= pairLimit);
  const notable = [...withoutComplements(single), ...paired]
    .map(({ difference, figures }): Difference => ({ ...difference, ...figures() }))
    .filter(isNotable);
  notable.sort(
    (a, b) => b.least - a.least || a.having.length - b.having.length || Math.abs(b.apart) - Math.abs(a.apart),
  );
  const medians = known.map(([measure, times]) => {
    const number = (from: number, to: number) =>
      times.order.reduce((sum, item) => sum + (item >= from && item < to ? 1 : 0), 0);
    const { here, there } = timeFigures(times, new Uint8Array(items.all.length), {
      here: number(0, times.here),
      there: number(times.here, items.all.length),
    });
    return { measure, here, there };
  });
  return {
    differences: notable,
    closest: notable.length > 0 ? [] : closestOf(items, counted, timed),
    medians,
    values,
    pairs,
  };
}

/** Single values and durations that differ, although chance may explain it. */
function closestOf(items: Items, counted: readonly Entry[], timed: readonly Tested[]): Difference[] {
  const apart = (entry: Entry) => {
    const [here, there] = items.counted(entry);
    return Math.abs(here.count / here.total - there.count / there.total);
  };
  // Of what a single invocation has, such as its order number, nothing is in common.
  const shares = counted
    .filter((entry) => entry.items.length > 1)
    .map((entry) => ({ entry, apart: apart(entry) }))
    .sort((a, b) => b.apart - a.apart)
    .slice(0, CLOSEST_TESTED)
    .map(({ entry }) => shareTest(items, entry));
  const tested = [...shares, ...timed].filter(({ chance }) => chance <= CLOSEST_CHANCE);
  return withoutComplements(withoutAlike(tested.sort((a, b) => a.chance - b.chance)))
    .map(({ difference, figures }): Difference => ({ ...difference, ...figures() }))
    .filter(isNotable)
    .slice(0, CLOSEST)
    .sort(
      (a, b) => Number(a.measure !== "share") - Number(b.measure !== "share") || Math.abs(b.apart) - Math.abs(a.apart),
    );
}

/** How many of the values could be listed, in addition to this number of others, if each gets the same share of the limit (Tarone). */
function listable(least: readonly number[], others: number): number {
  const ascending = least.toSorted((a, b) => a - b);
  let number = 0;
  while (number < ascending.length && (ascending[number] ?? 1) <= LISTED_BY_CHANCE / 2 / (number + others)) number++;
  return number;
}

function shareTest(items: Items, entry: Entry): Tested {
  const [here, there] = items.counted(entry);
  return { entries: [entry], chance: chanceOfCounts(here, there), ...shareDifference([entry.having], here, there) };
}

function shareDifference(
  having: readonly Having[],
  here: Counted,
  there: Counted,
): Pick<Tested, "difference" | "figures"> {
  const apart = here.count / here.total - there.count / there.total;
  return {
    difference: { measure: "share", having, alike: [], apart, least: leastDifference(here, there) },
    figures: () => ({ here: { ...here, ...NO_TIMES }, there: { ...there, ...NO_TIMES }, times: null }),
  };
}

/** Tests two values together: each must also make a difference among the invocations that have the other. */
function sharePair(items: Items, [a, b]: readonly [Entry, Entry]): Tested[] {
  const known = [items.known(a.having.dimension), items.known(b.having.dimension)] as const;
  const sides = () => ({ both: 0, a: 0, b: 0, total: 0 });
  const [here, there] = [sides(), sides()];
  const [hasA, hasB] = [marked(items, a), marked(items, b)];
  for (let item = 0; item < items.all.length; item++) {
    if (known[0].items[item] === 0 || known[1].items[item] === 0) continue;
    const side = item < items.here ? here : there;
    side.total++;
    side.a += hasA[item] ?? 0;
    side.b += hasB[item] ?? 0;
    if (hasA[item] === 1 && hasB[item] === 1) side.both++;
  }
  const of = (total: "a" | "b" | "total"): [Counted, Counted] => [
    { count: here.both, total: here[total] },
    { count: there.both, total: there[total] },
  ];
  const [hereAll, thereAll] = of("total");
  if (here.both * there.total <= there.both * here.total) return [];
  const chance = Math.max(...(["total", "a", "b"] as const).map((total) => chanceOfCounts(...of(total))));
  return [{ entries: [a, b], chance, ...shareDifference([a.having, b.having], hereAll, thereAll) }];
}

function timesOf({ all, here }: Items, measure: "run" | "wait"): TimedItems {
  const numbers = new Map<string | null, number>();
  const tasks = Int32Array.from(all, ({ task }) => {
    const number = numbers.get(task) ?? numbers.size;
    numbers.set(task, number);
    return number;
  });
  return timedItems(
    tasks,
    Float64Array.from(all, (one) => one[measure] ?? Number.NaN),
    here,
  );
}

/** Tests the durations of all invocations, and those with each value that is frequent enough. These must also differ from durations without it. */
function timeTests(items: Items, measure: "run" | "wait", times: TimedItems): Tested[] {
  const everything = new Uint8Array(items.all.length);
  const [all] = separations(times, everything, 1);
  if (all === undefined || !isTimed(all)) return [];
  const whole: Tested = {
    entries: [],
    chance: chanceOfTimes(all),
    ...timeDifference(measure, [], times, everything, all),
  };
  const single = items.entries.flatMap((entry): Tested[] => {
    if (entry.here < LEAST_TIMED || entry.there < LEAST_TIMED) return [];
    const known = items.known(entry.having.dimension).items;
    const classes = marked(items, entry).map((has, item) => (known[item] === 0 ? 255 : 1 - has));
    const [those, others] = separations(times, classes, 2);
    if (those === undefined || others === undefined || !isTimed(those)) return [];
    const chance = Math.max(chanceOfTimes(those), chanceOfUnlikeTimes(those, others));
    return [{ entries: [entry], chance, ...timeDifference(measure, [entry.having], times, classes, those) }];
  });
  return [whole, ...single];
}

/** Tests the durations of invocations with both values: they must also differ from those with only one of them. */
function timePair(items: Items, measure: "run" | "wait", times: TimedItems, [a, b]: readonly [Entry, Entry]): Tested[] {
  const known = [items.known(a.having.dimension).items, items.known(b.having.dimension).items] as const;
  const [hasA, hasB] = [marked(items, a), marked(items, b)];
  // 0 where an item has both, 1 and 2 where it has one of them.
  const classes = hasA.map((has, item) => {
    if (known[0][item] === 0 || known[1][item] === 0) return 255;
    return 3 - 2 * has - (hasB[item] ?? 0);
  });
  const [both, onlyA, onlyB] = separations(times, classes, 3);
  if (both === undefined || onlyA === undefined || onlyB === undefined || !isTimed(both)) return [];
  const chance = Math.max(chanceOfTimes(both), chanceOfUnlikeTimes(both, onlyA), chanceOfUnlikeTimes(both, onlyB));
  return [{ entries: [a, b], chance, ...timeDifference(measure, [a.having, b.having], times, classes, both) }];
}

function isTimed({ here, there }: Separation): boolean {
  return here >= LEAST_TIMED && there >= LEAST_TIMED;
}

/** A small ratio of durations is not worth listing, however unlikely it is by chance. */
function isNotable({ measure, times }: Difference): boolean {
  return measure === "share" || (times !== null && (times >= LEAST_TIMES || times <= 1 / LEAST_TIMES));
}

/** The difference in durations between items of class 0. */
function timeDifference(
  measure: "run" | "wait",
  having: readonly Having[],
  times: TimedItems,
  classes: Uint8Array,
  separation: Separation,
): Pick<Tested, "difference" | "figures"> {
  return {
    difference: { measure, having, alike: [], apart: separation.apart, least: leastSeparation(separation) },
    figures: () => timeFigures(times, classes, separation),
  };
}

/** The figures for items of class 0. */
function timeFigures(
  times: TimedItems,
  classes: Uint8Array,
  { here, there }: Pick<Separation, "here" | "there">,
): Figures {
  const sides: [here: number[], there: number[]] = [[], []];
  const usual = new Map<number, number[]>();
  // Sorted by task, then by duration: the durations of each task are ascending.
  for (const item of times.order) {
    if (classes[item] !== 0) continue;
    const [task = 0, seconds = 0] = [times.tasks[item], times.seconds[item]];
    sides[item < times.here ? 0 : 1].push(seconds);
    if (item < times.here) continue;
    addTo(usual, task, seconds);
  }
  const ratios: number[] = [];
  for (const item of times.order) {
    if (classes[item] !== 0 || item >= times.here) continue;
    const compared = median(usual.get(times.tasks[item] ?? 0) ?? []);
    if (compared !== null && compared > 0) ratios.push((times.seconds[item] ?? 0) / compared);
  }
  return {
    here: sideOf(here, sides[0].sort(ascending)),
    there: sideOf(there, sides[1].sort(ascending)),
    times: median(ratios.sort(ascending)),
  };
}

const NO_TIMES = { median: null, p95: null };

/** @param sorted its durations, ascending. */
function sideOf(count: number, sorted: readonly number[]): Side {
  return { count, total: count, median: median(sorted), p95: sorted[Math.ceil(0.95 * sorted.length) - 1] ?? null };
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** With an even count, the mean of the middle two; null without numbers. @param sorted ascending. */
function median(sorted: readonly number[]): number | null {
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

function marked({ all }: Items, { items }: Entry): Uint8Array {
  const marks = new Uint8Array(all.length);
  for (const item of items) marks[item] = 1;
  return marks;
}

/** Pairs of the values that are least likely by chance. Two values of one dimension or argument, or of the same invocations, are no pair. */
function strongest(tested: readonly Tested[]): [Entry, Entry][] {
  const single = tested.filter(({ entries }) => entries.length === 1);
  const chosen = withoutAlike(single.sort((a, b) => a.chance - b.chance || b.difference.least - a.difference.least))
    .slice(0, PAIRED)
    .flatMap(({ entries }) => entries);
  // A pair is written in the same order, whichever value is stronger: `host b and region=eu`.
  const key = ({ having: { dimension, argument, value } }: Entry) =>
    `${argument === null ? "" : "~"}${dimension} ${argument} ${value}`;
  chosen.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return chosen.flatMap((a, i) =>
    chosen.slice(i + 1).flatMap((b): [Entry, Entry][] => (isSameKind(a.having, b.having) ? [] : [[a, b]])),
  );
}

function isSameKind(a: Having, b: Having): boolean {
  return a.dimension === b.dimension && a.argument === b.argument;
}

/** If exactly the same invocations have several values, these become one difference. */
function withoutAlike(tested: readonly Tested[]): Tested[] {
  const first = new Map<string, Tested>();
  for (const one of tested) {
    const key = `${one.difference.measure} ${one.entries.map(({ items }) => items.join()).join(" ")}`;
    const known = first.get(key);
    if (known === undefined) first.set(key, one);
    else {
      const alike = [...known.difference.alike, ...one.difference.having];
      first.set(key, { ...known, difference: { ...known.difference, alike } });
    }
  }
  return [...first.values()];
}

/** If one value is more frequent, the other values of its dimension are bound to be less frequent, so these are left out. */
function withoutComplements(tested: readonly Tested[]): Tested[] {
  const more = tested.filter(({ difference }) => difference.measure === "share" && difference.apart > 0);
  return tested.filter(
    ({ difference: { measure, apart, having } }) =>
      measure !== "share" ||
      apart > 0 ||
      !more.some(({ difference }) =>
        [...difference.having, ...difference.alike].some((one) => having.every((other) => isSameKind(one, other))),
      ),
  );
}
