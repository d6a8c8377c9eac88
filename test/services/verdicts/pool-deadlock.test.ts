/** A pool whose workers all wait for what is in the queue; and, one row away from it, pools that are not. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { PoolFacts } from "../../../src/services/verdicts/facts.ts";
import { deadlockedPool } from "../../../src/services/verdicts/pool-deadlock.ts";
import { type FoundVerdict, findVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const NOW = at(600);

/** As in a PersistentProcessRunner with so many workers: calls nest one deeper than there are workers. */
function nested(workers: number, { store = {} }: { store?: Parameters<typeof memoryApp>[0] } = {}): MemoryApp {
  const app = memoryApp({ now: NOW, ...store }).runner("parent", { last: NOW });
  for (let n = 0; n < workers; n++) {
    worker(app, `w${n}`);
    app.invocation(`call${n}`, {
      history: [
        [at(n), "registered"],
        [at(n), "pending", `w${n}`],
        [at(n), "running", `w${n}`],
      ],
    });
    app.edge(`call${n}`, `call${n + 1}`);
  }
  return app
    .invocation(`call${workers}`, { history: [[at(workers), "registered"]] })
    .message(`call${workers}`, at(workers));
}

function worker(app: MemoryApp, id: string): void {
  app.runner(id, { last: NOW, atomic: false });
  app.change((rows) => {
    for (const context of rows.contexts)
      if (context.runner_id === id) Object.assign(context, { parent_ctx_id: "parent", runner_cls: "PPRWorker" });
  });
}

async function deadlock(app: MemoryApp): Promise<FoundVerdict | undefined> {
  const verdicts = await app.store.read((reads) => findVerdicts(app.opened, reads, null));
  return verdicts.find(({ code }) => code === "deadlocked_pool");
}

describe("a pool whose workers all wait for calls in the queue", () => {
  it("has a verdict with the chain of waits, its start, and advice", async () => {
    const found = await deadlock(nested(6));
    expect(found).toMatchObject({
      severity: "error",
      sentence: "Deadlock: all 6 running invocations wait for 1 invocation in the queue, and no worker is free",
      count: 6,
      since: isoFromEpoch(at(6)),
      evidence: [
        { kind: "invocation", id: "call6", role: "in the queue" },
        ...["call5", "call4", "call3", "call2", "call1", "call0"].map((id) => ({
          kind: "invocation",
          id,
          role: "waits",
        })),
      ],
    });
    expect(found?.detail).toContain(
      "call0 waits for call1 waits for call2 waits for call3 waits for call4 waits for … waits for call6, which is in the queue",
    );
    expect(found?.detail).toMatch(
      /Nothing else is recorded as started or ended since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./,
    );
    expect(found?.detail).toContain("Each of the 6 active workers holds");
    expect(found?.detail).toContain("Start one more runner");
  });

  it("has no verdict with one wait less, as that worker will be free", async () => {
    for (let n = 0; n < 6; n++) {
      const app = nested(6).change((rows) => {
        rows.edges.splice(0, rows.edges.length, ...rows.edges.filter((edge) => edge.waiter_id !== `call${n}`));
      });
      expect([n, await deadlock(app)]).toEqual([n, undefined]);
    }
  });

  it("has no verdict with one free worker", async () => {
    const app = nested(6);
    worker(app, "free");
    expect(await deadlock(app)).toBeUndefined();
    const threads = nested(6).runner("threads", { last: NOW });
    expect(await deadlock(threads)).toBeUndefined();
    const unknown = nested(6).heartbeat("without a context", { last_heartbeat: NOW });
    expect(await deadlock(unknown)).toBeUndefined();
  });

  it("has no verdict while a worker takes something, or has just done so", async () => {
    const taken = nested(6).invocation("x", {
      history: [
        [at(1), "registered"],
        [at(500), "pending", "w0"],
      ],
    });
    expect(await deadlock(taken)).toBeUndefined();
    const young = nested(6);
    young.now = at(65);
    expect(await deadlock(young)).toBeUndefined();
    young.now = at(66);
    expect(await deadlock(young)).toBeDefined();
  });

  it("has no verdict if something else has run since the waits began", async () => {
    const ran = (ended: number) =>
      nested(2).invocation("short", {
        history: [
          [at(0), "registered"],
          [at(ended - 1), "running", "w0"],
          [at(ended), "success", "w0"],
        ],
      });
    expect(await deadlock(ran(300))).toBeUndefined();
    expect(await deadlock(ran(2))).toBeDefined();
    const registered = nested(2).invocation("waits too", { history: [[at(300), "registered"]] });
    expect(await deadlock(registered)).toBeDefined();
    const much = nested(2).invocations(1_100, (n) => ({ history: [[at(100 + n / 100), "registered"]] }));
    expect(await deadlock(much)).toBeUndefined();
  });

  it("has no verdict if no active runner takes from the queue, or none is active, as another verdict covers that", async () => {
    const gone = nested(6);
    gone.now = at(90_000);
    expect(await deadlock(gone)).toBeUndefined();
    const elsewhere = memoryApp({ now: NOW, queue_layout: { named: true } })
      .runner("r1", { last: NOW, queues: ["a"] })
      .invocation("waiter", {
        history: [
          [at(0), "registered"],
          [at(0), "running", "r1"],
        ],
      })
      .invocation("waited")
      .edge("waiter", "waited");
    expect(await deadlock(elsewhere.message("waited", at(0), { queue: "b" }))).toBeUndefined();
    elsewhere.change((rows) => {
      for (const message of rows.messages) message.queue_name = "a";
    });
    expect(await deadlock(elsewhere)).toBeDefined();
  });

  it("has no verdict if the awaited call has no message, as a free worker could not take it either", async () => {
    const app = nested(6).change((rows) => {
      rows.messages.splice(0);
    });
    expect(await deadlock(app)).toBeUndefined();
    app.invocation("other").message("other");
    expect(await deadlock(app)).toBeUndefined();
    const unread = nested(6, { store: { capabilities: { queue_peek: false } } });
    expect(await deadlock(unread)).toBeDefined();
    unread.change((rows) => void rows.messages.splice(0));
    expect(await deadlock(unread)).toBeUndefined();
  });

  it("is called possible if workers take several calls, can be added, or messages cannot be read", async () => {
    const ofClass = (runner_cls: string) =>
      nested(2).change((rows) => {
        for (const context of rows.contexts) if (context.runner_id !== "parent") context.runner_cls = runner_cls;
      });
    for (const runner_cls of ["ThreadRunner", "ProcessRunnerWorker"]) {
      const possible = await deadlock(ofClass(runner_cls));
      expect(possible).toMatchObject({
        severity: "warning",
        sentence: "Possible deadlock: both running invocations wait for 1 invocation in the queue",
      });
      expect(possible?.detail).toContain("How many workers the active runners have is not stored");
    }
    const spawning = nested(2).context("p", { runner_cls: "ProcessRunner" }).heartbeat("p", { last_heartbeat: NOW });
    expect((await deadlock(spawning))?.severity).toBe("warning");
    const unlisted = await deadlock(nested(2, { store: { capabilities: { queue_peek: false } } }));
    expect(unlisted?.severity).toBe("warning");
    // What runs is not queued, whether messages can be looked at or not.
    const busy = nested(2, { store: { capabilities: { queue_peek: false } } }).change((rows) => {
      rows.edges.splice(0, rows.edges.length, { waiter_id: "call0", waited_id: "call1" });
    });
    expect(await deadlock(busy)).toBeUndefined();
    expect(unlisted?.detail).toContain("were not read");
  });

  it("has no verdict if not all rows could be read", async () => {
    const wide = (held: number, edges: number) => {
      const app = nested(1);
      for (let n = 1; n < held; n++) {
        app.invocation(`held${n}`, {
          history: [
            [at(0), "registered"],
            [at(0), "pending", "w0"],
            [at(0), "running", "w0"],
          ],
        });
        app.edge(`held${n}`, "call1");
      }
      for (let n = held; n < edges; n++) app.edge("call0", `gone${n}`);
      return deadlock(app);
    };
    const most = await wide(1_000, 1_000);
    expect([most?.count, most?.evidence.length, most?.evidence[0]?.id]).toEqual([1_000, 100, "call1"]);
    expect(await wide(1_001, 1_001)).toBeUndefined();
    expect(await wide(10, 1_001)).toBeUndefined();
  });

  it("does not count invocations on silent runners, which wait for recovery", async () => {
    const app = nested(3)
      .runner("dead", { last: at(-9_999) })
      .invocation("orphan", {
        history: [
          [at(0), "registered"],
          [at(0), "pending", "dead"],
          [at(0), "running", "dead"],
        ],
      });
    expect(await deadlock(app)).toMatchObject({ count: 3 });
  });
});

describe("the rule for a pool deadlock", () => {
  const facts = (changes: Partial<PoolFacts>): PoolFacts => ({
    now: 1_000,
    held: [],
    edges: [],
    queued: new Map(),
    listed: true,
    takers: [],
    spawns: false,
    worked_at: null,
    ...changes,
  });
  const held = (id: string, at = 0) => ({
    invocation_id: id,
    status: "running",
    status_runner_id: id,
    status_timestamp: at,
  });

  it("does not match a circle of waits without a queued call", () => {
    const edges = [
      { waiter_id: "a", waited_id: "b" },
      { waiter_id: "b", waited_id: "a" },
    ];
    expect(deadlockedPool(facts({ held: [held("a"), held("b")], edges, queued: new Map([["q", 0]]) }))).toBeNull();
    const led = [...edges, { waiter_id: "b", waited_id: "q" }];
    const found = deadlockedPool(facts({ held: [held("a"), held("b")], edges: led, queued: new Map([["q", 0]]) }));
    expect(found?.detail).toContain("a waits for b waits for q, which is in the queue");
  });

  it("matches exactly if every held invocation reaches the queue through waits of held ones", () => {
    const random = numbers(7);
    let met = 0;
    for (let round = 0; round < 500; round++) {
      const n = 1 + random(4);
      const nodes = Array.from({ length: n }, (_, i) => `h${i}`);
      const all = [...nodes, "q0", "q1", "other"];
      const edges = Array.from({ length: random(9) }, () => ({
        waiter_id: all[random(all.length)] ?? "",
        waited_id: all[random(all.length)] ?? "",
      }));
      const reaches = (id: string, seen: string[] = []): boolean =>
        id.startsWith("q") ||
        (id.startsWith("h") &&
          !seen.includes(id) &&
          edges.some((edge) => edge.waiter_id === id && reaches(edge.waited_id, [...seen, id])));
      const expected = nodes.every((id) => reaches(id));
      if (expected) met++;
      const queued = new Map([
        ["q0", 0],
        ["q1", 0],
      ]);
      const found = deadlockedPool(facts({ held: nodes.map((id) => held(id)), edges, queued }));
      expect([round, found !== null]).toEqual([round, expected]);
    }
    expect(met).toBeGreaterThan(20);
  });
});

/** The same numbers below a bound for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
