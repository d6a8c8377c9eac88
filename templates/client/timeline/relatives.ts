/** What belongs to a mark of a timeline, read from its data attributes (the contract is in templates/svg/timeline.tsx). */

import { addTo } from "../../../src/pynenc/groups.ts";
import { instantOf } from "./window.ts";

/** Everything that can be pointed at. */
export const MARKS = ".strand, .service, .marker";
/** Grounds and labels. */
const LANES = ".lanes > .lane, .lane-label";
const POINTED = `${MARKS}, .relation, .lane-label`;

/** A recorded cause: a relation, or a marker that stands on its emitter. */
interface Edge {
  from: string;
  to: string;
  element: Element;
}

interface Index {
  /** Strands and lines between them by invocation, markers by event or by each of their trigger runs. */
  marks: Map<string, Element[]>;
  effects: Map<string, Edge[]>;
  causes: Map<string, Edge[]>;
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
  const { triggerRunId, relationKind } = data(mark);
  const all = (selector: string) => [...timeline.querySelectorAll(selector)];
  const inLane = (element: Element) => laneOf(element) === laneOf(mark);
  if (mark.matches(".lane-label")) return new Set(all(`${LANES}, ${MARKS}`).filter(inLane));
  if (mark.matches(".service")) return new Set([mark, ...all(LANES).filter(inLane)]);
  if (relationKind !== undefined) {
    const ofRun = (one: Element) => triggerRunId !== undefined && data(one).triggerRunId === triggerRunId;
    const siblings = [mark, ...all(".relation").filter(ofRun)];
    const ends = siblings.flatMap((one) => [data(one).from ?? "", data(one).to ?? ""]);
    return new Set([...siblings, ...ends.flatMap((id) => index.marks.get(id) ?? [])]);
  }
  const chain = new Set<Element>();
  for (const [edges, end] of [
    [index.causes, "from"],
    [index.effects, "to"],
  ] as const) {
    const seen = new Set(idsOf(mark));
    // The set grows while it is walked.
    for (const id of seen) {
      for (const element of index.marks.get(id) ?? []) chain.add(element);
      for (const edge of edges.get(id) ?? []) {
        chain.add(edge.element);
        seen.add(edge[end]);
      }
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

/** The marks of invocations that failed or were killed here, and the parts of the window that count such, the earliest first. */
export function failuresOf(drawing: Element): SVGAElement[] {
  const failed = [...drawing.querySelectorAll<SVGAElement>(".strand")].flatMap((mark) => {
    const ends = mark.querySelectorAll(
      ":is([data-status='failed'], [data-status='killed'], [data-outcome='failed'], [data-outcome='killed'])",
    );
    const span = spanOf([...ends]);
    return span === null ? [] : [{ mark, when: span.end }];
  });
  const counted = [...drawing.querySelectorAll<SVGAElement>(".slice[data-failed]")].map((mark) => ({
    mark,
    when: instantOf(data(mark).start ?? ""),
  }));
  return [...failed, ...counted].sort((a, b) => a.when - b.when).map(({ mark }) => mark);
}

/** The marks of an id in an address: an invocation, an event, a schedule's run or a run of the atomic service. */
export function marksWithId(drawing: Element, id: string): SVGAElement[] {
  return [...drawing.querySelectorAll<SVGAElement>(MARKS)].filter((mark) => idsOf(mark).includes(id));
}

/** Identifies a mark across refreshes, which may replace its element. */
export function identityOf(mark: Element): string {
  const { invocationId, runnerId, eventId, triggerRunId, atomicServiceRunId, relationKind, from, to, start } =
    data(mark);
  const kind = mark.classList[0];
  const began = mark.querySelector<SVGElement>("[data-began], [data-at]")?.dataset;
  return JSON.stringify([
    kind,
    kind === "lane-label" ? laneOf(mark) : runnerId,
    ...[invocationId, eventId, triggerRunId, atomicServiceRunId, relationKind, from, to],
    kind === "strand" ? (began?.began ?? began?.at) : start,
  ]);
}

/** The mark with this identity. */
export function markOf(identity: string): Element | null {
  return (
    [...document.querySelectorAll(`.timeline :is(${POINTED})`)].find((mark) => identityOf(mark) === identity) ?? null
  );
}

/** The key of the lane of a mark or a lane. The marks of a lane are in a group that has it (by-lane.tsx). */
export function laneOf(element: Element): string {
  return data(element).laneKey ?? element.closest<SVGElement>("[data-part]")?.dataset.part ?? "";
}

/** What a mark stands for: one thing, or the trigger runs of a schedule. */
function idsOf(mark: Element): string[] {
  const { invocationId, eventId, atomicServiceRunId, triggerRunId = "" } = data(mark);
  const id = invocationId ?? eventId ?? atomicServiceRunId;
  return id === undefined ? triggerRunId.split(" ").filter((word) => word !== "") : [id];
}

function indexed(timeline: Element): Index {
  const index: Index = { marks: new Map(), effects: new Map(), causes: new Map() };
  const addEdge = (edge: Edge) => {
    addTo(index.effects, edge.from, edge);
    addTo(index.causes, edge.to, edge);
  };
  for (const element of timeline.querySelectorAll(`${MARKS}, .transition`)) {
    const { emitter, eventId } = data(element);
    for (const id of idsOf(element)) addTo(index.marks, id, element);
    if (emitter !== undefined && eventId !== undefined) addEdge({ from: emitter, to: eventId, element });
  }
  for (const element of timeline.querySelectorAll(".relation")) {
    const { from = "", to = "" } = data(element);
    addEdge({ from, to, element });
  }
  return index;
}

function data(element: Element): DOMStringMap {
  return (element as SVGElement).dataset;
}
