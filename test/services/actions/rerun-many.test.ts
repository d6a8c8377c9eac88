/** Bulk reruns: which calls are rerun, what the preview shows, and what ends a rerun early. */
import { describe, expect, it } from "vitest";
import { InvalidInputError, RefusedError, StoreUnreachableError } from "../../../src/errors.ts";
import { exceptionConditionId } from "../../../src/pynenc/identifiers.ts";
import { CONTROL_TEXT } from "../../../src/pynenc/rerun.ts";
import { ActionLog } from "../../../src/services/actions/action-log.ts";
import { choose } from "../../../src/services/actions/rerun-choice.ts";
import * as service from "../../../src/services/actions/rerun-many.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import type { Rerun, RerunRequest } from "../../../src/stores/ports/actions.ts";
import { UnqueuedError } from "../../../src/stores/unqueued-error.ts";
import { changesOf, contentsOf } from "../../support/contents.ts";
import { at, type InvocationGiven, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { monitorOf, sharedMonitor } from "../../support/monitor.ts";

const previewRerunMany = async (app: OpenedApp, raw: RawInput) =>
  service.previewRerunMany(app, await service.planRerunMany(app, raw));
const rerunMany = async (app: OpenedApp, raw: RawInput) =>
  service.rerunMany(app, await service.planRerunMany(app, raw));

const FAILED = { status: ["failed"] };
const VALUE_ERROR = JSON.stringify({ error_name: "ValueError", error_data: "{}", pynenc_error: false });

/** Failed, with an argument that no other has, so that its call waits nowhere else. */
function failed(name: string, given: InvocationGiven & { second?: number } = {}): InvocationGiven {
  const { second = 0, ...rest } = given;
  const history = [
    [at(second), "registered"],
    [at(second), "failed"],
  ] as const;
  return { arguments: { n: JSON.stringify(name) }, history, ...rest };
}

/** A shop in which a runner and a client are known. Calls that pynenc did not index tell that their tasks have no control. */
function shop(): MemoryApp {
  return memoryApp().context("client").runner("r1");
}

/** An order failed, with two of its steps; one step had called a third. A payment failed by itself. */
function orders(): MemoryApp {
  return shop()
    .invocation("order", failed("order", { task: "shop.order", second: 1, exception: VALUE_ERROR }))
    .invocation("step-1", failed("step-1", { task: "shop.step", second: 2, parent: "order", exception: VALUE_ERROR }))
    .invocation("fine", { ...failed("fine", { second: 3, parent: "order" }), history: [[at(3), "success"]] })
    .invocation("step-2", failed("step-2", { task: "shop.step", second: 4, parent: "fine" }))
    .invocation("step-3", failed("step-3", { task: "shop.step", second: 5, parent: "step-1" }))
    .invocation("pay", failed("pay", { second: 6 }));
}

const definedOf = (app: MemoryApp) =>
  app.store.read(async (reads) => {
    const ids = (await reads.state_backend.listDefined({}, { limit: 1_000, offset: 0 })).map(
      (row) => row.invocation_id,
    );
    return (await reads.state_backend.invocationsByIds(ids)).map((row) => row.serialized_arguments);
  });

/** Arguments of what was registered since. */
async function registeredBy(app: MemoryApp, act: () => Promise<unknown>): Promise<string[]> {
  const before = await definedOf(app);
  await act();
  const after = await definedOf(app);
  for (const known of before) after.splice(after.indexOf(known), 1);
  return after.map((stored) => JSON.parse(JSON.parse(stored).n as string) as string).sort();
}

describe("the calls of a bulk rerun", () => {
  it("are the topmost matches of each family, with the number of calls that these call again", async () => {
    const app = orders();
    const preview = await previewRerunMany(app.opened, FAILED);
    expect(preview).toMatchObject({
      matching: { total: 5 },
      all: false,
      taken: 2,
      registered: 2,
      called_again: 4,
      called_again_capped: false,
      matches_below: 3,
      left_out: 0,
      refusals: [],
      refused: null,
    });
    expect(preview.calls.map(({ invocation_id, led_to }) => [invocation_id, led_to])).toEqual([
      ["pay", 0],
      ["order", 4],
    ]);
    let outcome: Awaited<ReturnType<typeof rerunMany>> | undefined;
    const registered = await registeredBy(app, async () => {
      outcome = await rerunMany(app.opened, FAILED);
    });
    expect(registered).toEqual(["order", "pay"]);
    expect(outcome).toMatchObject({
      taken: 2,
      registered: 2,
      called_again: 4,
      matches_below: 3,
      refusals: [],
      stopped: null,
    });
    expect(outcome?.message).toBe(
      "Registered 2 calls again. 3 matches were left out: their parents will call them again.",
    );
  });

  it("come with what the old runs emitted and caused, calls below included", async () => {
    const app = orders()
      .event("placed", { event_code: "order.placed", emitted_by_invocation_id: "order" })
      .event("paid", { event_code: "order.paid", emitted_by_invocation_id: "pay" })
      .event("below", { event_code: "step.done", emitted_by_invocation_id: "step-1" })
      .triggerRun("by event", { triggered_invocation_id: "mail", participants: [{ event_id: "paid" }] });
    const { notes } = await previewRerunMany(app.opened, FAILED);
    const effects = notes.filter((note) => note.startsWith("The old run"));
    expect(effects.map((note) => note.replace("order.paid, order.placed", "order.placed, order.paid"))).toEqual([
      "The old runs, with all that they led to, emitted 3 events (order.placed, order.paid, step.done) and caused 1 trigger run. Triggers started 1 invocation, calls below included: 1 of tasks that are not known. A new run may do all this again.",
    ]);
  });

  it("are all matches on request", async () => {
    const app = orders();
    const all = { ...FAILED, all: ["1"] };
    const preview = await previewRerunMany(app.opened, all);
    expect(preview).toMatchObject({
      all: true,
      taken: 5,
      registered: 5,
      called_again: 4,
      matches_below: 0,
      left_out: 0,
    });
    expect(await registeredBy(app, () => rerunMany(app.opened, all))).toEqual([
      "order",
      "pay",
      "step-1",
      "step-2",
      "step-3",
    ]);
  });

  it("are limited in number, counting topmost matches only although children are listed first", async () => {
    const app = orders().invocation("later", failed("later", { second: 7, parent: "order" }));
    const one = await previewRerunMany(app.opened, { ...FAILED, limit: ["1"] });
    expect(one).toMatchObject({ taken: 1, limit: 1, matches_below: 0, left_out: 1 });
    expect(one.calls.map((call) => call.invocation_id)).toEqual(["pay"]);
    expect(await registeredBy(app, () => rerunMany(app.opened, { ...FAILED, limit: ["1"] }))).toEqual(["pay"]);
    const two = await previewRerunMany(app.opened, { ...FAILED, limit: ["2"] });
    expect(two).toMatchObject({ taken: 2, called_again: 5, matches_below: 4, left_out: 0 });
  });

  it("are looked for among a limited number of matches, which a note says", async () => {
    const app = shop().invocation("top", failed("top"));
    app.invocations(5, (n) => failed(String(n), { second: n + 1, parent: "top" }));
    const input = { filter: { ...NO_FILTER, statuses: ["failed"] }, selected: null, limit: 1, all: false };
    const early = await choose(app.opened, input, 5);
    expect(early).toMatchObject({ chosen: [], scanned: 5 });
    expect(new Set(early.left_out.values())).toEqual(new Set(["top"]));
    expect(early.notes).toEqual([
      "The search stopped after 5 matches; the rest were not searched. Narrow the filter to reach them.",
    ]);
    expect(await choose(app.opened, input, 6)).toMatchObject({ scanned: 6, notes: [] });
  });

  it("are those that were selected and still match the filter", async () => {
    const app = orders();
    const selected = ["order", "pay", "step-2", "no-such-id"];
    const outcome = await rerunMany(app.opened, { ...FAILED, selected: ["", ...selected.slice(0, 2)] });
    expect(outcome).toMatchObject({ registered: 2, no_longer_matching: 0 });
    const preview = await previewRerunMany(app.opened, { ...FAILED, selected });
    expect(preview).toMatchObject({ taken: 2, called_again: 4, matches_below: 1, left_out: 0 });
    app.change((rows) => {
      for (const row of rows.statuses) if (row.invocation_id === "pay") row.status = "running";
    });
    const later = await rerunMany(app.opened, { ...FAILED, selected: ["order", "pay"] });
    expect(later).toMatchObject({ registered: 1, no_longer_matching: 1 });
    expect(later.message).toBe("Registered 1 call again. 1 selected invocation no longer matches the filter.");
    const both = await rerunMany(app.opened, { ...FAILED, selected: ["order", "pay", "gone"] });
    expect(both.message).toBe("Registered 1 call again. 2 selected invocations no longer match the filter.");
  });

  it("are empty if no selected id is among the requested ids", async () => {
    const raw = { ...FAILED, inv_ids: ["order"], selected: ["pay"] };
    const app = orders();
    expect(await previewRerunMany(app.opened, raw)).toMatchObject({ taken: 0, calls: [], refused: null });
    expect(await rerunMany(app.opened, raw)).toMatchObject({ registered: 0, no_longer_matching: 1 });
  });

  it("are the planned ones, even if further invocations match the filter since", async () => {
    const app = orders();
    const plan = await service.planRerunMany(app.opened, FAILED);
    app.invocation("late", failed("late", { second: 8 }));
    expect(await service.previewRerunMany(app.opened, plan)).toMatchObject({ taken: 2, matching: { total: 6 } });
    expect(await registeredBy(app, () => service.rerunMany(app.opened, plan))).toEqual(["order", "pay"]);
  });

  it("have to be named: a request without a filter or with an empty selection is refused", async () => {
    const app = orders();
    for (const raw of [{}, { limit: ["5"] }, { all: ["1"], force: ["1"] }]) {
      await expect(previewRerunMany(app.opened, raw)).rejects.toThrow("Name what to register again");
    }
    await expect(rerunMany(app.opened, { ...FAILED, selected: [""] })).rejects.toMatchObject({
      hint: "Nothing is selected, so nothing was registered.",
    });
    const many = Array.from({ length: 1_001 }, (_, n) => `i${n}`);
    await expect(rerunMany(app.opened, { ...FAILED, selected: many })).rejects.toThrow(InvalidInputError);
    expect(await registeredBy(app, () => rerunMany(app.opened, { selected: ["pay"] }))).toEqual(["pay"]);
  });
});

describe("the preview of a bulk rerun", () => {
  it("is grouped by task and exception, the largest group first, with arguments on one line", async () => {
    const app = shop();
    app.invocations(3, (n) => failed(`v${n}`, { task: "shop.ship", exception: VALUE_ERROR }));
    app.invocation("x", failed("x", { task: "shop.ship" })).invocation("y", failed("y"));
    const { groups, calls } = await previewRerunMany(app.opened, FAILED);
    expect(groups).toEqual([
      { task_id_key: "shop.ship", exception_type: "ValueError", registered: 3, refused: 0 },
      { task_id_key: "shop.pay", exception_type: null, registered: 1, refused: 0 },
      { task_id_key: "shop.ship", exception_type: null, registered: 1, refused: 0 },
    ]);
    expect(
      calls.map(({ task_id_key, exception_type, arguments_line, refusal }) => [
        task_id_key,
        exception_type,
        arguments_line,
        refusal,
      ]),
    ).toEqual([
      ["shop.ship", "ValueError", 'n="v2"', null],
      ["shop.ship", "ValueError", 'n="v1"', null],
      ["shop.ship", "ValueError", 'n="v0"', null],
      ["shop.pay", null, 'n="y"', null],
      ["shop.ship", null, 'n="x"', null],
    ]);
  });

  it("counts refused calls in their group, and the matches below them as left out", async () => {
    const app = shop()
      .invocation("broken", failed("broken", { definition: { serialized_arguments: "[]" } }))
      .invocation("child", failed("child", { parent: "broken", second: 1 }))
      .invocation("gone", failed("gone", { definition: null, second: 2 }))
      .invocation("good", failed("good", { second: 3 }));
    const preview = await previewRerunMany(app.opened, FAILED);
    expect(preview).toMatchObject({ taken: 3, registered: 1, matches_below: 0, left_out: 1, refused: null });
    expect(preview.refusals).toEqual([
      { kind: "unknown", reason: "no definition is stored", count: 1 },
      { kind: "unreadable", reason: "the stored arguments cannot be read", count: 1 },
    ]);
    expect(preview.groups).toEqual([{ task_id_key: "shop.pay", exception_type: null, registered: 1, refused: 2 }]);
    expect(preview.calls.map(({ invocation_id, refusal }) => [invocation_id, refusal])).toEqual([
      ["good", null],
      ["gone", "no definition is stored"],
      ["broken", "the stored arguments cannot be read"],
    ]);
    const outcome = await rerunMany(app.opened, FAILED);
    expect(outcome).toMatchObject({ taken: 3, registered: 1, matches_below: 0, refusals: preview.refusals });
    expect(outcome.message).toBe(
      "Registered 1 call again. 1 refused: no definition is stored. 1 refused: the stored arguments cannot be read.",
    );
  });

  it("says of calls that wait already whether their task has concurrency control", async () => {
    const same = { arguments: { n: '"same"' } };
    const app = shop()
      .invocation("a", { ...failed("a", { task: "shop.known", indexed: true }), ...same })
      .invocation("b", { ...failed("b", { task: "shop.known", indexed: true, second: 1 }), ...same })
      .invocation("c", failed("c", { task: "shop.bare", arguments: {}, second: 2 }))
      .invocation("d", failed("d", { task: "shop.bare", arguments: {}, second: 3 }));
    const { refusals, registered } = await previewRerunMany(app.opened, FAILED);
    expect([registered, refusals]).toEqual([
      2,
      [
        {
          kind: "duplicate",
          reason: "it is not known whether the task has concurrency control, and the same call is already waiting",
          count: 1,
        },
        {
          kind: "duplicate",
          reason: "the task has concurrency control and the same call is already waiting",
          count: 1,
        },
      ],
    ]);
    expect(await previewRerunMany(app.opened, { ...FAILED, force: ["1"] })).toMatchObject({
      registered: 4,
      refusals: [],
    });
  });

  it("names tasks of which pynenc might have let only one call wait", async () => {
    const app = shop();
    app.invocations(2, (n) => failed(`k${n}`, { task: "shop.keyed", indexed: true }));
    const { notes } = await previewRerunMany(app.opened, FAILED);
    expect(notes).toContainEqual(expect.stringMatching(/let only one call of a task wait: shop\.keyed \(2 calls\)\./));
  });

  it("counts the invocations that a trigger started, as the trigger may start them again", async () => {
    const app = orders().triggerRun("run", { triggered_invocation_id: "pay", event_ids: ["e"] });
    const { notes } = await previewRerunMany(app.opened, FAILED);
    expect(notes).toContainEqual(expect.stringContaining("1 of these was started by a trigger."));
    expect((await previewRerunMany(app.opened, { task_id: ["shop.order"] })).notes.join(" ")).not.toContain("trigger.");
    app.triggerRun("another run", { triggered_invocation_id: "order" });
    expect((await previewRerunMany(app.opened, FAILED)).notes).toContainEqual(
      expect.stringContaining("2 of these were started by triggers."),
    );
  });

  it("says that earlier runs of a trigger on an exception are not stored, if one waits for failures of the task", async () => {
    const words = async (app: MemoryApp) => (await previewRerunMany(app.opened, FAILED)).notes.join(" ");
    const app = memoryApp().invocation("a", failed("a"));
    expect(await words(app)).not.toContain("only the latest run is stored");
    const { task_id_key } = (await previewRerunMany(app.opened, FAILED)).calls[0] ?? {};
    app.condition(exceptionConditionId(task_id_key ?? "", "any", ["CardDeclined"]), {});
    expect(await words(app)).toContain("only the latest run is stored");
  });

  it("says that no runner is active, and what is known of concurrency control as the rerun of one does", async () => {
    const notesOf = async (app: MemoryApp) => (await previewRerunMany(app.opened, FAILED)).notes.join(" ");
    const alone = await notesOf(memoryApp().invocation("a", failed("a", { arguments: {} })));
    expect(alone).toContain("No runner is active");
    expect(alone).toContain(`Concurrency control: ${CONTROL_TEXT.unknown}.`);
    const attended = await notesOf(orders());
    expect(attended).not.toContain("No runner is active");
    expect(attended).toContain("Concurrency control: ");
  });

  it("is a refusal if nothing at all would be registered", async () => {
    const broken = (name: string) => failed(name, { definition: { serialized_arguments: "[]" } });
    const app = shop().invocation("a", broken("a")).invocation("b", broken("b"));
    const refused = "every call is refused, 2 because the stored arguments cannot be read";
    expect(await previewRerunMany(app.opened, FAILED)).toMatchObject({ registered: 0, taken: 2, refused });
    const error = await rerunMany(app.opened, FAILED).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ status: 409, message: `Nothing was registered: ${refused}.`, hint: null });
    const nothing = await rerunMany(app.opened, { status: ["killed"] });
    expect(nothing).toMatchObject({ success: true, taken: 0, registered: 0, message: "Registered 0 calls again." });
  });

  it("gives every reason if nothing would be registered for several reasons", async () => {
    const app = shop()
      .invocation("a", failed("a", { definition: { serialized_arguments: "[]" } }))
      .invocation("b", failed("b", { definition: null }))
      .invocation("c", failed("c", { definition: null }));
    const { refused } = await previewRerunMany(app.opened, FAILED);
    expect(refused).toMatch(/2 because no definition is stored; 1 because the stored arguments cannot be read$/);
  });

  it("lists a thousand calls, and counts all", async () => {
    const app = shop().invocations(1_001, (n) => failed(`n${n}`, { second: n, exception: VALUE_ERROR }));
    const preview = await previewRerunMany(app.opened, { ...FAILED, limit: ["2000"] });
    expect([preview.calls.length, preview.taken, preview.registered, preview.limit]).toEqual([
      1_000, 1_001, 1_001, 2_000,
    ]);
    expect(preview.groups).toEqual([
      { task_id_key: "shop.pay", exception_type: "ValueError", registered: 1_001, refused: 0 },
    ]);
    expect(await previewRerunMany(app.opened, FAILED)).toMatchObject({ taken: 1_000, limit: 1_000 });
  });

  it("and its outcome use the singular for one match that was left out", async () => {
    const app = shop()
      .invocation("top", failed("top"))
      .invocation("below", failed("below", { parent: "top", second: 1 }));
    expect((await rerunMany(app.opened, FAILED)).message).toMatch(/1 call again\. 1 match was left out/);
  });

  it("is followed by a refusal with a hint to force if the same calls wait", async () => {
    const app = shop()
      .invocation("a", failed("a", { arguments: {} }))
      .invocation("w", { arguments: {} });
    const error = await rerunMany(app.opened, FAILED).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ hint: expect.stringContaining("--force") });
    expect(await rerunMany(app.opened, { ...FAILED, force: ["1"] })).toMatchObject({ registered: 1 });
  });

  it("has the store's refusal as the reason for all calls", async () => {
    const app = memoryApp().invocation("a", failed("a"));
    app.change((rows) => {
      rows.capabilities.components.broker = false;
    });
    const preview = await previewRerunMany(app.opened, FAILED);
    expect(preview.refused).toContain("is not in this store");
    expect(preview).toMatchObject({ taken: 1, registered: 0, groups: [{ registered: 0, refused: 1 }] });
    await expect(rerunMany(app.opened, FAILED)).rejects.toThrow("is not in this store");
  });
});

describe("the early end of a bulk rerun", () => {
  /** 250 failed calls. The store registers the first batch, and answers every later one with an error. */
  async function interrupted(meets: (reruns: Rerun[]) => Error) {
    const app = shop().invocations(250, (n) => failed(`f${n}`, { second: n }));
    let batches = 0;
    const { actions } = app.store;
    const plan = await service.planRerunMany(app.opened, { ...FAILED, all: ["1"] });
    const rerun = async (ids: readonly string[], request: RerunRequest) => {
      batches++;
      if (batches === 1) return actions.rerun(ids, request);
      throw meets(batches === 2 ? await actions.rerun(ids, request) : []);
    };
    const store: OpenedApp["store"] = {
      app_id: "shop",
      location: "memory",
      kind: "memory",
      gaps: [],
      loads: [],
      readOnly: false,
      isolated: true,
      read: (fn) => app.store.read(fn),
      version: () => app.store.version(),
      actions: new Proxy(actions, { get: (target, name) => (name === "rerun" ? rerun : Reflect.get(target, name)) }),
    };
    return { outcome: await service.rerunMany({ ...app.opened, store }, plan), batches };
  }

  it("comes with calls that are registered and cannot be queued: nothing more is registered", async () => {
    const broken = new StoreUnreachableError("busy", "The broker is gone.", null);
    const { outcome, batches } = await interrupted(
      (reruns) =>
        new UnqueuedError(
          reruns,
          reruns.slice(40).flatMap((one) => one.new_invocation_id ?? []),
          broken,
        ),
    );
    expect(batches).toBe(2);
    expect(outcome).toMatchObject({ taken: 200, not_taken: 50, registered: 200 });
    expect(outcome.unqueued_invocation_ids).toEqual(outcome.new_invocation_ids.slice(140));
    expect(outcome.message).toContain(
      "Stopped after 200 of 250: 60 calls are registered but not in the queue, so no runner executes them: The broker is gone.",
    );
  });

  it("comes with one call that cannot be queued, described in the singular", async () => {
    const { outcome } = await interrupted(
      (reruns) =>
        new UnqueuedError(
          reruns,
          reruns.slice(-1).flatMap((one) => one.new_invocation_id ?? []),
          new StoreUnreachableError("busy", "The broker is gone.", null),
        ),
    );
    expect(outcome.unqueued_invocation_ids).toEqual(outcome.new_invocation_ids.slice(-1));
    expect(outcome.stopped).toMatch(/^1 call is registered but not .* executes it: The broker is gone\.$/);
  });

  it("comes with any error of a later batch: earlier calls stay registered and are reported", async () => {
    const { outcome, batches } = await interrupted(() => new Error("The store is locked."));
    expect(batches).toBe(2);
    expect(outcome).toMatchObject({
      taken: 100,
      registered: 100,
      unqueued_invocation_ids: [],
      not_taken: 150,
      stopped: "it is not known whether the next 100 are registered, and 50 were not tried: The store is locked.",
    });
  });

  it.each([
    [
      "Nothing was changed: /srv/shop.db could not be written (SQLITE_FULL).",
      "/srv/shop.db could not be written (SQLITE_FULL).",
    ],
    [
      "/srv/shop.db is still locked by another writer after 5 s; nothing was changed.",
      "/srv/shop.db is still locked by another writer after 5 s.",
    ],
    ["The server answered: OOM. Nothing was changed.", "The server answered: OOM."],
  ])(
    "comes with a later batch that changed nothing: the outcome says what was registered and what was not (%s)",
    async (message, reason) => {
      const { outcome } = await interrupted(() => new StoreUnreachableError("failed", message));
      expect(outcome).toMatchObject({ taken: 100, not_taken: 150, registered: 100 });
      expect(outcome.message).toBe(
        `Registered 100 calls again. Stopped after 100 of 250: 150 were not registered: ${reason}`,
      );
      expect(JSON.stringify(outcome)).not.toMatch(/nothing was changed/i);
    },
  );

  it("comes with a full disk: the log says what was registered and what was not, without contradiction", async () => {
    const full = "Nothing was changed: /srv/shop.db could not be written (SQLITE_FULL).";
    const { outcome } = await interrupted(() => new StoreUnreachableError("failed", full));
    const log = new ActionLog({ via: "server", file: null, write: () => undefined, warn: () => undefined });
    const { entry } = await log.record("somebody", "rerun", shop().opened, async () => outcome);
    expect(entry).toMatchObject({ outcome: "done", counters: { registered: 100, not_taken: 150 } });
    expect(entry.message).toContain("Stopped after 100 of 250: 150 were not registered");
    expect(entry.message).not.toMatch(/nothing was changed/i);
  });
});

describe("a bulk rerun on a file", () => {
  const APP = "kitchen_sink";
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: APP }));

  it("that is aborted finishes its current batch, and the log has the first of the new ids", async () => {
    const app = await monitor.workspace.open(APP);
    const before = contentsOf(monitor.path);
    const lines: string[] = [];
    const told: [number, number][] = [];
    const interrupt = new AbortController();
    const log = new ActionLog({
      via: "server",
      file: null,
      write: (line) => lines.push(line),
      warn: (words) => lines.push(words),
    });
    const plan = await service.planRerunMany(app, { status: ["success"], all: ["1"], force: ["1"] });
    const { outcome } = await log.record("somebody", "rerun", app, () =>
      service.rerunMany(
        app,
        plan,
        (taken, of) => {
          told.push([taken, of]);
          interrupt.abort();
        },
        interrupt.signal,
      ),
    );
    expect(told).toEqual([[100, 183]]);
    expect(outcome).toMatchObject({ taken: 100, registered: 100, stopped: "interrupted." });
    expect(outcome.message).toContain("Stopped after 100 of 183: interrupted.");
    expect(changesOf(APP, before, contentsOf(monitor.path))).toMatchObject({
      orchestrator_invocations: outcome.registered,
      broker_message_queue: outcome.registered,
    });
    const { counters } = JSON.parse(lines[0] ?? "") as { counters: Record<string, unknown> };
    expect(counters.new_invocation_ids).toEqual(outcome.new_invocation_ids.slice(0, 32));
    expect(counters.new_invocation_ids_left_out).toBe(outcome.registered - 32);
  });
});
