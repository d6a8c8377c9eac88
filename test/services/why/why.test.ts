/** `why`: the verdict on one thing from its own rows, and the app's verdicts about it. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { eventFacts } from "../../../src/services/triggers/event-detail.ts";
import { triggerDetail } from "../../../src/services/triggers/triggers.ts";
import { type Concerned, verdictsOn } from "../../../src/services/why/concerning.ts";
import type { FoundWhy } from "../../../src/services/why/thing-verdict.ts";
import { why } from "../../../src/services/why/why.ts";
import { whyEvent } from "../../../src/services/why/why-event.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { healthyApp } from "../../support/verdicts.ts";

const NOW = at(600);

const asked = (app: MemoryApp, id = ""): Promise<FoundWhy> => why(app.opened, { id: [id] });
/** The codes of what its page shows. */
const codesOn = async (app: MemoryApp, thing: Concerned) =>
  (await verdictsOn(app.opened, thing.kind, thing, 60_000)).verdicts.map(({ code }) => code);
const codes = ({ verdict, others }: FoundWhy) => [verdict?.code, ...others.map(({ code }) => code)];

/** The steps of one that r1 took and brought to this status at so many seconds. */
const taken = (status: string, seconds: number, runner = "r1"): readonly Step[] => [
  [at(0), "registered"],
  [at(1), "pending", runner],
  [at(2), "running", runner],
  ...(status === "running" ? [] : [[at(seconds), status, runner] as const]),
];

describe("why about the app", () => {
  it("waits for figures over time no longer than its limit, and lists them as not examined", async () => {
    const app = healthyApp({ now: NOW });
    const never = new Proxy({}, { get: () => () => new Promise(() => undefined) });
    Object.assign(app.opened, { rollups: never });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = why(app.opened, {}, 20);
    const ended = vi.fn();
    void answer.then(ended);
    await vi.advanceTimersByTimeAsync(19);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    const found = await answer;
    expect(found.not_looked_at.length).toBeGreaterThan(0);
  });

  it("has no verdict for a healthy app, and lists what was examined", async () => {
    const found = await asked(healthyApp({ now: NOW }));
    expect(found).toMatchObject({ subject: { kind: "app", id: "shop" }, verdict: null, others: [] });
    expect(found.looked_at).toContain("invocations that wait for each other");
    expect(found.not_looked_at).toEqual([
      "comparison with the day before: nothing recorded",
      "comparison with the week before: nothing recorded",
    ]);
  });

  it("has the worst verdict first and all others after it", async () => {
    const app = healthyApp({ now: NOW }).invocation("stuck", {
      history: [
        [at(0), "registered"],
        [at(1), "pending"],
      ],
    });
    app.execution("blocking", { start_time: at(0), end_time: null, status: "running" });
    expect(codes(await asked(app))).toEqual(["stuck_atomic_service", "stuck_pending"]);
  });
});

describe("why about an id", () => {
  it("accepts a shortened id, and the name of a task", async () => {
    const app = healthyApp({ now: NOW }).invocation("abcdef00-one", { task: "shop.pay", history: taken("success", 3) });
    expect((await asked(app, "abcdef00")).subject).toMatchObject({ kind: "invocation", id: "abcdef00-one" });
    expect((await asked(app, "shop.pay")).subject).toMatchObject({ kind: "task", id: "shop.pay" });
  });

  it("takes the exact name of a function as its task, although others begin with it", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("a", { task: "shop.on_event", history: taken("success", 3) })
      .invocation("b", { task: "shop.on_event_of_eu", history: taken("success", 3) });
    expect((await asked(app, "on_event")).subject).toMatchObject({ kind: "task", id: "shop.on_event" });
    await expect(asked(app, "on_ev")).rejects.toMatchObject({ problems: [{ parameter: "id" }] });
    const twice = app.invocation("c", { task: "mail.on_event", history: taken("success", 3) });
    await expect(asked(twice, "on_event")).rejects.toMatchObject({ problems: [{ parameter: "id" }] });
  });

  it("refuses an ambiguous id with the candidates, and fails with not found for an unknown one", async () => {
    const app = healthyApp({ now: NOW }).invocation("abcdef00-one").invocation("abcdef00-two");
    await expect(asked(app, "abcdef00")).rejects.toMatchObject({
      problems: [{ parameter: "id", accepted: "it matches several things; the first:" }],
      hint: expect.stringMatching(/abcdef00-one.*\n.*abcdef00-two/),
    });
    await expect(asked(app, "nothing-like-it")).rejects.toMatchObject({ kind: "thing", id: "nothing-like-it" });
    const inArguments = healthyApp({ now: NOW }).invocation("a", { arguments: { order: "ORD-10012" } });
    await expect(asked(inArguments, "ORD-10012")).rejects.toMatchObject({
      kind: "thing",
      hint: expect.stringMatching(/^Invocations carry this text: monitor find ORD-10012 lists them\.\n/),
    });
  });
});

describe("why about a workflow run", () => {
  const PENDING: readonly Step[] = [
    [at(0), "registered"],
    [at(1), "pending"],
  ];
  const run = (status: string) =>
    healthyApp({ now: NOW })
      .workflow("run")
      .invocation("run", { task: "shop.order", history: taken(status, 30), workflow: { id: "run" } })
      .invocation("inside", { history: PENDING, workflow: { id: "run", type: "shop.order" } });
  const pageOf = (app: MemoryApp) => codesOn(app, { kind: "workflow", id: "run" });

  it("has the verdicts on its members, and not those of other runs", async () => {
    const app = run("running");
    expect(codes(await asked(app, "run"))).toEqual(["stuck_pending", "in_progress"]);
    expect(await pageOf(app)).toEqual(["stuck_pending"]);
    const other = healthyApp({ now: NOW })
      .workflow("run")
      .invocation("run", { task: "shop.order", history: taken("running", 30), workflow: { id: "run" } })
      .invocation("outside", { history: PENDING, workflow: { id: "another" } });
    expect(codes(await asked(other, "run"))).toEqual(["in_progress"]);
    expect(await pageOf(other)).toEqual([]);
  });

  it("says first how it ended, then has the verdicts on what was left over in it", async () => {
    expect(codes(await asked(run("failed"), "run"))).toEqual(["failed", "stuck_pending"]);
    expect(await pageOf(run("failed"))).toEqual(["stuck_pending"]);
  });

  it("has a verdict on several of its members once", async () => {
    const app = run("success").change(({ statuses }) => {
      for (const row of statuses) if (row.invocation_id === "run") row.status = "pending";
    });
    expect(await pageOf(app)).toEqual(["stuck_pending"]);
  });

  it("has the verdicts on its members even if its first invocation is missing", async () => {
    const app = healthyApp({ now: NOW })
      .workflow("run")
      .invocation("inside", { history: PENDING, workflow: { id: "run", type: "shop.order" } });
    expect(await pageOf(app)).toEqual(["stuck_pending"]);
    expect(codes(await asked(app, "run"))).toEqual(["stuck_pending"]);
  });
});

describe("why about an invocation that has ended", () => {
  it("says for a success how long it took, and in which phase most of that passed", async () => {
    const found = await asked(healthyApp({ now: NOW }).invocation("done", { history: taken("success", 52) }), "done");
    expect(found.verdict).toMatchObject({
      code: "ended_well",
      severity: "info",
      sentence: "It succeeded 52 s after its registration.",
      detail: "For most of that (50 s), it was running.",
      since: isoFromEpoch(at(52)),
    });
    expect(found.phases?.map(({ phase, duration_seconds: seconds }) => [phase, seconds])).toEqual([
      ["queued", 1],
      ["pending", 1],
      ["running", 50],
    ]);
  });

  it("does not call time running that a child spent waiting in the queue", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("top", { history: taken("success", 102) })
      .invocation("below", {
        task: "shop.leaf",
        parent: "top",
        history: [
          [at(3), "registered"],
          [at(93), "pending"],
          [at(94), "running"],
          [at(101), "success"],
        ],
      });
    expect((await asked(app, "top")).verdict?.detail).toBe(
      "For most of that (1 min 30 s), below (shop.leaf), called below it, was in the queue.",
    );
    const paused = app.invocation("paused", {
      history: [...taken("paused", 3), [at(102), "running"], [at(103), "success"]],
    });
    paused.change((rows) => {
      for (const row of rows.definitions) if (row.invocation_id === "below") row.parent_invocation_id = "paused";
    });
    expect((await asked(paused, "paused")).verdict?.detail).toContain("below (shop.leaf), for which it waited, was in");
  });

  it("has its exception and the earlier attempts", async () => {
    const app = healthyApp({ now: NOW }).invocation("failed", {
      history: [
        ...taken("retry", 3),
        [at(4), "pending", "r1"],
        [at(5), "running", "r1"],
        [at(6), "running_recovery", "r1"],
        [at(7), "rerouted", "r1"],
        [at(8), "pending", "r1"],
        [at(9), "running", "r1"],
        [at(10), "failed", "r1"],
      ],
      exception: '{"error_type": "ValueError", "args": ["no"], "message": "no"}',
    });
    const found = await asked(app, "failed");
    expect(found.verdict).toMatchObject({ code: "failed", severity: "error", evidence: [] });
    expect(found.verdict?.sentence).toMatch(/^It failed after 1 retry/);
    expect(found.chain.map(({ sentence, at: time }) => [sentence.split(" ").slice(0, 4).join(" "), time])).toEqual([
      ["failed and was retried", isoFromEpoch(at(3))],
      ["was taken by recovery", isoFromEpoch(at(6))],
      ["was requeued", isoFromEpoch(at(7))],
    ]);
  });

  it("leads through failed children to the deepest one", async () => {
    const app = healthyApp({ now: NOW });
    const parents: Record<string, string | undefined> = { top: undefined, middle: "top", leaf: "middle" };
    for (const [id, parent] of Object.entries(parents)) {
      const ends = { top: 30, middle: 20, leaf: 10 }[id] ?? 0;
      app.invocation(id, {
        task: `shop.${id}`,
        history: taken("failed", ends),
        ...(parent === undefined ? {} : { parent }),
      });
    }
    const found = await asked(app, "top");
    expect(found.verdict).toMatchObject({
      code: "failed_below",
      severity: "error",
      evidence: [{ kind: "invocation", id: "leaf", role: "root failure" }],
    });
    expect(found.verdict?.detail).toBe("It was not retried. Root failure: leaf (shop.leaf), 2 calls down.");
    expect(found.chain.map(({ id }) => id)).toEqual(["middle", "leaf"]);
    // The history of a final invocation tells its end too, where the orchestrator has forgotten it.
    const forgotten = app.change((rows) => {
      rows.statuses = rows.statuses.filter((row) => row.invocation_id !== "middle");
    });
    expect((await asked(forgotten, "top")).verdict?.evidence.map(({ id }) => id)).toEqual(["leaf"]);
  });

  it("does not lead further below a child that succeeded", async () => {
    const app = healthyApp({ now: NOW });
    for (const [id, parent] of [["top"], ["middle", "top"], ["leaf", "middle"]] as const)
      app.invocation(id, { history: taken("failed", 10), ...(parent !== undefined && { parent }) });
    // Without the failure in between nothing says that the leaf has to do with it.
    const apart = app.change((rows) => {
      for (const row of rows.statuses) if (row.invocation_id === "middle") row.status = "success";
    });
    expect((await asked(apart, "top")).verdict).toMatchObject({ code: "failed", evidence: [] });
  });

  it("names the invocation that ran then as the probable holder of its slot, if concurrency control stopped it", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("holder", { history: taken("success", 30) })
      .invocation("dropped", {
        history: [
          [at(4), "registered"],
          [at(5), "concurrency_controlled_final", "r1"],
        ],
      });
    const { verdict } = await asked(app, "dropped");
    expect(verdict).toMatchObject({
      code: "dropped_by_concurrency_control",
      evidence: [
        { kind: "invocation", id: "holder", role: "probably held its slot" },
        { kind: "task" },
        { kind: "call" },
      ],
    });
    expect(verdict?.detail).toMatch(/^holder of the same task, with equal arguments, was pending .* keys/);
  });

  it("says that the status is unknown if only an unfinished history is left", async () => {
    const app = healthyApp({ now: NOW }).invocation("gone", { history: taken("running", 0), status: null });
    expect((await asked(app, "gone")).verdict).toMatchObject({ code: "status_not_known" });
  });
});

describe("why about an unfinished invocation", () => {
  it("says that its status is from the future if the clock of its host is ahead", async () => {
    const future = healthyApp({ now: NOW }).invocation("run", {
      history: [
        [NOW - 5, "registered"],
        [NOW + 5, "pending", "r1"],
        [NOW + 5, "running", "r1"],
      ],
    });
    const { verdict } = await asked(future, "run");
    expect(verdict).toMatchObject({
      code: "in_progress",
      detail: "In this status since a time in the future: the clock of a host is ahead.",
    });
  });

  it("names the probable holder of its slot also while a runner has its message", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("holder", { history: taken("running", 0) })
      .invocation("held", {
        history: [
          [NOW - 5, "registered"],
          [NOW - 4, "concurrency_controlled", "r1"],
          [NOW - 3, "rerouted", "r1"],
        ],
      });
    const { verdict } = await asked(app, "held");
    expect(verdict).toMatchObject({
      code: "waits_for_runner",
      detail: expect.stringMatching(
        /^Its message is not in the queue: .* Concurrency control has held it back 1 time /,
      ),
      evidence: [{ kind: "invocation", id: "holder", role: "probably holds its slot" }],
    });
  });

  it("leads along its waits to the last one", async () => {
    const app = healthyApp({ now: NOW });
    for (const id of ["a", "b", "c"]) app.invocation(id, { history: taken("running", 0) });
    const found = await asked(app.edge("a", "b").edge("b", "c"), "a");
    expect(codes(found)).toEqual(["waits_for_invocation"]);
    expect(found.verdict?.detail).toBe(
      "At the end of the chain of waits: c (shop.pay), 2 waits away, running for 9 min.",
    );
    const several = await asked(app.edge("a", "c"), "a");
    expect(several.verdict?.detail).toMatch(/^At the end of the first chain of waits: c /);
    expect(found.verdict?.evidence.map(({ id, role }) => [id, role])).toEqual([
      ["b", "awaited"],
      ["c", "awaited last"],
    ]);
    expect(found.chain.map(({ sentence }) => sentence)).toEqual([
      "waits for shop.pay, which is running",
      "waits for shop.pay, which is running",
    ]);
  });

  it("says in its chain that the task of its caller is unknown, if only the history of the caller is left", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("caller", { history: taken("running", 0), status: null, definition: null })
      .invocation("called", { history: taken("running", 0), parent: "caller" });
    expect((await asked(app, "called")).chain.map(({ sentence }) => sentence)).toEqual(["called by an unknown task"]);
  });

  it("says that a runner takes it without its message, if another one waits for it", async () => {
    const app = healthyApp({ now: NOW });
    app.invocation("a", { history: taken("running", 0) }).invocation("b", { history: [[at(590), "registered"]] });
    expect((await asked(app, "b")).verdict).toMatchObject({
      code: "waits_for_runner",
      detail: expect.stringMatching(/^Its message is not in the queue: it may be on its way/),
    });
    expect((await asked(app.edge("a", "b"), "b")).verdict).toMatchObject({
      code: "waits_for_runner",
      detail: "Its message is not in the queue, but another invocation waits for it, so a free runner takes it anyway.",
    });
  });

  it("says that its message is lost, not that it may be on its way, once that can be requeued", async () => {
    const app = healthyApp({ now: NOW }).invocation("lost", { history: [[at(100), "registered"]] });
    const found = await asked(app, "lost");
    const details = [found.verdict, ...found.others].map((one) => one?.detail).join(" ");
    expect(details).toContain("Its message is not in the queue, and counts as lost: requeue can put it back.");
    expect(details).not.toContain("on its way");
  });

  it("says why it waits itself before the long wait of another message in its queue", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("old", { history: [[at(10), "registered"]] })
      .message("old", at(10))
      .invocation("new", { history: [[at(599), "registered"]] })
      .message("new", at(599));
    expect(codes(await asked(app, "new"))).toEqual(["waits_for_runner", "old_message"]);
    expect(codes(await asked(app, "old"))).toEqual(["old_message", "waits_for_runner"]);
  });

  it("says of a wait of more than 10 s that idle runners that take from its queue left its message", async () => {
    const app = (since: number) =>
      healthyApp({ now: NOW })
        .invocation("waiting", { history: [[at(since), "registered"]] })
        .message("waiting", at(since));
    expect((await asked(app(560), "waiting")).verdict?.detail).toMatch(
      /ha(?:s|ve) not taken it; the reason is not known\.$/,
    );
    expect((await asked(app(595), "waiting")).verdict?.detail).not.toContain("reason");
  });

  it("takes the kind before an id or a name, and answers for a run by the invocation that defines it", async () => {
    const app = healthyApp({ now: NOW })
      .workflow("abcd1234")
      .invocation("abcd1234", { task: "shop.flow", workflow: { id: "abcd1234" }, history: taken("failed", 9) })
      .invocation("abcd9999", { task: "shop.ship", history: taken("success", 9) });
    expect((await asked(app, "workflow abcd1234")).subject).toMatchObject({ kind: "invocation", id: "abcd1234" });
    await expect(asked(app, "workflow run abcd9")).rejects.toThrow('No workflow run "abcd9" in this store.');
    await expect(asked(app, "runner abcd1234")).rejects.toThrow('No runner "abcd1234" in this store.');
  });

  it("does not say that nothing matches a text that invocations carry", async () => {
    const app = healthyApp({ now: NOW }).invocation("order", { task: "shop.ship", arguments: { order: "ORD-00037" } });
    await expect(asked(app, "ORD-00037")).rejects.toMatchObject({
      message: '"ORD-00037" is no id or name in this store.',
      hint: expect.stringContaining("monitor find ORD-00037 lists them"),
    });
  });

  it("ends for a circle of waits, with that as its verdict", async () => {
    const app = healthyApp({ now: NOW });
    for (const id of ["a", "b", "outside"]) app.invocation(id, { history: taken("paused", 5) });
    app.edge("a", "b").edge("b", "a").edge("outside", "a");
    expect(codes(await asked(app, "a"))).toEqual(["wait_cycle", "waits_for_invocation"]);
    expect(codes(await asked(app, "outside"))).toEqual(["wait_cycle", "waits_for_invocation"]);
  });

  it.each([
    [12, [...Array(12).keys()], null],
    [15, [0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14], "3 more of these"],
  ])("has the first and the last of %i notable history entries in its chain", async (count, shown, more) => {
    const retries = Array.from({ length: count }, (_, n): Step[] => [
      [at(10 * n + 3), "running", "r1"],
      [at(10 * n + 5), "retry", "r1"],
    ]);
    const app = healthyApp({ now: NOW }).invocation("tried", { history: [[at(0), "registered"], ...retries.flat()] });
    const chain = (await asked(app.message("tried", at(590)), "tried")).chain.slice(-count);
    const times = shown.map((n) => isoFromEpoch(at(10 * n + 5)));
    expect(chain.flatMap(({ at: time }) => time ?? [])).toEqual(times);
    expect(chain.filter(({ at: time }) => time === null).map(({ sentence }) => sentence)).toEqual(
      more === null ? [] : [more],
    );
  });

  it("has the verdict on the queue if no runner takes its message", async () => {
    const app = memoryApp({ now: NOW }).invocation("waiting").message("waiting");
    expect(codes(await asked(app, "waiting"))).toEqual(["unconsumed_queue", "waits_for_runner"]);
    const running = healthyApp({ now: NOW }).invocation("waiting", { history: [[at(590), "registered"]] });
    const found = await asked(running.message("waiting", at(590)), "waiting");
    expect(codes(found)).toEqual(["waits_for_runner"]);
    const { waiting } = await invocationDetail(running.opened, "waiting");
    expect(found.verdict?.detail).toBe(waiting?.sentences.join(" "));
  });

  it("has the verdicts on the queue if that cannot be listed", async () => {
    const app = memoryApp({ now: NOW, capabilities: { queue_peek: false } })
      .invocation("waiting")
      .message("waiting");
    app.change((rows) => {
      rows.messages = [{ invocation_id: "another", queued_at: null, queue_name: null, priority: null }];
    });
    expect(codes(await asked(app, "waiting"))).toEqual(["unconsumed_queue", "waits_for_runner"]);
  });

  it("has the verdicts on its own queue only", async () => {
    const app = healthyApp({ now: NOW, queue_layout: { named: true } })
      .change((rows) => {
        for (const beat of rows.heartbeats) beat.consumed_queues = ["mail"];
      })
      .invocation("taken soon", { history: [[at(590), "registered"]] })
      .message("taken soon", at(590), { queue: "mail" })
      .invocation("left", { history: [[at(590), "registered"]] })
      .message("left", at(590), { queue: "archive" });
    expect(codes(await asked(app, "taken soon"))).toEqual(["waits_for_runner"]);
    expect(codes(await asked(app, "left"))[0]).toMatch(/unconsumed_queue|undeclared_queue/);
  });

  it("has the verdict on a silent runner, even if that names other invocations first", async () => {
    const app = healthyApp({ now: NOW }).runner("dead", { last: at(-9_999) });
    app.invocations(101, () => ({ history: taken("running", 0, "dead") }));
    app.invocation("last", { history: [...taken("running", 0, "dead").slice(0, 2), [at(3), "running", "dead"]] });
    const found = await asked(app, "last");
    expect(codes(found)).toEqual(["running_on_dead_runner", "in_progress"]);
    expect(found.verdict?.evidence.some(({ id }) => id === "last")).toBe(false);
  });

  it("says once that its runner is silent", async () => {
    const app = healthyApp({ now: NOW }).runner("dead", { last: at(-9_999) });
    app.invocation("left", { history: taken("running", 0, "dead") });
    expect(codes(await asked(app, "left"))).toEqual(["running_on_dead_runner"]);
  });

  it("has the same verdicts as its page", async () => {
    const app = memoryApp({ now: NOW })
      .invocation("waiting")
      .message("waiting")
      .invocation("done", { history: taken("success", 3) });
    const on = async (id: string) =>
      codesOn(app, { kind: "invocation", detail: await invocationDetail(app.opened, id) });
    expect(await on("waiting")).toEqual(["unconsumed_queue"]);
    expect(await on("done")).toEqual([]);
  });
});

describe("why about a task", () => {
  const PENDING: readonly Step[] = [
    [at(0), "registered"],
    [at(1), "pending"],
  ];

  it("has the verdicts that name the task or one of its invocations, like the page of the task", async () => {
    const app = healthyApp({ now: NOW })
      .invocation("stuck", { task: "shop.pay", history: PENDING })
      .invocation("well", { task: "shop.ship", history: taken("success", 3) });
    expect(codes(await asked(app, "shop.pay"))).toEqual(["stuck_pending"]);
    expect(await codesOn(app, { kind: "task", id: "shop.pay" })).toEqual(["stuck_pending"]);
    expect(codes(await asked(app, "shop.ship"))).toEqual(["task_ended_well"]);
    expect(await codesOn(app, { kind: "task", id: "shop.ship" })).toEqual([]);
  });

  it("has the verdict that it fails more often, and so has an invocation named there", async () => {
    const app = healthyApp({ now: at(90_000) });
    for (let n = 0; n < 40; n++) {
      const from = n < 20 ? at(10_000 + n * 10) : at(89_000 + n * 10);
      const end = n < 20 ? "success" : "failed";
      const history: Step[] = [
        [from, "registered"],
        [from + 1, "pending", "r1"],
        [from + 2, "running", "r1"],
        [from + 3, end, "r1"],
      ];
      app.invocation(`pay-${n}`, { task: "shop.pay", history });
    }
    expect(codes(await asked(app, "shop.pay"))).toEqual(["failure_rate_up", "task_failed"]);
    expect(codes(await asked(app, "pay-39"))).toEqual(["failed", "failure_rate_up"]);
    expect(codes(await asked(app, "pay-3"))).toEqual(["ended_well"]);
  });

  it("explains a task by its failures of the last day, since when, and against the time before", async () => {
    const app = healthyApp({ now: at(90_000) });
    for (let n = 0; n < 10; n++) {
      const from = n < 5 ? at(80_000 + n * 10) : at(89_000 + n * 10);
      const failing = n > 6;
      const history: Step[] = [
        [from, "registered"],
        [from + 1, "pending", "r1"],
        [from + 2, "running", "r1"],
        [from + (n < 5 ? 3 : 6), failing ? "failed" : "success", "r1"],
      ];
      const ended = failing ? { exception: storedException("Declined", "card") } : {};
      app.invocation(`pay-${n}`, { task: "shop.pay", history, ...ended });
    }
    const { verdict, chain } = await asked(app, "task pay");
    expect(verdict).toMatchObject({
      code: "task_failed",
      sentence: "10 invocations ended in the last 24 h; 3 failed.",
      detail:
        "In the last hour 3 of 5 failed; in the week before, 0 of 5. Half of its runs took 4 s or less; in the week before, 995 ms.",
      since: isoFromEpoch(at(89_076)),
    });
    expect(chain).toEqual([
      {
        sentence: expect.stringMatching(/^Declined \(card\): 3 failed, the last at \d\d:\d\d:\d\d$/),
        at: isoFromEpoch(at(89_076)),
        kind: "invocation",
        id: "pay-9",
      },
    ]);
    const type = await asked(app.workflow("pay-9", { workflow_type_key: "shop.pay" }), "workflow type pay");
    expect(type.subject).toEqual({ kind: "workflow_type", id: "shop.pay", label: "workflow type" });
    expect(type.verdict).toEqual(verdict);
    const unread = await why({ ...app.opened, rollups: null }, { id: ["shop.pay"] });
    expect(unread).toMatchObject({ verdict: null, chain: [] });
  });

  it("lists what could not be examined without figures over time, and for an event nothing", async () => {
    const app = healthyApp({ now: NOW }).invocation("one", { task: "shop.pay", history: taken("success", 3) });
    app.event("seen", { event_code: "left" });
    const unread = { ...app.opened, rollups: null };
    const missing = async (id: string) => (await why(unread, { id: [id] })).not_looked_at;
    expect(await missing("shop.pay")).toContain(
      "failures, retries, long runs and the queue in the last hour: figures over time are switched off",
    );
    expect(await missing("seen")).toEqual([]);
  });
});

describe("why about a queue", () => {
  const named = () =>
    memoryApp({ now: NOW, queue_layout: { named: true }, capabilities: { consumed_queues: true } })
      .runner("r1", { created: at(0), last: NOW, queues: ["mail"] })
      .invocation("a")
      .message("a", at(1), { queue: "archive" })
      .invocation("b")
      .message("b", NOW - 1, { queue: "mail" });
  const stuck = ["unconsumed_queue", "undeclared_queue"];

  it("finds it by its name, with the verdicts that name it, as its page has", async () => {
    const app = named();
    const found = await asked(app, "archive");
    expect(found.subject).toMatchObject({ kind: "queue", id: "archive" });
    expect(stuck).toContain(found.verdict?.code);
    const onPage = await codesOn(app, { kind: "queue", id: "archive" });
    expect(onPage).toEqual(codes(found));
    expect(onPage.filter((code) => stuck.includes(code))).toHaveLength(1);
    const other = await codesOn(app, { kind: "queue", id: "mail" });
    expect(other.filter((code) => stuck.includes(code))).toEqual([]);
    expect((await codesOn(app, { kind: "queue", id: null })).filter((code) => stuck.includes(code))).toHaveLength(1);
  });

  it("names who waits in it, who takes from it, and what would help", async () => {
    const app = named().runner("r2", { created: at(0), last: NOW, queues: ["mail"] });
    const running: Step[] = taken("running", 0).map(([time, status]) => [time, status, "r1"]);
    app.invocation("busy", { task: "shop.send", history: running });
    const { verdict, chain } = await asked(app, "mail");
    expect(verdict).toMatchObject({
      code: "queue_waits",
      sentence: "1 message waiting in queue mail, the oldest for 1 s.",
      detail: "2 active runners take from it; idle now: r2 (mail).",
      evidence: [
        { kind: "queue", id: "mail" },
        { kind: "invocation", id: "b", role: "taken next" },
      ],
    });
    expect(chain.map(({ sentence, id }) => [sentence, id])).toEqual([
      ["1 invocation waits", "shop.pay"],
      ["takes from it; now: send", "r1"],
      ["takes from it; now: idle", "r2"],
    ]);
  });

  it("says once that its messages have waited for long", async () => {
    const app = named().message("late", at(1), { queue: "mail" }).invocation("late");
    const { verdict, others, chain } = await asked(app, "mail");
    expect(verdict).toMatchObject({
      code: "old_message",
      detail: expect.stringMatching(/1 active runner takes from it; idle now: r1 \(mail\)\./),
    });
    expect(others.map(({ code }) => code)).not.toContain("queue_waits");
    expect(chain.map(({ sentence }) => sentence)).toEqual(["2 invocations wait", "takes from it; now: idle"]);
  });

  it("does not call a runner idle that holds a paused invocation", async () => {
    const paused: Step[] = taken("paused", 0).map(([time, status]) => [time, status, "r1"]);
    const app = named().invocation("held", { task: "shop.wait", history: paused });
    const { chain } = await asked(app, "mail");
    expect(chain.at(-1)).toMatchObject({ sentence: "takes from it; now: wait paused", id: "r1" });
  });

  it("has the verdicts on messages in it, and not on messages in others", async () => {
    const app = named().message("gone", at(1), { queue: "mail" });
    expect(await codesOn(app, { kind: "queue", id: "mail" })).toContain("message_without_invocation");
    expect(await codesOn(app, { kind: "queue", id: "archive" })).not.toContain("message_without_invocation");
  });
});

describe("why about triggers and events", () => {
  const condition = (code: string) => ({
    condition_type: "EventCondition",
    data: { event_code: code, payload_filter: "" },
  });
  const idOf = (code: string) => `event#${code}#static_no_args`;
  const validId = (code: string) => `valid_condition_${idOf(code)}_context_event_${code}_e1`;
  const shop = (now = NOW) =>
    healthyApp({ now })
      .condition(idOf("left"), condition("left"))
      .condition(idOf("right"), condition("right"))
      .trigger("both", { task_id_key: "shop.both", logic_value: "and", condition_ids: [idOf("left"), idOf("right")] });
  const met = (app: MemoryApp, code: string, event: object = {}) =>
    app
      .event("e1", {
        event_code: code,
        timestamp: at(10),
        matched_condition_ids: [idOf(code)],
        valid_condition_ids: [validId(code)],
        ...event,
      })
      .validCondition(validId(code), {
        condition: JSON.stringify(condition(code)),
        context: JSON.stringify({
          context_type: "EventContext",
          data: { event_id: "e1", event_code: code, payload: {} },
          timestamp: isoFromEpoch(at(10)),
        }),
      });

  it("names for an event that met one of two conditions the missing one", async () => {
    const app = met(shop(), "left");
    expect((await asked(app, "e1")).verdict).toMatchObject({
      code: "trigger_waits",
      sentence: "It met a condition, but the trigger of shop.both also needs: event right.",
      evidence: [
        { kind: "trigger", id: "both", role: "waits" },
        { kind: "condition", id: idOf("right"), role: "not met" },
      ],
    });
    const trigger = await asked(app, "both");
    expect(trigger.verdict).toMatchObject({
      code: "trigger_waits",
      evidence: [{ kind: "condition", id: idOf("right") }],
    });
    expect(trigger.chain.map(({ sentence }) => sentence)).toEqual(["event left: met", "event right: not met"]);
  });

  it("names for an event only the triggers that wait for another condition, and not one that is due", async () => {
    const app = met(shop(), "left")
      .trigger("a due one", { task_id_key: "shop.one", condition_ids: [idOf("left")] })
      .trigger("one that is due", { task_id_key: "shop.one", condition_ids: [idOf("left")] });
    expect((await asked(app, "e1")).verdict).toMatchObject({
      code: "trigger_waits",
      sentence: "It met a condition, but the trigger of shop.both also needs: event right.",
      detail: "",
      evidence: [
        { kind: "trigger", id: "both", role: "waits" },
        { kind: "condition", id: idOf("right"), role: "not met" },
      ],
    });
  });

  it("does not claim for an event that a trigger is due while its other conditions are not known", async () => {
    const detail = await eventFacts(met(shop(), "left").opened, "e1");
    const pending = detail.pending.map((row) => ({
      ...row,
      triggers: row.triggers.map((trigger) => ({ ...trigger, state: "unknown" as const })),
    }));
    expect(whyEvent({ ...detail, pending }, []).verdict).toMatchObject({
      code: "trigger_waits",
      sentence: "It met a condition; whether its trigger needs others as well is not known yet.",
    });
  });

  it("names for a task with a half met trigger the missing condition", async () => {
    const found = await asked(met(shop(), "left"), "shop.both");
    expect(found).toMatchObject({
      subject: { kind: "task", id: "shop.both" },
      verdict: {
        code: "trigger_waits",
        sentence: "Its trigger: 1 of its 2 conditions is met. It waits for: event right.",
        since: isoFromEpoch(at(10)),
        evidence: [
          { kind: "trigger", id: "both", role: "its trigger" },
          { kind: "condition", id: idOf("right"), role: "not met" },
        ],
      },
      others: [],
    });
    expect((await asked(shop(), "shop.both")).verdict).toBeNull();
  });

  it("names for a task with a due trigger first what keeps all triggers from running", async () => {
    const app = met(shop(), "left").trigger("one", { task_id_key: "shop.one", condition_ids: [idOf("left")] });
    app.execution("blocking", { start_time: at(0), end_time: null, status: "running" });
    expect(codes(await asked(app, "shop.one"))).toEqual(["stuck_atomic_service", "trigger_is_due"]);
  });

  it("says that a trigger with all conditions met is due, after what keeps all triggers from running", async () => {
    const one = (app: MemoryApp) =>
      met(app, "left").trigger("one", { task_id_key: "shop.one", condition_ids: [idOf("left")] });
    expect((await asked(one(shop()), "one")).verdict?.code).toBe("trigger_is_due");
    const stuck = one(shop()).execution("blocking", { start_time: at(0), end_time: null, status: "running" });
    expect(codes(await asked(stuck, "one"))).toEqual(["stuck_atomic_service", "trigger_is_due"]);
    expect(codes(await asked(stuck, "both"))).toEqual(["trigger_waits"]);
    const late = one(shop(at(5_000)));
    expect(codes(await asked(late, "one"))).toEqual(["condition_not_claimed", "trigger_is_due"]);
    const on = async (id: string) => codesOn(late, { kind: "trigger", detail: await triggerDetail(late.opened, id) });
    expect(await on("one")).toEqual(["condition_not_claimed"]);
    expect(await on("both")).toEqual([]);
  });

  it("has the conditions of a trigger and its latest run as evidence, if it ever ran", async () => {
    const app = shop();
    const evidence = async () =>
      (await asked(app, "both")).verdict?.evidence.map(({ kind, id, role }) => [kind, id, role]);
    const conditions = [
      ["condition", idOf("left"), null],
      ["condition", idOf("right"), null],
    ];
    expect(await evidence()).toEqual(conditions);
    app.triggerRun("earlier", { trigger_id: "both", task_id_key: "shop.both", executed_at: at(10) });
    app.triggerRun("later", { trigger_id: "both", task_id_key: "shop.both", executed_at: at(20) });
    expect(await evidence()).toEqual([...conditions, ["trigger_run", "later", "latest run"]]);
  });

  it("says for an event without effect whether no trigger uses its code or no condition matched", async () => {
    const app = shop().event("unmet", { event_code: "left" }).event("unwatched", { event_code: "other" });
    expect((await asked(app, "unmet")).verdict).toMatchObject({
      code: "event_met_no_condition",
      sentence: "It did not meet the only condition registered for left.",
    });
    expect((await asked(app, "unwatched")).verdict).toMatchObject({
      code: "event_not_watched",
      sentence: "No registered trigger has a condition for other.",
    });
  });

  it("says for a trigger run what met its conditions, and which invocation it started", async () => {
    const started = "5f0d9a31-7c4e-4a6b-9d27-0c1e8b3f6a55";
    const app = shop()
      .event("e1", { event_code: "left", matched_condition_ids: [idOf("left")] })
      .invocation(started, { history: taken("success", 3) })
      .triggerRun("run", {
        trigger_id: "both",
        triggered_invocation_id: started,
        participants: [{ event_id: "e1", condition_id: idOf("left"), context_summary: "code:left" }],
      });
    const run = await asked(app, "run");
    expect(run.verdict).toMatchObject({ code: "trigger_ran", sentence: "It ran because its condition was met." });
    expect(run.chain.map(({ kind, id }) => [kind, id])).toEqual([
      ["event", "e1"],
      ["invocation", started],
    ]);
    expect(run.verdict?.evidence.map(({ kind, id, role }) => [kind, id, role])).toEqual([
      ["trigger", "both", "its trigger"],
      ["condition", idOf("left"), "met"],
      ["invocation", started, "started"],
    ]);
    const event = await asked(app, "e1");
    expect(event.verdict).toMatchObject({ code: "event_started_something", count: 1 });
    expect(event.chain.at(-1)?.sentence).toBe("a trigger of shop.pay ran and started 5f0d9a31");
    const bare = (await asked(app.triggerRun("bare"), "bare")).verdict;
    expect(bare?.sentence).toBe("It ran; which conditions were met is not recorded.");
    expect((await asked(app, started)).chain[0]).toMatchObject({ kind: "trigger_run", id: "run" });
  });
});

describe("why about a runner", () => {
  it("says that it is active, silent or without heartbeats, after verdicts on its invocations", async () => {
    const app = healthyApp({ now: NOW })
      .runner("dead", { last: at(-9_999) })
      .context("client");
    expect((await asked(app, "r1")).verdict).toMatchObject({ code: "runner_active", since: isoFromEpoch(NOW) });
    expect((await asked(app, "dead")).verdict).toMatchObject({
      code: "runner_silent",
      since: isoFromEpoch(at(-9_999)),
    });
    expect((await asked(app, "client")).verdict).toMatchObject({ code: "runner_silent", since: null });
    const sentences = await Promise.all(
      ["r1", "dead", "client"].map(async (id) => (await asked(app, id)).verdict?.sentence),
    );
    expect(sentences).toEqual([
      "It is active.",
      expect.stringMatching(/^It is silent: no heartbeat for more than .*\.$/),
      expect.stringMatching(/^No heartbeat of it is stored/),
    ]);
    app.invocation("held", { history: taken("running", 0, "dead") });
    expect(codes(await asked(app, "dead"))).toEqual(["running_on_dead_runner", "runner_silent"]);
  });
});

it("a thing that is not found fails once, also if that is known before the verdicts", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const missing = Promise.reject(new NotFoundError("workflow run", "gone"));
  try {
    await expect(verdictsOn(memoryApp().opened, "workflow", missing, 60_000)).rejects.toThrow(NotFoundError);
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
});
