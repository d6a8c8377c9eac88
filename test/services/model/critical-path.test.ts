/** The critical path without a store, compared with a naive walk on random families. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOrder, lifeStretches, NO_SIGNS_OF_LIFE, type Stretch } from "../../../src/pynenc/life.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import {
  type Candidate,
  fullPath,
  joined,
  type Member,
  opened,
  type Piece,
} from "../../../src/services/model/critical-path.ts";
import { cases } from "../../support/cases.ts";

interface Entry {
  status: string;
  at: number;
  runner: string | null;
}

const life = (...entries: [status: string, at: number, runner?: string][]): Entry[] =>
  entries.map(([status, at, runner = null]) => ({ status, at, runner }));
/** Of entries whose times are microseconds. */
function stretchesOf(entries: readonly Entry[], now: number | null): Stretch[] {
  const steps = entries.map(({ status, at, runner }) => ({ status, timestamp: at / 1e6, status_runner_id: runner }));
  const found = lifeStretches(inOrder(steps), now === null ? null : now / 1e6, NO_SIGNS_OF_LIFE);
  return found.filter(({ from, to }) => from < to);
}

const nothing: Member = { stretches: [], candidates: [] };

function pathOf(subject: string, members: ReadonlyMap<string, Member>): Piece[] {
  const first = fullPath(subject, members.get(subject) ?? nothing);
  let pieces = first === null ? [] : [first];
  while (pieces.some((piece) => piece.open)) {
    pieces = pieces.flatMap((piece) => (piece.open ? opened(piece, members.get(piece.id) ?? nothing) : [piece]));
  }
  return joined(pieces);
}

/** Lives by id, and who called whom; waits that are recorded are listed apart. */
function family(
  lives: Record<string, Entry[]>,
  parents: Record<string, string>,
  edges: [string, string][] = [],
  now: number | null = null,
): Map<string, Member> {
  const finals = STATUSES.filter((status) => status.final).map((status) => status.name);
  const candidate = (id: string, edge: boolean, called: boolean): Candidate => {
    const byTime = [...(lives[id] ?? [])].sort((a, b) => a.at - b.at);
    const last = byTime.at(-1);
    return {
      id,
      registered: byTime.find((one) => one.status === "registered")?.at ?? null,
      ended: last !== undefined && finals.includes(last.status) ? last.at : null,
      edge,
      called,
    };
  };
  return new Map(
    Object.entries(lives).map(([id, entries]): [string, Member] => {
      const others = Object.keys(lives).filter(
        (other) => parents[other] === id || edges.some(([a, b]) => a === id && b === other),
      );
      return [
        id,
        {
          stretches: stretchesOf(entries, now),
          candidates: others.map((other) =>
            candidate(
              other,
              edges.some(([a, b]) => a === id && b === other),
              parents[other] === id,
            ),
          ),
        },
      ];
    }),
  );
}

const told = (pieces: readonly Piece[]) =>
  pieces.map(({ id, phase, from, to, waits_for }) =>
    [id, phase, from, to, ...(waits_for === null ? [] : [waits_for])].join(" "),
  );

describe("the critical path", () => {
  const parent = life(
    ["registered", 0],
    ["pending", 1],
    ["running", 2],
    ["paused", 10],
    ["running", 30],
    ["success", 33],
  );

  it("during a pause follows the child that ended last before the parent ran again", () => {
    const members = family(
      {
        a: parent,
        early: life(["registered", 5], ["pending", 6], ["running", 7], ["success", 20]),
        late: life(["registered", 6], ["pending", 12], ["running", 14], ["success", 29]),
        outlives: life(["registered", 6], ["pending", 7], ["running", 8], ["success", 40]),
      },
      { early: "a", late: "a", outlives: "a" },
    );
    expect(told(pathOf("a", members))).toEqual([
      "a queued 0 1",
      "a pending 1 2",
      "a running 2 10",
      "late queued 10 12",
      "late pending 12 14",
      "late running 14 29",
      "a paused 29 30 late",
      "a running 30 33",
    ]);
  });

  it("stays with a paused invocation if none of its children ended during the pause", () => {
    const members = family(
      { a: parent, b: life(["registered", 5], ["pending", 6], ["running", 7], ["success", 9]) },
      { b: "a" },
    );
    expect(told(pathOf("a", members)).at(3)).toBe("a paused 10 30");
  });

  it("follows the children of a run one after the other if the runner does not pause it, and links them as run", () => {
    const members = family(
      {
        a: life(["registered", 0], ["pending", 1], ["running", 2], ["success", 40]),
        b: life(["registered", 5], ["pending", 6], ["running", 7], ["success", 15]),
        c: life(["registered", 16], ["pending", 17], ["running", 18], ["success", 30]),
        besides: life(["registered", 6], ["pending", 7], ["running", 8], ["success", 12]),
      },
      { b: "a", c: "a", besides: "a" },
    );
    const path = pathOf("a", members);
    expect(told(path)).toEqual([
      "a queued 0 1",
      "a pending 1 2",
      "a running 2 5",
      "b queued 5 6",
      "b pending 6 7",
      "b running 7 15",
      "a running 15 16",
      "c queued 16 17",
      "c pending 17 18",
      "c running 18 30",
      "a running 30 40",
    ]);
    expect([...new Set(path.map(({ link }) => link))]).toEqual([null, "run"]);
  });

  it("does not follow the children of a run if the invocation was paused while it waited", () => {
    const lives = { a: parent, b: life(["registered", 3], ["pending", 4], ["running", 5], ["success", 9]) };
    expect(told(pathOf("a", family(lives, { b: "a" }))).some((line) => line.startsWith("b"))).toBe(false);
  });

  it("follows recorded waits until now, into other families and without running in a circle", () => {
    const paused = (from: number) => life(["registered", 0], ["pending", 1], ["running", 2], ["paused", from]);
    const edges: [string, string][] = [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ];
    const members = family({ a: paused(5), b: paused(6), c: paused(7) }, {}, edges, 20);
    expect(told(pathOf("a", members))).toEqual([
      "a queued 0 1",
      "a pending 1 2",
      "a running 2 5",
      "b running 5 6",
      "c running 6 7",
      "c paused 7 20",
    ]);
  });

  it("continues from a pause of the child to the invocation that the child waited for", () => {
    const members = family(
      {
        a: parent,
        b: life(["registered", 5], ["pending", 11], ["running", 12], ["paused", 15], ["running", 25], ["success", 29]),
        c: life(["registered", 14], ["pending", 16], ["running", 17], ["failed", 24]),
      },
      { b: "a", c: "b" },
    );
    expect(told(pathOf("a", members)).slice(3, 10)).toEqual([
      "b queued 10 11",
      "b pending 11 12",
      "b running 12 15",
      "c queued 15 16",
      "c pending 16 17",
      "c running 17 24",
      "b paused 24 25 c",
    ]);
  });

  it("leaves out invocations that a child waited for before its caller waited for the child", () => {
    const members = family(
      {
        a: parent,
        b: life(["registered", 3], ["pending", 4], ["running", 5], ["success", 29]),
        c: life(["registered", 6], ["pending", 7], ["running", 8], ["success", 9]),
        d: life(["registered", 8], ["pending", 9], ["running", 11], ["success", 20]),
      },
      { b: "a", c: "b", d: "b" },
    );
    expect(told(pathOf("a", members)).slice(2, 7)).toEqual([
      "a running 2 10",
      "d pending 10 11",
      "d running 11 20",
      "b running 20 29",
      "a paused 29 30 b",
    ]);
    members.get("b")?.candidates.forEach((one) => {
      if (one.id === "d") one.registered = 12;
    });
    expect(told(pathOf("a", members)).slice(2, 4)).toEqual(["a running 2 10", "b running 10 12"]);
  });

  it("marks the time of an invocation without a history as not known", () => {
    const members = family(
      { a: parent, b: life(["registered", 5], ["pending", 6], ["running", 7], ["success", 29]) },
      { b: "a" },
    );
    members.set("b", nothing);
    expect(told(pathOf("a", members)).slice(2, 5)).toEqual(["a running 2 10", "b not_known 10 29", "a paused 29 30 b"]);
  });
});

/** Where the path is in the instant before `at`: one step back in time after another, and at each a look at everybody. */
function naive(subject: string, members: ReadonlyMap<string, Member>, from: number, to: number): string[] {
  const found: string[] = [];
  // Who is on the path from the subject down, each since when its caller waits for it.
  const line: { id: string; since: number }[] = [{ id: subject, since: from }];
  const stretchOf = (id: string, at: number) => members.get(id)?.stretches.find((one) => one.from < at && at <= one.to);
  for (let at = to; at > from; at--) {
    const left = line.findIndex((one, n) => n > 0 && at <= one.since);
    if (left > 0) line.splice(left);
    for (;;) {
      const top = line.at(-1) ?? { id: subject, since: from };
      const stretch = stretchOf(top.id, at);
      if (stretch === undefined) break;
      const pauses = members.get(top.id)?.stretches.some((one) => one.phase === "paused");
      const awaited = (members.get(top.id)?.candidates ?? [])
        .filter((one) => !line.some((other) => other.id === one.id))
        .flatMap(({ id, registered, ended, edge, called }) => {
          const since = Math.max(registered ?? stretch.from, stretch.from);
          const live = ended === null && edge && stretch.ongoing && at === stretch.to;
          const pause = stretch.phase === "paused" && ended === at;
          const run =
            stretch.phase === "running" &&
            !pauses &&
            called &&
            ended === at &&
            registered !== null &&
            registered >= stretch.from;
          const mayWait = stretch.phase === "paused" || stretch.phase === "running";
          return mayWait && (live || pause || run) && since < at ? [{ id, since }] : [];
        })
        .sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));
      const [next] = awaited;
      if (next === undefined) break;
      line.push({ id: next.id, since: Math.max(next.since, top.since) });
    }
    const { id } = line.at(-1) ?? { id: subject };
    found.unshift(`${id} ${stretchOf(id, at)?.phase ?? "not_known"}`);
  }
  return found;
}

const NEXT: Record<string, readonly string[]> = {
  registered: ["pending"],
  pending: ["running", "running", "killed"],
  killed: ["rerouted"],
  rerouted: ["pending"],
  running: ["success", "paused", "success", "paused", "retry"],
  paused: ["running"],
  retry: ["pending"],
};

const NAMES = ["a", "b", "c", "d", "e", "f"];

const seldom = <T>(some: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: some });

const randomFamily = fc
  .array(
    fc.record({
      begins: fc.nat(30),
      moves: fc.array(fc.record({ choice: fc.nat(9), lasts: fc.nat(12) }), { minLength: 5, maxLength: 10 }),
      parent: fc.nat(5),
      /** Entries that are lost, and one whose clock is off. */
      lost: seldom(fc.nat(9)),
      skew: seldom(fc.record({ at: fc.nat(9), by: fc.integer({ min: -8, max: 8 }) })),
      forgotten: fc.boolean(),
    }),
    { minLength: 2, maxLength: 6, size: "max" },
  )
  .chain((all) =>
    fc.record({ all: fc.constant(all), edges: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 4 }) }),
  )
  .map(({ all, edges }) => {
    const lives: Record<string, Entry[]> = {};
    const parents: Record<string, string> = {};
    const depths: number[] = [];
    const starts: number[] = [];
    for (const [n, { begins, moves, parent, lost, skew }] of all.entries()) {
      const name = NAMES[n] ?? "";
      // Children begin a little later than their parent and are shorter, so that many end while it waits.
      const above = n === 0 ? null : parent % n;
      const depth = above === null ? 0 : (depths[above] ?? 0) + 1;
      depths.push(depth);
      starts.push((above === null ? 0 : (starts[above] ?? 0)) + (begins % 8));
      const entries = [{ status: "registered", at: starts[n] ?? 0, runner: null as string | null }];
      for (const { choice, lasts } of moves) {
        const last = entries.at(-1);
        const words = NEXT[last?.status ?? ""];
        if (words === undefined) break;
        entries.push({
          status: words[choice % words.length] ?? "",
          at: (last?.at ?? 0) + Math.ceil((3 * lasts) / (1 + 2 * depth)),
          runner: null,
        });
      }
      // Half of them end where their parent's second last status did, or just before.
      const wait = lives[NAMES[above ?? -1] ?? ""]?.at(-2);
      const shift = wait === undefined || begins > 15 ? 0 : wait.at - (begins % 3) - (entries.at(-1)?.at ?? 0);
      for (const entry of entries) entry.at = Math.max(0, entry.at + shift);
      const skewed = entries.map((one, at) => (at === skew?.at ? { ...one, at: Math.max(0, one.at + skew.by) } : one));
      lives[name] = skewed.filter((_, at) => at !== lost);
      if (n > 0) parents[name] = NAMES[parent % n] ?? "a";
    }
    const named = edges.map(([a, b]): [string, string] => [NAMES[a] ?? "a", NAMES[b] ?? "a"]);
    const members = family(
      lives,
      parents,
      named.filter(([a, b]) => a in lives && b in lives),
      400,
    );
    for (const [n, { forgotten }] of all.entries()) {
      if (forgotten && n > 3) members.set(NAMES[n] ?? "", nothing);
    }
    return members;
  });

describe("the critical path of any family", () => {
  it("covers the time from beginning to end exactly, and equals the path of a naive walk", () => {
    let descents = 0;
    fc.assert(
      fc.property(fc.noBias(randomFamily), (members) => {
        for (const [id, { stretches: own }] of members) {
          const path = pathOf(id, members);
          const [from, to] = [own[0]?.from ?? 0, own.at(-1)?.to ?? 0];
          expect(path.reduce((sum, piece) => sum + piece.to - piece.from, 0)).toBe(to - from);
          expect(path.map((piece) => piece.from)).toEqual(path.map((_, n) => path[n - 1]?.to ?? from));
          expect(path.filter((piece) => piece.to <= piece.from)).toEqual([]);
          const ticks = path.flatMap((piece) =>
            Array.from({ length: piece.to - piece.from }, () => `${piece.id} ${piece.phase}`),
          );
          expect(ticks).toEqual(naive(id, members, from, to));
          if (path.some((piece) => piece.above.length > 0)) descents++;
        }
      }),
      { numRuns: cases(400) },
    );
    expect(descents).toBeGreaterThan(cases(30));
  });
});
