/** Waits that cannot end, and almost equal ones that can. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { cases } from "../../support/cases.ts";
import { at, type MemoryApp } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(600);

/** Invocations that run on r1 and are in this status since so many seconds. */
function held(app: MemoryApp, id: string, status: string, since: number, runner = "r1"): MemoryApp {
  return app.invocation(id, {
    history: [
      [at(0), "registered"],
      [at(0), "pending", runner],
      [at(0), "running", runner],
      ...(status === "running" ? [] : [[at(since), status, runner] as const]),
    ],
  });
}

function circle(statuses: readonly string[]): MemoryApp {
  const app = healthyApp({ now: NOW });
  statuses.forEach((status, n) => {
    held(app, `call${n}`, status, n + 1).edge(`call${n}`, `call${(n + 1) % statuses.length}`);
  });
  return app;
}

describe("a circle of waiting invocations", () => {
  it("has a verdict with all its members, since the last one paused", async () => {
    const [verdict, ...others] = await verdictsOf(circle(["paused", "paused", "paused"]));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "wait_cycle",
      severity: "error",
      sentence: "3 invocations wait for each other",
      since: isoFromEpoch(at(3)),
      count: 3,
    });
    expect(verdict?.detail).toMatch(
      /^call0 waits for call1 waits for call2 waits for call0\. None of them can continue\./,
    );
    expect(verdict?.evidence.map(({ id }) => id)).toEqual(["call0", "call1", "call2"]);
  });

  it("has no known start if one member is still running, as the time when it began to wait is not stored", async () => {
    expect((await verdictsOf(circle(["paused", "running"])))[0]).toMatchObject({ code: "wait_cycle", since: null });
  });

  it("with many members is shortened in the middle of the sentence", async () => {
    expect((await verdictsOf(circle(Array(8).fill("paused"))))[0]?.detail).toMatch(
      /^call0 waits for call1 waits for call2 waits for call3 waits for call4 waits for … waits for call0\./,
    );
  });

  it("with one member is described as waiting for its own result", async () => {
    expect((await verdictsOf(circle(["paused"])))[0]?.sentence).toBe("1 invocation waits for its own result");
  });

  it("has no verdict with one wait less", async () => {
    for (let n = 0; n < 3; n++) {
      const app = circle(["paused", "paused", "paused"]).change((rows) => {
        rows.edges.splice(0, rows.edges.length, ...rows.edges.filter((edge) => edge.waiter_id !== `call${n}`));
      });
      expect([n, await codesOf(app)]).toEqual([n, []]);
    }
  });

  it("has no verdict while a member is queued, ended, unknown, or on a dead runner", async () => {
    for (const status of ["rerouted", "success", "pending"]) {
      expect([status, await codesOf(circle(["paused", status]))]).not.toContain("wait_cycle");
    }
    const unknown = circle(["paused", "paused"]).change((rows) => {
      rows.statuses.splice(0, 1);
    });
    expect(await codesOf(unknown)).not.toContain("wait_cycle");
    const dead = healthyApp({ now: NOW }).runner("dead", { last: at(-9_999) });
    held(held(dead, "a", "paused", 1), "b", "paused", 1, "dead")
      .edge("a", "b")
      .edge("b", "a");
    expect(await codesOf(dead)).toEqual(["paused_on_dead_runner"]);
  });

  it("has one verdict each, without invocations that wait for it from outside", async () => {
    const app = circle(["paused", "paused"]);
    held(app, "outside", "paused", 1).edge("outside", "call0");
    for (const id of ["x", "y"]) held(app, id, "paused", 1);
    app.edge("x", "y").edge("y", "x").edge("y", "call1");
    const found = (await verdictsOf(app)).filter(({ code }) => code === "wait_cycle");
    expect(found.map(({ evidence }) => evidence.map(({ id }) => id))).toEqual([
      ["call0", "call1"],
      ["x", "y"],
    ]);
  });

  it("is found in random graphs exactly if an invocation reaches itself in a naive search", async () => {
    let state = 5;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    let met = 0;
    for (let round = 0; round < cases(150); round++) {
      const nodes = Array.from({ length: 2 + random(5) }, (_, n) => `n${n}`);
      const app = healthyApp({ now: NOW });
      for (const id of nodes) held(app, id, "paused", 1);
      const edges = Array.from({ length: random(8) }, () => [nodes[random(nodes.length)], nodes[random(nodes.length)]]);
      for (const edge of new Set(edges.map(([from, to]) => `${from} ${to}`))) {
        const [from = "", to = ""] = edge.split(" ");
        app.edge(from, to);
      }
      const reaches = (from: string, to: string, seen: string[] = []): boolean =>
        edges.some(([a, b = ""]) => a === from && (b === to || (!seen.includes(b) && reaches(b, to, [...seen, b]))));
      const inCircle = nodes.filter((id) => reaches(id, id));
      const told = (await verdictsOf(app)).filter(({ code }) => code === "wait_cycle");
      const named = told.flatMap(({ evidence }) => evidence.map(({ id }) => id));
      expect([round, told.length > 0]).toEqual([round, inCircle.length > 0]);
      expect(named.filter((id) => !inCircle.includes(id))).toEqual([]);
      if (inCircle.length > 0) met++;
    }
    expect(met).toBeGreaterThan(cases(20));
  });
});

describe("a paused invocation whose awaited invocation has ended", () => {
  const waiting = (ended: number, { of = ["a"], now = NOW }: { of?: string[]; now?: number } = {}) => {
    const app = held(healthyApp({ now }), "waiter", "paused", 5);
    for (const id of of) app.edge("waiter", id);
    return held(app, "a", "success", ended);
  };

  it("has a verdict from a minute after that end", async () => {
    expect((await verdictsOf(waiting(300)))[0]).toMatchObject({
      code: "waits_for_ended",
      severity: "warning",
      sentence: "1 invocation still paused, although what it waits for has ended",
      since: isoFromEpoch(at(300)),
      evidence: [{ kind: "invocation", id: "waiter", role: null }],
    });
    expect(await codesOf(waiting(540))).toEqual([]);
    expect(await codesOf(waiting(539))).toEqual(["waits_for_ended"]);
  });

  it("has no verdict while it waits for another that has not ended, or is unknown", async () => {
    expect(await codesOf(held(waiting(300, { of: ["a", "b"] }), "b", "running", 0))).toEqual([]);
    expect(await codesOf(waiting(300, { of: ["a", "gone"] }))).toEqual([]);
  });

  it("has no verdict if it is running, or its runner is dead", async () => {
    const app = held(healthyApp({ now: NOW }), "waiter", "running", 0).edge("waiter", "a");
    expect(await codesOf(held(app, "a", "success", 300))).toEqual([]);
    const dead = healthyApp({ now: NOW }).runner("dead", { last: at(-9_999) });
    held(held(dead, "waiter", "paused", 1, "dead").edge("waiter", "a"), "a", "success", 2);
    expect(await codesOf(dead)).toEqual(["paused_on_dead_runner"]);
  });
});
