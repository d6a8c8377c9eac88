/** What belongs to a mark of a timeline, read from its data attributes (the contract is in templates/svg/timeline.tsx). */

import { addTo } from "../../../src/pynenc/groups.ts";
import { instantOf } from "./window.ts";

/** Everything that can be pointed at. */
export const MARKS = ".strand, .service, .marker";
const POINTED = `${MARKS}, .relation, .lane-label`;

interface Index {
  strands: Map<string, Element[]>;
  transitions: Map<string, Element[]>;
  /** By event id, and those of schedules by each of their trigger runs. */
  markers: Map<string, Element[]>;
  emitted: Map<string, Element[]>;
  /** By the ids of both ends. */
  relations: Map<string, Element[]>;
  relationsOfRun: Map<string, Element[]>;
  /** Grounds and labels. */
  lanes: Map<string, Element[]>;
  inLane: Map<string, Element[]>;
}

let indexes = new WeakMap<Element, Index>();

/** Elements were added or removed. */
export function forgetRelatives(): void {
  indexes = new WeakMap();
}

/** The element of a timeline under the event or with the focus. */
export function pointedAt(target: EventTarget | null): Element | null {
  const element = target instanceof Element ? target.closest(POINTED) : null;
  return element?.closest(".timeline") == null ? null : element;
}

/** The mark itself, what led to it and what it led to, along the whole chain of relations. */
export function relativesOf(mark: Element): Set<Element> {
  const timeline = mark.closest(".timeline");
  if (timeline === null) return new Set();
  const index = indexes.get(timeline) ?? indexed(timeline);
  indexes.set(timeline, index);
  const { invocationId, atomicServiceRunId, eventId, triggerRunId, relationKind, emitter } = data(mark);
  if (mark.matches(".lane-label")) {
    const key = laneOf(mark);
    return new Set([...at(index.lanes, key), ...at(index.inLane, key)]);
  }
  if (atomicServiceRunId !== undefined) return new Set([mark, ...at(index.lanes, laneOf(mark))]);
  if (relationKind !== undefined) {
    const siblings = triggerRunId === undefined ? [mark] : at(index.relationsOfRun, triggerRunId);
    return new Set([...siblings, ...siblings.flatMap((relation) => endsOf(index, relation))]);
  }
  const ids =
    invocationId !== undefined ? [invocationId] : eventId !== undefined ? [eventId] : words(triggerRunId ?? "");
  const chain = new Set<Element>();
  const origins = emitter === undefined ? ids : [...ids, emitter];
  for (const [near, far] of [
    ["to", "from"],
    ["from", "to"],
  ] as const) {
    const seen = new Set(near === "to" ? origins : ids);
    // The set grows while it is walked.
    for (const id of seen) {
      for (const element of [...marksOfInvocation(index, id), ...at(index.markers, id)]) chain.add(element);
      const emitters = near === "to" ? at(index.markers, id).map((marker) => data(marker).emitter) : [];
      const emitted = near === "from" ? at(index.emitted, id) : [];
      for (const marker of emitted) chain.add(marker);
      const next = [...emitters, ...emitted.map((marker) => data(marker).eventId)];
      for (const relation of at(index.relations, id)) {
        if (data(relation)[near] !== id) continue;
        chain.add(relation);
        next.push(data(relation)[far]);
      }
      for (const other of next) if (other !== undefined) seen.add(other);
    }
  }
  return chain;
}

/** From the first to the last instant of marks; null if none has one. */
export function spanOf(marks: readonly Element[]): { start: number; end: number } | null {
  const instants = marks
    .flatMap((mark) => [mark, ...mark.querySelectorAll("[data-began], [data-at]")])
    .flatMap((part) => {
      const { began, ended, at: point, start, end } = data(part);
      return [began, ended, point, start, end].flatMap((text) => (text === undefined ? [] : [instantOf(text)]));
    })
    .filter((instant) => !Number.isNaN(instant));
  if (instants.length === 0) return null;
  return instants.reduce(
    (span, instant) => ({ start: Math.min(span.start, instant), end: Math.max(span.end, instant) }),
    { start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY },
  );
}

/** The marks of invocations that failed or were killed here, the earliest first. */
export function failuresOf(drawing: Element): SVGAElement[] {
  const failed = [...drawing.querySelectorAll<SVGAElement>(".strand")].flatMap((mark) => {
    const ends = mark.querySelectorAll(
      ":is([data-status='failed'], [data-status='killed'], [data-outcome='failed'], [data-outcome='killed'])",
    );
    const span = spanOf([...ends]);
    return span === null ? [] : [{ mark, when: span.end }];
  });
  return failed.sort((a, b) => a.when - b.when).map(({ mark }) => mark);
}

/** The marks of an id in an address: an invocation, an event, a schedule's run or a run of the atomic service. */
export function marksWithId(drawing: Element, id: string): SVGAElement[] {
  return [...drawing.querySelectorAll<SVGAElement>(MARKS)].filter((mark) => {
    const { invocationId, eventId, triggerRunId, atomicServiceRunId } = data(mark);
    return id === invocationId || id === eventId || id === atomicServiceRunId || words(triggerRunId ?? "").includes(id);
  });
}

/** Identifies a mark across refreshes, which may replace its element. */
export function identityOf(mark: Element): string {
  const { invocationId, runnerId, eventId, triggerRunId, atomicServiceRunId, relationKind, from, to } = data(mark);
  const kind = mark.classList[0];
  const began = mark.querySelector<SVGElement>("[data-began], [data-at]")?.dataset;
  return JSON.stringify([
    kind,
    kind === "lane-label" ? laneOf(mark) : runnerId,
    ...[invocationId, eventId, triggerRunId, atomicServiceRunId, relationKind, from, to],
    kind === "strand" ? (began?.began ?? began?.at) : undefined,
  ]);
}

/** The mark with this identity. */
export function markOf(identity: string): Element | null {
  return (
    [...document.querySelectorAll(`.timeline :is(${POINTED})`)].find((mark) => identityOf(mark) === identity) ?? null
  );
}

/** The key of the lane of a mark or a lane: shared lanes have a key of their own, a lane of one runner has that runner's id. */
export function laneOf(element: Element): string {
  const { laneKey, runnerId } = data(element);
  return laneKey ?? runnerId ?? "";
}

function marksOfInvocation(index: Index, id: string): Element[] {
  return [...at(index.strands, id), ...at(index.transitions, id)];
}

function endsOf(index: Index, relation: Element): Element[] {
  const { from = "", to = "" } = data(relation);
  return [from, to].flatMap((id) => [...marksOfInvocation(index, id), ...at(index.markers, id)]);
}

function indexed(timeline: Element): Index {
  const index: Index = {
    strands: new Map(),
    transitions: new Map(),
    markers: new Map(),
    emitted: new Map(),
    relations: new Map(),
    relationsOfRun: new Map(),
    lanes: new Map(),
    inLane: new Map(),
  };
  for (const element of timeline.querySelectorAll(".lanes > .lane, .lane-label"))
    addTo(index.lanes, laneOf(element), element);
  for (const element of timeline.querySelectorAll(MARKS)) {
    const { invocationId, eventId, triggerRunId, emitter } = data(element);
    addTo(index.inLane, laneOf(element), element);
    if (invocationId !== undefined) addTo(index.strands, invocationId, element);
    for (const id of eventId === undefined ? words(triggerRunId ?? "") : [eventId]) addTo(index.markers, id, element);
    if (emitter !== undefined) addTo(index.emitted, emitter, element);
  }
  for (const element of timeline.querySelectorAll(".transition")) {
    addTo(index.transitions, data(element).invocationId ?? "", element);
  }
  for (const element of timeline.querySelectorAll(".relation")) {
    const { from = "", to = "", triggerRunId } = data(element);
    addTo(index.relations, from, element);
    addTo(index.relations, to, element);
    if (triggerRunId !== undefined) addTo(index.relationsOfRun, triggerRunId, element);
  }
  return index;
}

function data(element: Element): DOMStringMap {
  return (element as SVGElement).dataset;
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

function at(map: ReadonlyMap<string, Element[]>, key: string): Element[] {
  return map.get(key) ?? [];
}
