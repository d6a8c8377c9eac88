/** The rerun of one invocation: its preview, its refusals and what it registers. */
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { InvalidInputError, NotFoundError, RefusedError } from "../../../src/errors.ts";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import { requeue } from "../../../src/services/actions/requeue.ts";
import { duplicateHint, previewRerun, reasonOf, rerun, rerunRequest } from "../../../src/services/actions/rerun.ts";
import { planRerunMany, previewRerunMany, rerunMany } from "../../../src/services/actions/rerun-many.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { DEFAULT_ROUTING } from "../../../src/stores/ports/actions.ts";
import { at, type InvocationGiven, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const FAILED: InvocationGiven = {
  arguments: { n: "1" },
  history: [
    [at(0), "registered"],
    [at(1), "failed"],
  ],
};
const FORCE: RawInput = { force: ["1"] };

const shop = () => memoryApp().context("client").runner("r1");
const preview = (app: MemoryApp, raw: RawInput = {}) => previewRerun(app.opened, "a", raw);
const act = (app: MemoryApp, raw: RawInput = {}) => rerun(app.opened, "a", raw);
const statusesOf = (app: MemoryApp) => app.rows((rows) => rows.statuses.map((row) => row.invocation_id));

/** The same call waits already, and the task has concurrency control. */
const duplicate = () =>
  shop()
    .invocation("a", { ...FAILED, indexed: true })
    .invocation("waiting", { arguments: { n: "1" }, indexed: true })
    .message("waiting");

it("a rerun is recorded at the instant of a demo whose clock is fixed", async () => {
  const app = shop().invocation("a", FAILED);
  expect(rerunRequest({ ...app.opened, writes_at: at(9) }, false, { routing: DEFAULT_ROUTING }).at).toBe(at(9));
  expect(rerunRequest(app.opened, false, { routing: DEFAULT_ROUTING }).at).toBeNull();
});

describe("the preview of a rerun", () => {
  it("changes nothing, and shows what would be registered again and which runners are active", async () => {
    const app = shop().invocation("a", FAILED);
    const found = await preview(app);
    expect(statusesOf(app)).toEqual(["a"]);
    expect(found).toMatchObject({
      app_id: "shop",
      location: "memory",
      invocation: { invocation_id: "a", status: "failed" },
      force: false,
      own_workflow: false,
      indexed_arguments: 1,
      control: "none_at_registration",
      runners_alive: { count: 1, runners: [{ runner_id: "r1" }] },
      refused: null,
      forcible: false,
    });
    expect(found.notes[0]).toBe(
      "The new invocation is independent: without a parent, and not started by an event. Triggers on the status registered do not run.",
    );
    expect(found.notes.join()).not.toMatch(/No runner is active|not final/);
  });

  it("says what the old run and all that it led to emitted and started through triggers, because the new run may do it again", async () => {
    const app = shop()
      .invocation("a", FAILED)
      .invocation("called", { parent: "a" })
      .invocation("x", { task: "shop.mail" })
      .invocation("below x", { task: "shop.mail", parent: "x" })
      .invocation("y", { task: "shop.pack" })
      .event("e1", { event_code: "order.paid", emitted_by_invocation_id: "a" })
      .event("e2", { event_code: "order.paid", emitted_by_invocation_id: "called" })
      .event("e3", { event_code: "order.paid", emitted_by_invocation_id: "below x" })
      .event("other", { event_code: "order.paid", emitted_by_invocation_id: "b" })
      .triggerRun("by event", { triggered_invocation_id: "x", participants: [{ event_id: "e1" }] })
      .triggerRun("by status", { triggered_invocation_id: "y", participants: [{ source_invocation_id: "below x" }] });
    const effects = (await preview(app)).notes.filter((note) => note.startsWith("The old run"));
    expect(effects).toEqual([
      "The old run, with all that it led to, emitted 3 events (order.paid) and caused 2 trigger runs. Triggers started 3 invocations, calls below included: 2 of shop.mail, 1 of shop.pack. A new run may do all this again.",
    ]);
    expect((await preview(shop().invocation("a", FAILED))).notes.join()).not.toContain("The old run");
  });

  it("says what the old run led to at least, if it led to more than is read", async () => {
    const app = shop().invocation("a", FAILED);
    for (let n = 0; n < 600; n++) app.invocation(`c${n}`, { parent: "a" });
    app.event("e", { event_code: "order.paid", emitted_by_invocation_id: "a" });
    expect((await preview(app)).notes.join()).toContain("emitted at least 1 event (order.paid). A new run");
  });

  it("says first that the same call has succeeded since, but not that another one has, or this one before", async () => {
    const success = (id: string, second: number, n = "1") =>
      [
        id,
        {
          arguments: { n },
          history: [
            [at(second), "registered"],
            [at(second + 1), "success"],
          ],
        },
      ] as const;
    const notes = async (...others: [string, InvocationGiven][]) => {
      const app = shop();
      for (const [id, given] of others) app.invocation(id, given);
      return (
        await preview(
          app.invocation("a", {
            ...FAILED,
            history: [
              [at(5), "registered"],
              [at(6), "failed"],
            ],
          }),
        )
      ).notes;
    };
    const none = await notes([...success("before", 0)], [...success("other", 9, "2")]);
    expect(none.join()).not.toContain("has succeeded");
    const [first, ...rest] = await notes([...success("before", 0)], [...success("after", 9)]);
    expect(first).toBe("The same call has succeeded since: after at 2026-01-05 12:00:10 UTC.");
    expect(rest).toEqual(none);
  });

  it("says that no runner is active to run the call", async () => {
    const { notes, runners_alive } = await preview(memoryApp().context("client").invocation("a", FAILED));
    expect(runners_alive.count).toBe(0);
    expect(notes).toContain("No runner is active: registered calls wait in the queue.");
  });

  it("says that the invocation itself is not final yet", async () => {
    const app = shop().invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), "running", "r1"],
      ],
    });
    expect((await preview(app)).notes).toContain("The invocation has not ended yet: it is running.");
  });

  it("says that the new invocation starts its own workflow", async () => {
    expect(await preview(shop().invocation("a", { ...FAILED, workflow: { id: "a" } }))).toMatchObject({
      own_workflow: true,
    });
  });

  it("gives the reason of a refusal, and whether force would help", async () => {
    expect(await preview(duplicate())).toMatchObject({
      refused: "the task has concurrency control and the same call is already waiting as waiting",
      forcible: true,
    });
    expect(await preview(duplicate(), FORCE)).toMatchObject({ force: true, refused: null, forcible: false });
    const key = clientDataKey('"gone"');
    expect(await preview(shop().invocation("a", { ...FAILED, arguments: { n: key } }))).toMatchObject({
      refused: `some arguments are client data that is not in this store: ${key}`,
      forcible: false,
    });
  });

  it("gives first the reason that forbids every action", async () => {
    const app = memoryApp({ readOnly: true }).context("client").invocation("a", FAILED);
    expect((await preview(app)).refused).toContain("read-only");
  });

  it("gives the reason that forbids the action although the invocation could be repeated", async () => {
    const components = {
      broker: false,
      orchestrator: true,
      state_backend: true,
      client_data_store: true,
      trigger: true,
    };
    const app = memoryApp({ capabilities: { components } }).context("client").invocation("a", FAILED);
    expect(await preview(app)).toMatchObject({
      refused: "Nothing was registered: the broker of this app is not in this store.",
      control: "unknown",
      indexed_arguments: 0,
      own_workflow: false,
      forcible: false,
    });
  });

  it("fails with not found for an id of which nothing or only references are stored", async () => {
    await expect(preview(shop())).rejects.toThrow(NotFoundError);
    await expect(preview(shop().invocation("b", { parent: "a" }))).rejects.toThrow(NotFoundError);
    await expect(preview(shop().invocation("a", FAILED), { force: ["maybe"] })).rejects.toThrow(InvalidInputError);
    await expect(preview(shop().invocation("a", FAILED), { all: ["1"] })).rejects.toThrow(InvalidInputError);
  });

  it("is a refusal if there is a status but no definition", async () => {
    const app = shop().invocation("a", { ...FAILED, definition: null });
    expect(await preview(app)).toMatchObject({ refused: "no definition is stored", forcible: false });
  });
});

describe("a rerun", () => {
  it("registers the same call once more, and leaves the old invocation unchanged", async () => {
    const app = shop().invocation("a", FAILED);
    const before = app.rows((rows) => [rows.statuses[0], rows.definitions[0]]);
    const done = await act(app);
    expect(done).toEqual({
      success: true,
      action: "rerun",
      app_id: "shop",
      invocation_id: "a",
      new_invocation_id: expect.any(String),
      route: null,
      message: `Registered shop.pay again as ${done.new_invocation_id}.`,
    });
    expect(statusesOf(app)).toEqual(["a", done.new_invocation_id]);
    expect(app.rows((rows) => [rows.statuses[0], rows.definitions[0]])).toEqual(before);
    expect(app.rows((rows) => rows.definitions[1]?.serialized_arguments)).toBe('{"n":"1"}');
    expect(app.rows((rows) => rows.messages.map((message) => message.invocation_id))).toEqual([done.new_invocation_id]);
  });

  it("is refused if the same call waits already, unless forced", async () => {
    const app = duplicate();
    const refused = act(app);
    await expect(refused).rejects.toThrow(RefusedError);
    await expect(refused).rejects.toMatchObject({
      message:
        "Nothing was registered: the task has concurrency control and the same call is already waiting as waiting.",
      hint: "force=1 (--force) registers it anyway.",
      status: 409,
    });
    expect(statusesOf(app)).toEqual(["a", "waiting"]);
    const { new_invocation_id } = await act(app, FORCE);
    expect(statusesOf(app)).toEqual(["a", "waiting", new_invocation_id]);
  });

  it("is refused, forced or not, if arguments are missing or unreadable", async () => {
    const key = clientDataKey('"gone"');
    await expect(act(shop().invocation("a", { ...FAILED, arguments: { n: key } }))).rejects.toMatchObject({
      message: `Nothing was registered: some arguments are client data that is not in this store: ${key}.`,
      hint: null,
    });
    const odd = shop().invocation("a", { ...FAILED, definition: { serialized_arguments: "?" } });
    await expect(act(odd)).rejects.toMatchObject({
      message: "Nothing was registered: the stored arguments cannot be read.",
    });
  });

  it("fails with not found for an invocation without a definition", async () => {
    await expect(act(shop())).rejects.toThrow(NotFoundError);
    await expect(act(shop().invocation("a", { ...FAILED, definition: null }))).rejects.toThrow(NotFoundError);
  });

  it("is registered with this process as the caller", () => {
    const app = memoryApp({ settings: { task: { "shop.order": { is_workflow_task: true } } } }).opened;
    const routing = {
      tasks: { "shop.pay": { queue_name: "a", priority: 1 }, "shop.order": { queue_name: "b", priority: 2 } },
      fallback: { queue_name: "default", priority: 0 },
    };
    const request = rerunRequest(app, true, { routing });
    expect(request.caller).toMatchObject({ hostname: hostname(), pid: process.pid });
    expect(request).toMatchObject({ force: true, routing, workflow_tasks: ["shop.order"] });
    expect(rerunRequest(app, false, { routing }).force).toBe(false);
  });
});

it("a refusal does not claim concurrency control if that is unknown", () => {
  const one = {
    invocation_id: "a",
    task_id_key: "shop.pay",
    new_invocation_id: null,
    own_workflow: false,
    indexed_arguments: 0,
    waiting_of_task: null,
    route: null,
    refusal: { kind: "duplicate", invocation_id: "b" },
  } as const;
  expect(reasonOf({ ...one, control: "unknown" })).toBe(
    "it is not known whether the task has concurrency control, and the same call is already waiting",
  );
  expect(reasonOf({ ...one, control: "some", refusal: null })).toBeNull();
  expect(reasonOf(undefined)).toBeNull();
});

describe("a rerun of a call that waits already", () => {
  const lost = () => duplicate().change((rows) => rows.messages.splice(0));
  const WORDS = "waiting is waiting but missing from the queue: requeue it instead (monitor requeue waiting).";

  it("suggests a requeue if the queue has no message of the waiting call", async () => {
    const app = lost();
    expect(await preview(app)).toMatchObject({ forcible: true, requeue_instead: "waiting" });
    await expect(act(app)).rejects.toMatchObject({ hint: `${WORDS} force=1 (--force) registers it anyway.` });
    expect((await requeue(app.opened, ["waiting"], {})).invocation_ids).toEqual(["waiting"]);
    expect((await preview(app)).requeue_instead).toBeNull();
  });

  it("suggests no requeue if the message is in the queue, may be on its way, or cannot be looked for", async () => {
    const app = lost();
    app.now = at(30);
    const counted = lost().change((rows) => {
      rows.capabilities.queue_peek = false;
    });
    for (const one of [duplicate(), app, counted])
      expect(await preview(one)).toMatchObject({ forcible: true, requeue_instead: null });
    await expect(act(counted)).rejects.toMatchObject({ hint: "force=1 (--force) registers it anyway." });
  });

  it("suggests to requeue several waiting calls, with the ids of the first three and the number of all", () => {
    expect(duplicateHint(["a", "b", "c", "d"], "Force.")).toBe(
      "4 of the waiting calls are missing from the queue: requeue them instead (monitor requeue a b c ...). Force.",
    );
  });

  it("suggests a requeue for a list of calls too", async () => {
    const app = lost();
    const plan = await planRerunMany(app.opened, { status: ["failed"] });
    expect((await previewRerunMany(app.opened, plan)).requeue_instead).toEqual(["waiting"]);
    await expect(rerunMany(app.opened, plan)).rejects.toMatchObject({ hint: expect.stringContaining(WORDS) });
  });
});
