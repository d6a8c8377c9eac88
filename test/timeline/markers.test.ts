/** The rows of markers, and which of them have room for their name. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import type { Lane } from "../../src/timeline/lanes.ts";
import { placeMarkers, type WantedMarker } from "../../src/timeline/markers.ts";
import { cases } from "../support/cases.ts";

const WIDTH = 1_200;
/** As wide as the square of a marker, and as a letter of its name. */
const [MARKER, LETTER] = [10, 8];

function event(at: number, name: string): WantedMarker {
  return {
    kind: "event",
    event_id: `${name} ${at}`,
    trigger_run_ids: [],
    name,
    state: "unmatched",
    at,
    timestamp: isoFromEpoch(at),
    emitter: null,
    runner_id: null,
    started: [],
    tasks: [],
    of_tasks: [],
  };
}

/** In one lane, through a window of a minute from `start` on. */
function placed(events: readonly WantedMarker[], start: number) {
  const seen = events.filter(({ at }) => at >= start && at <= start + 60).sort((a, b) => a.at - b.at);
  const lanes = placeMarkers(
    seen,
    [],
    { lanes: [], laneOf: () => undefined },
    { start, end: start + 60, width: WIDTH },
    { compact: false, byRunner: true, isClosed: () => false },
  );
  return [...lanes.values()].flatMap(({ markers }) =>
    markers.map(({ event_id, name, x, y, label, before }) => ({ event_id, name, x, y, label, before })),
  );
}

it("an event is in the lane of the runner that wrote it, where its emitter only has points in another", () => {
  const lane = (key: string) => ({ key }) as Lane;
  const strand = { invocation_id: "i", runner_id: "client", segments: [], points: [], from: 1, to: 1 };
  const lanes = placeMarkers(
    [{ ...event(5, "paid"), emitter: "i", runner_id: "worker" }],
    [{ strand: { ...strand, task_id_key: null }, y: 0 }],
    { lanes: [], laneOf: ({ runner_id }) => lane(runner_id ?? "none") },
    { start: 0, end: 60, width: WIDTH },
    { compact: false, byRunner: true, isClosed: () => false },
  );
  expect([...lanes.keys()]).toEqual(["worker"]);
});

const events = (from: number, to: number) =>
  fc.uniqueArray(
    fc
      .tuple(
        fc.integer({ min: from * 10, max: to * 10 }),
        fc.constantFrom("x", "order.created", "a.rather.long.event.name"),
      )
      .map(([tenths, name]) => event(tenths / 10, name)),
    { selector: ({ event_id }) => event_id, maxLength: 25 },
  );

describe("the name of a marker", () => {
  it("is inside the plot, and overlaps no other marker of its row and no other name", () => {
    let [right, left, none] = [0, 0, 0];
    fc.assert(
      fc.property(events(0, 60), (list) => {
        const markers = placed(list, 0);
        const drawn = markers.flatMap(({ event_id, name, x, y, label, before }) => {
          const length = name.length * LETTER;
          const square = { event_id, y, from: x - MARKER / 2, to: x + MARKER / 2 };
          if (label === null) none++;
          else if (before) left++;
          else right++;
          if (label === null) return [square];
          // However narrow the page draws the plot, words that are cut at the end of their place meet nothing else.
          const { from, to } = label;
          const place = before ? { ...square, from, to: square.from } : { ...square, from: square.to, to };
          expect(place.to - place.from).toBeGreaterThanOrEqual(length - 1e-6);
          return [square, place];
        });
        const names = drawn.filter((_, n) => drawn[n - 1]?.event_id === drawn[n]?.event_id);
        expect(names.filter(({ from, to }) => from < 0 || to > WIDTH)).toEqual([]);
        const lying = names.filter((name) =>
          drawn.some(
            (o) => o.event_id !== name.event_id && o.y === name.y && o.from < name.to - 1e-6 && name.from < o.to - 1e-6,
          ),
        );
        expect(lying).toEqual([]);
      }),
      { numRuns: cases(200) },
    );
    expect(Math.min(right, left, none)).toBeGreaterThan(cases(20));
  });

  it("is on the left at the end of the plot, if there is space", () => {
    const shown = (...list: WantedMarker[]) =>
      placed(list, 0).map(({ label, before }) => [label?.text ?? null, before]);
    expect(shown(event(59, "order.created"))).toEqual([["order.created", true]]);
    expect(shown(event(30, "order.created"), event(59, "order.created"))).toEqual([
      ["order.created", false],
      ["order.created", true],
    ]);
    // The name of the first ends right before the second.
    expect(shown(event(53, "order.created"), event(59, "order.created"))).toEqual([
      ["order.created", false],
      [null, true],
    ]);
    // Of three rows that are all taken the first one has room.
    const long = [50.4, 50.5, 50.6].map((at) => event(at, "a.rather.long.event.name"));
    expect(placed([...long, event(59.9, "x")], 0).map(({ label }) => label?.text.length)).toEqual([24, 24, 24, 1]);
  });
});

describe("the row of a marker", () => {
  it("stays the same when the window moves, until an older marker leaves it", () => {
    fc.assert(
      fc.property(events(10, 60), events(60, 70), fc.integer({ min: 0, max: 100 }), (list, later, tenths) => {
        const rows = (start: number) =>
          new Map(placed([...list, ...later], start).map(({ event_id, y }) => [event_id, y]));
        const [before, after] = [rows(0), rows(tenths / 10)];
        expect([...before].filter(([id, y]) => after.get(id) !== y)).toEqual([]);
      }),
      { numRuns: cases(100) },
    );
  });
});
