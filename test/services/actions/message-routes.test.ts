/** The queue and priority of new messages, and the setting or message that they come from. */
import { describe, expect, it } from "vitest";
import { effectiveSettings } from "../../../src/config/pynenc-sources.ts";
import { InvalidInputError, StoreUnreachableError } from "../../../src/errors.ts";
import { type RoutePlan, routeGroups, routeNotes } from "../../../src/services/actions/message-routes.ts";
import { previewPurge, purge } from "../../../src/services/actions/purge.ts";
import { previewRequeue, requeue } from "../../../src/services/actions/requeue.ts";
import { previewRerun, rerun } from "../../../src/services/actions/rerun.ts";
import { planRerunMany, previewRerunMany, rerunMany } from "../../../src/services/actions/rerun-many.ts";
import { at, type InvocationGiven, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const DONE: InvocationGiven = {
  history: [
    [at(0), "registered"],
    [at(1), "pending"],
    [at(2), "running"],
    [at(3), "failed"],
  ],
};

const DEFAULT = "pynenc's default; the task's own is not stored";
const WAITING = "as its waiting messages";

/** One failed call of shop.pay in a store with named queues. */
function shop(settings: Record<string, unknown> = {}, env: Record<string, string> = {}): MemoryApp {
  const app = memoryApp({ settings, now: at(600), queue_layout: { named: true } });
  const all = effectiveSettings({ cwd: "/nowhere", env, configFile: null, appInfo: { config_values: settings } });
  Object.assign(app.opened, { settings: all });
  return app.invocation("done", DONE);
}

const withWaiting = (app: MemoryApp) => app.invocation("waits").message("waits", at(1), { queue: "mail", priority: 7 });

const route = async (app: MemoryApp, raw: Record<string, string[]> = {}) => {
  const { route: preview } = await previewRerun(app.opened, "done", { force: ["1"], ...raw });
  const outcome = await rerun(app.opened, "done", { force: ["1"], ...raw });
  expect(outcome.route).toEqual(preview);
  const message = app.rows((rows) => rows.messages.find((one) => one.invocation_id === outcome.new_invocation_id));
  expect([message?.queue_name, message?.priority]).toEqual([preview?.queue_name, preview?.priority]);
  return [preview?.queue_name, preview?.priority, preview?.queue_told_by, preview?.priority_told_by];
};

describe("the route of a new message", () => {
  it("is pynenc's default without messages and settings", async () => {
    expect(await route(shop())).toEqual(["default", 0, DEFAULT, DEFAULT]);
  });

  it("is that of a waiting message of the task, but not of another task or of a final invocation", async () => {
    expect(await route(withWaiting(shop()))).toEqual(["mail", 7, WAITING, WAITING]);
    const others = shop()
      .invocation("other", { task: "shop.ship" })
      .message("other", at(1), { queue: "mail", priority: 7 })
      .invocation("ran", DONE)
      .message("ran", at(1), { queue: "mail", priority: 7 });
    expect(await route(others)).toEqual(["default", 0, DEFAULT, DEFAULT]);
  });

  it("is that of most waiting messages, and with equal numbers the latest one's", async () => {
    const app = shop();
    for (const [n, queue] of ["mail", "mail", "hand"].entries())
      app.invocation(`w${n}`).message(`w${n}`, at(n), { queue, priority: 7 });
    const shown = async () => (await previewRerun(app.opened, "done", { force: ["1"] })).route?.queue_name;
    expect(await shown()).toBe("mail");
    app.invocation("w3").message("w3", at(9), { queue: "hand", priority: 7 });
    expect(await shown()).toBe("hand");
  });

  it("ignores a setting that pynenc refuses", async () => {
    const rules = [{ task_id: "*", priority: 1000 }];
    const broken = { task: { queue: "a b", priority: 500 }, broker: { priority_rules: rules } };
    const nothing = ["default", 0, DEFAULT, DEFAULT];
    expect(await route(shop(broken))).toEqual(nothing);
    expect(await route(shop({}, { PYNENC__QUEUE: "", PYNENC__PRIORITY: "nan" }))).toEqual(nothing);
    expect((await route(withWaiting(shop(broken)))).slice(0, 2)).toEqual(["mail", 7]);
  });

  it("follows a setting for all tasks only without waiting messages, since the task's code overrides that setting", async () => {
    const settings = { queue: "late", priority: -3 };
    expect(await route(shop(settings))).toEqual(["late", -3, "app_info", "app_info"]);
    expect(await route(withWaiting(shop(settings)))).toEqual(["mail", 7, WAITING, WAITING]);
  });

  it("follows settings of a task section, and variables above them, whatever messages wait", async () => {
    const settings = { task: { queue: "late", "shop.pay": { priority: 2 } } };
    const ofTask = 'app_info [task."shop.pay"]';
    expect(await route(withWaiting(shop(settings)))).toEqual(["late", 2, "app_info [task]", ofTask]);
    const env = { "PYNENC__CONFIGTASK__SHOP#PAY__QUEUE": "own", PYNENC__PRIORITY: "4" };
    expect(await route(withWaiting(shop(settings, env)))).toEqual([
      "own",
      4,
      "PYNENC__CONFIGTASK__SHOP#PAY__QUEUE",
      "PYNENC__PRIORITY",
    ]);
  });

  it("has the highest priority of all matching rules, even below the task's own priority", async () => {
    const rules = (...given: [string, number][]) => ({
      broker: { priority_rules: given.map(([task_id, priority]) => ({ task_id, priority })) },
      task: { priority: 50 },
    });
    const priority = async (settings: Record<string, unknown>) => {
      const [, value, , by] = await route(shop(settings));
      return [value, by];
    };
    expect(await priority(rules(["shop.*", 1], ["*pay", 9], ["shop.p?y", 5]))).toEqual([
      9,
      "priority rule *pay (app_info [broker])",
    ]);
    expect(await priority(rules(["shop.ship", 90], ["SHOP.*", 90]))).toEqual([50, "app_info [task]"]);
  });

  it("is the requested one, queue and priority separately", async () => {
    const settings = { broker: { priority_rules: [{ task_id: "*", priority: 9 }] } };
    expect(await route(withWaiting(shop(settings)), { queue: ["rush"], priority: ["-100"] })).toEqual([
      "rush",
      -100,
      "requested",
      "requested",
    ]);
    expect(await route(withWaiting(shop()), { priority: ["0.5"] })).toEqual(["mail", 0.5, WAITING, "requested"]);
  });

  it("is pynenc's default if status and definition name different tasks", async () => {
    const app = shop().invocation("torn", { ...DONE, definition: { task_id_key: "shop.other" } });
    const preview = await previewRerun(app.opened, "torn", { force: ["1"] });
    expect([preview.route?.queue_name, preview.route?.queue_told_by]).toEqual(["default", DEFAULT]);
    const plan = await planRerunMany(app.opened, { status: ["failed"], force: ["1"] });
    expect((await previewRerunMany(app.opened, plan)).routes.map(({ messages }) => messages)).toEqual([2]);
  });

  it("is refused with a queue or priority that pynenc refuses, or if the store has no named queues", async () => {
    const refused = (app: MemoryApp, raw: Record<string, string[]>) =>
      expect(previewRerun(app.opened, "done", raw)).rejects.toThrow(InvalidInputError);
    await refused(shop(), { queue: ["a b"] });
    await refused(shop(), { priority: ["100.1"] });
    await refused(shop(), { priority: ["high"] });
    const nameless = memoryApp().invocation("done", DONE);
    await refused(nameless, { queue: ["mail"] });
    await refused(nameless, { priority: ["1"] });
    await expect(rerun(nameless.opened, "done", { queue: ["mail"] })).rejects.toThrow(InvalidInputError);
    expect((await previewRerun(nameless.opened, "done", {})).route).toBeNull();
    expect((await rerun(nameless.opened, "done", {})).route).toBeNull();
  });
});

it("the route of a bulk rerun stays the same for all batches, even if its message is gone", async () => {
  const app = shop();
  for (let n = 0; n < 150; n++) app.invocation(`f${n}`, DONE);
  app.invocation("waits").message("waits", at(1), { queue: "archive", priority: 2 });
  const plan = await planRerunMany(app.opened, { status: ["failed"], force: ["1"] });
  const done = await rerunMany(app.opened, plan, () => {
    // After the first batch a runner takes that message.
    app.change((rows) => {
      rows.messages = rows.messages.filter((one) => one.invocation_id !== "waits");
    });
  });
  expect(done.routes.map(({ queue_name, messages }) => [queue_name, messages])).toEqual([["archive", 151]]);
  expect(new Set(app.rows((rows) => rows.messages.map((one) => one.queue_name)))).toEqual(new Set(["archive"]));
});

describe("the notes on the route of a message", () => {
  const notes = async (app: MemoryApp, raw: Record<string, string[]> = {}) =>
    (await previewRerun(app.opened, "done", raw)).notes.filter((note) => /queue/i.test(note));

  it("say where the message goes, why, and for how long that applies", async () => {
    const app = shop({ broker: { queues: ["default"] } }).runner("r1", { queues: [], last: at(590) });
    expect(await notes(app)).toEqual([
      `The message of shop.pay goes to queue default with priority 0 (${DEFAULT}).`,
      "This queue and priority hold for the next run only: after a retry or recovery, messages go to the task's own queue.",
    ]);
  });

  it("do not call a queue undeclared if the declared queues are unknown", async () => {
    const app = shop().runner("r1", { queues: [], last: at(590) });
    expect((await notes(app, { queue: ["rush"] })).slice(2)).toEqual([
      "No active runner is known to take from queue rush.",
    ]);
    expect((await notes(app, { queue: ["default"] })).slice(2)).toEqual([]);
    // A runner of all declared queues may take from one that holds messages.
    expect((await notes(withWaiting(app), { queue: ["mail"], force: ["1"] })).slice(2)).toEqual([]);
  });

  it("describe at most five groups, the largest first, and count the messages of the others", async () => {
    const app = shop({ broker: { queues: ["mail"] } }).runner("r1", { queues: ["mail"], last: at(590) });
    const notesOf = (...messages: number[]) =>
      app.store.read(async (reads) => {
        // Each group of two tasks has a priority of its own.
        const route = (priority: number) => ({ queue_name: "mail", priority });
        const plan: RoutePlan = {
          routing: { tasks: {}, fallback: route(0) },
          shown: (task) => ({
            ...route(Number(task.split("_")[1])),
            queue_told_by: WAITING,
            priority_told_by: WAITING,
          }),
        };
        const answers = messages.flatMap((count, priority) =>
          Array.from({ length: count }, (_, n) => ({
            task_id_key: `shop.t${n % 2}_${priority}`,
            route: route(priority),
          })),
        );
        return routeNotes(app.opened, reads, routeGroups(plan, answers));
      });
    const told = (subject: string, priority: number) =>
      `${subject} to queue mail with priority ${priority} (${WAITING}).`;
    const whole = await notesOf(1, 2, 3, 4, 1_500);
    expect(whole.slice(0, 5)).toEqual([
      told("1,500 messages of 2 tasks go", 4),
      told("4 messages of 2 tasks go", 3),
      told("3 messages of 2 tasks go", 2),
      told("2 messages of 2 tasks go", 1),
      told("The message of shop.t0_0 goes", 0),
    ]);
    expect(whole).toHaveLength(6);
    expect((await notesOf(1, 2, 3, 4, 5, 6))[5]).toBe("1 more message goes elsewhere (other queue or priority).");
    expect((await notesOf(1, 2, 3, 4, 5, 6, 7))[5]).toBe("3 more messages go elsewhere (other queue or priority).");
    expect(await notesOf()).toEqual([]);
  });

  it("use only the settings if the queues cannot be read", async () => {
    const app = shop({ broker: { queues: ["mail"] } }).runner("r1", { queues: ["mail"], last: at(590) });
    const notesOn = (queue_name: string) =>
      app.store.read((reads) => {
        const queues = () => Promise.reject(new StoreUnreachableError("busy", "The broker is away."));
        const group = { task_id_key: "shop.pay", tasks: 1, messages: 1, queue_name, priority: 0 };
        const told = { queue_told_by: "requested", priority_told_by: "requested" };
        const away = { ...reads, broker: Object.create(reads.broker, { queues: { value: queues } }) };
        return routeNotes(app.opened, away, [{ ...group, ...told }]);
      });
    expect((await notesOn("mail")).slice(2)).toEqual([]);
    expect((await notesOn("rush")).slice(2)).toEqual(["Queue rush is not declared in broker.queues."]);
  });

  it("say that the queue is not declared, or that no active runner takes messages from it", async () => {
    const app = shop({ broker: { queues: ["mail"] } }).runner("r1", { queues: ["mail"], last: at(590) });
    expect((await notes(app, { queue: ["rush"] })).slice(2)).toEqual([
      "Queue rush is not declared in broker.queues. No active runner is known to take from queue rush.",
    ]);
    expect((await notes(app)).slice(2)).toEqual(["No active runner is known to take from queue default."]);
    expect((await notes(app, { queue: ["mail"] })).slice(2)).toEqual([]);
  });

  it("do not call a requested queue undeclared if the declared ones are unknown", async () => {
    const app = shop().runner("r1", { queues: [], last: at(590) });
    expect((await notes(app, { queue: ["rush"] })).slice(2)).toEqual([
      "No active runner is known to take from queue rush.",
    ]);
  });

  it("are repeated in the message of the finished rerun", async () => {
    const { message, new_invocation_id } = await rerun(shop().opened, "done", { queue: ["rush"], priority: ["2"] });
    expect(message).toBe(`Registered shop.pay again as ${new_invocation_id} into queue rush with priority 2.`);
  });
});

it("the routes of a bulk rerun and of a requeue are given by groups", async () => {
  const app = shop({ task: { "shop.ship": { queue: "depot" } } })
    .invocation("second", DONE)
    .invocation("ship", { ...DONE, task: "shop.ship" })
    .invocation("lost")
    .invocation("lost2", { task: "shop.ship" });
  const plan = await planRerunMany(app.opened, { status: ["failed"], priority: ["3"], force: ["1"] });
  const preview = await previewRerunMany(app.opened, plan);
  expect(preview.routes).toEqual([
    {
      ...{ queue_name: "default", priority: 3, queue_told_by: DEFAULT, priority_told_by: "requested" },
      ...{ task_id_key: "shop.pay", tasks: 1, messages: 2 },
    },
    {
      ...{
        queue_name: "depot",
        priority: 3,
        queue_told_by: 'app_info [task."shop.ship"]',
        priority_told_by: "requested",
      },
      ...{ task_id_key: "shop.ship", tasks: 1, messages: 1 },
    },
  ]);
  await rerunMany(app.opened, plan);
  const added = app.rows((rows) => rows.messages.map((one) => [one.queue_name, one.priority]));
  expect(added.sort()).toEqual([
    ["default", 3],
    ["default", 3],
    ["depot", 3],
  ]);
  const ids = ["lost", "lost2", "done"];
  const lost = await previewRequeue(app.opened, ids, { queue: ["back"] });
  expect(lost.routes.map(({ queue_name, messages, tasks }) => [queue_name, messages, tasks])).toEqual([["back", 2, 2]]);
  expect(lost.notes[0]).toContain("The messages go behind others of the same priority.");
  expect((await requeue(app.opened, ids, { queue: ["back"] })).routes).toEqual(lost.routes);
  expect(app.rows((rows) => rows.messages.filter((one) => one.queue_name === "back")).length).toBe(2);
});

describe("a store with tables of two versions", () => {
  const mixed = (consumed_queues: boolean, named: boolean) => {
    const app = memoryApp({ now: at(600), capabilities: { consumed_queues }, queue_layout: { named } }).invocation(
      "done",
      DONE,
    );
    Object.assign(app.opened.store, { kind: "sqlite" });
    return app.invocation("lost", { history: [[at(0), "registered"]] });
  };

  it("has a note in every preview on which versions of pynenc cannot read the table", async () => {
    for (const [consumed, named, sign] of [
      [true, false, "no such column: queue_name"],
      [false, true, "no column named consumed_queues"],
    ] as const) {
      const app = mixed(consumed, named);
      const told = [
        await previewRerun(app.opened, "done", {}),
        await previewRerunMany(app.opened, await planRerunMany(app.opened, { status: ["failed"] })),
        await previewRequeue(app.opened, ["lost"], {}),
      ].map(({ notes }) => notes.filter((note) => note.includes(sign)).length);
      expect(told).toEqual([1, 1, 1]);
    }
  });

  it("has no note on unreadable tables if all tables are of one version", async () => {
    const { notes } = await previewRerun(mixed(false, false).opened, "done", {});
    expect(notes.filter((note) => note.includes("pynenc 0.4"))).toEqual([]);
  });
});

describe("a purge of one queue", () => {
  const two = () =>
    withWaiting(shop())
      .message("done", at(0), { queue: "mail" })
      .invocation("other")
      .message("other", at(2), { queue: "rest" });

  it("shows how many invocations lose their message, and leaves other queues alone", async () => {
    const app = two();
    const preview = await previewPurge(app.opened, "broker", { queue: ["mail"] });
    expect(preview).toMatchObject({ title: "queue mail", queue: "mail", total: 2 });
    expect(preview.consequences).toEqual([
      "1 invocation stays as it is, waiting for a runner. Without a message no runner takes it: recovery only handles pending and running invocations. Requeue, on its page, can make a new one for it, with mail as the chosen queue and without the priority. Other queues stay.",
    ]);
    expect(await purge(app.opened, "broker", { queue: ["mail"] })).toMatchObject({ deleted: 2, queue: "mail" });
    expect(app.rows((rows) => rows.messages.map((one) => one.invocation_id))).toEqual(["other"]);
    const empty = await previewPurge(app.opened, "broker", { queue: ["mail"] });
    expect([empty.total, empty.consequences]).toEqual([
      0,
      ["No waiting invocation has a message in this queue. Other queues stay."],
    ]);
  });

  it("is refused with an empty name, which would purge all queues", async () => {
    const app = two();
    for (const queue of ["", "  "]) {
      await expect(previewPurge(app.opened, "broker", { queue: [queue] })).rejects.toThrow(InvalidInputError);
      await expect(purge(app.opened, "broker", { queue: [queue] })).rejects.toThrow(InvalidInputError);
    }
    expect(app.rows((rows) => rows.messages.length)).toBe(3);
  });

  it("is refused if queues have no names, and for other targets", async () => {
    const nameless = memoryApp().invocation("a").message("a");
    await expect(previewPurge(nameless.opened, "broker", { queue: ["mail"] })).rejects.toThrow(InvalidInputError);
    await expect(purge(nameless.opened, "broker", { queue: ["mail"] })).rejects.toThrow(InvalidInputError);
    await expect(purge(two().opened, "triggers", { queue: ["mail"] })).rejects.toThrow(InvalidInputError);
    expect(nameless.rows((rows) => rows.messages.length)).toBe(1);
  });
});

describe("a queue whose name ends with a blank", () => {
  const blank = () =>
    shop()
      .invocation("waits")
      .message("waits", at(1), { queue: "default " })
      .invocation("other", { task: "shop.ship" })
      .message("other", at(1), { queue: "default" });
  const queues = (app: MemoryApp) => app.rows((rows) => rows.messages.map((one) => one.queue_name));

  it("is purged without the queue of the same name without the blank", async () => {
    const app = blank();
    expect(await previewPurge(app.opened, "broker", { queue: ["default "] })).toMatchObject({
      queue: "default ",
      total: 1,
    });
    await purge(app.opened, "broker", { queue: ["default "] });
    expect(queues(app)).toEqual(["default"]);
  });

  it("is the route of a rerun if waiting messages of the task are in it", async () => {
    expect((await route(blank())).slice(0, 2)).toEqual(["default ", 0]);
  });

  it("is refused as a requested queue, because pynenc has no such names", async () => {
    await expect(previewRerun(blank().opened, "done", { force: ["1"], queue: ["default "] })).rejects.toBeInstanceOf(
      InvalidInputError,
    );
  });
});
