/** The consequences in the preview of a purge, the queue emptied with it, and messages that arrive during it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PurgeTarget } from "../../../src/api/actions.ts";
import { InvalidInputError, StoreUnreachableError } from "../../../src/errors.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { PURGES, previewPurge, purge as purgeNow } from "../../../src/services/actions/purge.ts";
import type { Capabilities } from "../../../src/stores/ports/layout.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { portWith } from "../../support/memory-app/port-with.ts";

const TARGETS = Object.keys(PURGES) as PurgeTarget[];
const EMPTY = { empty_queue: ["1"] };

function shop(capabilities: Partial<Capabilities> = {}): MemoryApp {
  return memoryApp({ now: at(100), capabilities })
    .invocation("waiting")
    .message("waiting")
    .invocation("lost")
    .invocation("running", {
      history: [
        [at(0), "registered"],
        [at(1), "pending"],
        [at(2), "running"],
      ],
    })
    .message("running");
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** With the second passed in which it looks for messages that came meanwhile. */
async function purge(...args: Parameters<typeof purgeNow>) {
  const [done] = await Promise.all([purgeNow(...args), vi.advanceTimersByTimeAsync(1_000)]);
  return done;
}

async function words(app: MemoryApp, target: PurgeTarget, raw = {}): Promise<string> {
  return (await previewPurge(app.opened, target, raw)).consequences.join("\n");
}

it("the preview of a purge has a title that names what is deleted", async () => {
  const titles = await Promise.all(
    TARGETS.map(async (target) => [target, (await previewPurge(shop().opened, target, {})).title]),
  );
  expect(Object.fromEntries(titles)).toEqual({
    all: "all data",
    broker: "the broker queue",
    orchestrator: "the orchestrator",
    "state-backend": "the state backend",
    "client-data-store": "the client data store",
    triggers: "triggers, events and trigger runs",
  });
});

it("the preview of a purge of the broker lists the messages that are taken first, of one queue or of all, and at most ten", async () => {
  const app = memoryApp({ now: at(100), queue_layout: { named: true } })
    .invocation("mailed", { task: "shop.send" })
    .message("mailed", at(5), { queue: "mail" });
  for (let n = 0; n < 12; n++) app.invocation(`w${n}`).message(`w${n}`, at(n));
  const listed = async (target: PurgeTarget, raw = {}) => {
    const { messages, total } = await previewPurge(app.opened, target, raw);
    return { total, first: messages[0], ids: messages.map(({ invocation_id }) => invocation_id) };
  };
  const first = { invocation_id: "mailed", task_id_key: "shop.send", place: 1, queued_seconds: 95 };
  expect(await listed("broker", { queue: ["mail"] })).toMatchObject({ total: 1, first, ids: ["mailed"] });
  const all = await listed("broker");
  expect([all.total, all.ids]).toEqual([13, Array.from({ length: 10 }, (_, n) => `w${n}`)]);
  expect((await listed("all")).ids).toEqual([]);
});

it("the preview of a purge of one queue counts the runners that take from it, and of all queues all that are active", async () => {
  const app = memoryApp({ now: at(60), queue_layout: { named: true }, settings: { queues: ["default", "mail"] } })
    .runner("mails", { queues: ["mail"] })
    .runner("any", { queues: [] })
    .runner("unknown")
    .runner("else", { queues: ["default"] })
    .message("m", at(5), { queue: "mail" });
  const alive = async (raw = {}) => {
    const { takes_from, count, runners } = (await previewPurge(app.opened, "broker", raw)).runners_alive;
    return { takes_from, count, ids: runners.map(({ runner_id }) => runner_id).sort() };
  };
  expect(await alive({ queue: ["mail"] })).toEqual({ takes_from: "mail", count: 3, ids: ["any", "mails", "unknown"] });
  expect(await alive()).toMatchObject({ takes_from: null, count: 4 });
});

async function messages({ opened }: MemoryApp): Promise<string[]> {
  const queue = await opened.store.read((reads) => reads.broker.peekMessages({ limit: 100, offset: 0 }));
  return queue.map((message) => message.invocation_id);
}

/** Somebody does something at these moments after the rows of a purge are gone; the sweeps are counted, or fail. */
function beside(app: MemoryApp, work: readonly [afterMs: number, act: () => void][], failure: Error | null = null) {
  const { actions } = app.store;
  const counted = { sweeps: 0 };
  const store = Object.create(app.store, {
    actions: {
      value: portWith(actions, {
        async purge(components) {
          const rows = await actions.purge(components);
          for (const [afterMs, act] of work) setTimeout(act, afterMs);
          return rows;
        },
        async sweepQueue() {
          counted.sweeps++;
          if (failure !== null) throw failure;
          return actions.sweepQueue();
        },
      }),
    },
  });
  return { opened: { ...app.opened, store }, counted };
}

it.each([
  ["all", ["broker", "client_data_store", "orchestrator", "state_backend", "trigger"]],
  ["broker", ["broker"]],
  ["orchestrator", ["orchestrator"]],
  ["state-backend", ["state_backend"]],
  ["client-data-store", ["client_data_store"]],
  ["triggers", ["trigger"]],
] as const)(
  "a purge of %s counts and deletes the rows of its components, and no others",
  async (target, components) => {
    const filled = () =>
      shop()
        .value("large")
        .event("e", { timestamp: at(1) });
    const named = (rows: readonly { component: string; rows: number }[]) =>
      [...new Set(rows.filter((row) => row.rows > 0).map((row) => row.component))].sort();
    const { counts } = await previewPurge(filled().opened, target, {});
    expect(named(counts)).toEqual(components);
    const { rows, deleted } = await purge(filled().opened, target, {});
    expect(named(rows)).toEqual(components);
    expect(deleted).toBeGreaterThan(0);
  },
);

describe("messages left without their records by a purge", () => {
  it.each([
    ["orchestrator", "status"],
    ["state-backend", "definition"],
  ] as const)(
    "of %s are counted, with what each kind of runner does with them and how to avoid it",
    async (target, missing) => {
      const app = shop();
      const preview = await previewPurge(app.opened, target, {});
      expect(preview).toMatchObject({ empties_queue: false, stranded_messages: 2, purge_is_atomic: true });
      const told = preview.consequences.join("\n");
      expect(told).toContain(`2 messages stay in the queue for invocations without a ${missing}.`);
      expect(told).toContain("A ThreadRunner that takes one stops;");
      expect(told).toMatch(/MultiThreadRunner may pause.+--empty-queue/);
      expect(preview.counts.map((count) => count.component)).not.toContain("broker");
      await purge(app.opened, target, {});
      expect(await messages(app)).toEqual(["waiting", "running"]);
    },
  );

  it("are zero if the queue is empty, and unknown if the queue is shared", async () => {
    const app = shop().change((rows) => rows.messages.splice(0));
    expect((await previewPurge(app.opened, "orchestrator", {})).stranded_messages).toBe(0);
    expect(await words(app, "orchestrator")).not.toContain("in the queue");
    const shared = shop({ queue_shared: true, queue_peek: false });
    expect((await previewPurge(shared.opened, "orchestrator", {})).stranded_messages).toBeNull();
    expect(await words(shared, "orchestrator")).toMatch(
      /^Messages may stay.+but other apps may have messages there\.$/m,
    );
  });

  it.each(["orchestrator", "state-backend"] as const)("are gone if the queue is emptied first: %s", async (target) => {
    const app = shop();
    const preview = await previewPurge(app.opened, target, EMPTY);
    expect(preview).toMatchObject({ empties_queue: true, stranded_messages: 0 });
    expect(preview.title).toBe(`the broker queue and ${PURGES[target].title}`);
    expect(preview.counts[0]).toMatchObject({ component: "broker", rows: 2 });
    const done = await purge(app.opened, target, EMPTY);
    expect([done.rows, done.deleted, done.swept_messages]).toEqual([preview.counts, preview.total, 0]);
    expect(await messages(app)).toEqual([]);
    const left = await app.store.read(async (reads) => [
      await reads.orchestrator.countInvocations({}, 10),
      await reads.state_backend.countDefined(),
    ]);
    expect(left).toEqual(target === "orchestrator" ? [0, 3] : [3, 0]);
  });

  it("can be avoided with --empty-queue for the orchestrator and the state backend only", async () => {
    const app = shop();
    for (const target of TARGETS.filter((one) => !["orchestrator", "state-backend"].includes(one))) {
      await expect(previewPurge(app.opened, target, EMPTY)).rejects.toThrow(InvalidInputError);
      await expect(purge(app.opened, target, EMPTY)).rejects.toThrow(InvalidInputError);
    }
    expect(await messages(app)).toEqual(["waiting", "running"]);
  });

  it("count as waiting invocations, and requeue is only mentioned if it can repair them", async () => {
    expect(await words(shop(), "broker")).toMatch(
      /^2 invocations wait for a runner.+Requeue, on the page of each, can make new ones/,
    );
    const both = await words(shop(), "state-backend", EMPTY);
    expect(both).toContain("2 invocations wait for a runner");
    expect(both).not.toContain("Requeue");
    expect(await words(shop(), "orchestrator", EMPTY)).not.toContain("wait for a runner");
  });
});

it("the preview of a purge says what is lost with the purged components, and only with them", async () => {
  const loss = {
    "state-backend": "workflows are lost",
    "client-data-store": "payloads become unreadable",
    triggers: "nothing is triggered",
    orchestrator: "1 invocation under way (running) can no longer end",
  } as const;
  for (const [target, sentence] of Object.entries(loss)) {
    const told = await Promise.all(
      TARGETS.map(async (one) => ((await words(shop(), one)).includes(sentence) ? one : [])),
    );
    expect([target, told.flat().sort()]).toEqual([target, ["all", target].sort()]);
  }
});

it("the preview of a purge names the statuses of what is under way, which is neither waiting nor final", async () => {
  const app = memoryApp({ now: at(100) });
  for (const { name } of STATUSES) app.invocation(name, { history: [[at(1), name]] });
  const under_way = STATUSES.flatMap(({ name, final, available }) => (final || available ? [] : name)).sort();
  const told = `${under_way.length} invocations under way (${under_way.join(", ")}) can no longer end.`;
  expect(await words(app, "orchestrator", EMPTY)).toContain(told);
});

it("pending conditions are counted as lost in the preview of a purge", async () => {
  const lost = async (count: number) => {
    const app = shop();
    for (let n = 0; n < count; n++) app.validCondition(`v${n}`);
    return /^\d+ condition.*lost\.$/m.exec(await words(app, "triggers"))?.[0];
  };
  expect([await lost(0), await lost(1), await lost(2)]).toEqual([
    undefined,
    "1 condition met but not handled yet is lost.",
    "2 conditions met but not handled yet are lost.",
  ]);
});

it("the preview says that others may share the queue, and that the queue is emptied first if more is purged", async () => {
  const shared = () => shop({ queue_shared: true, queue_peek: false });
  const [queueAlone, all, records] = [
    await words(shared(), "broker"),
    await words(shared(), "all"),
    await words(shared(), "orchestrator"),
  ];
  const says = (text: string) => [text.includes("share this queue"), text.includes("The queue is emptied first.")];
  expect([says(queueAlone), says(all), says(records)]).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
});

describe("calls registered during a purge", () => {
  const clients = "Stop the programs that register calls first";

  it("are mentioned in the preview if the queue and the records are purged together", async () => {
    for (const target of TARGETS) {
      expect([target, (await words(shop(), target)).includes(clients)]).toEqual([target, target === "all"]);
    }
    expect(await words(shop(), "orchestrator", EMPTY)).toContain(clients);
    expect(await words(shop(), "all")).toContain("Such messages are removed for one second after the purge");
    const counted = await words(shop({ queue_peek: false }), "all");
    expect(counted).toContain("This queue can only be counted, so such messages cannot be found.");
  });

  it("leave no message without its records if their registration ends within a second", async () => {
    const app = shop();
    const { opened } = beside(app, [
      [5, () => app.message("no records")],
      [50, () => app.invocation("no definition", { definition: null }).message("no definition")],
      [250, () => app.invocation("no status", { status: null }).message("no status")],
      [700, () => app.invocation("whole").message("whole").message("late")],
    ]);
    const done = await purge(opened, "all", {});
    expect(await messages(app)).toEqual(["whole"]);
    expect(done.swept_messages).toBe(4);
    expect(done.message).toContain("4 messages of calls that were being registered during the purge were removed too.");
    expect(done.deleted).toBe(done.rows.reduce((sum, row) => sum + row.rows, 0));
  });

  it("are not searched for if the purge leaves either the queue or all records alone", async () => {
    for (const target of ["broker", "orchestrator", "state-backend", "triggers", "client-data-store"] as const) {
      const { opened, counted } = beside(shop(), []);
      const { swept_messages } = await purge(opened, target, {});
      expect([target, counted.sweeps, swept_messages]).toEqual([target, 0, 0]);
    }
  });

  it("are reported as not searched for if the store fails, and the purge itself succeeds", async () => {
    const app = shop();
    const { opened } = beside(app, [], new StoreUnreachableError("busy", "The file is locked."));
    const done = await purge(opened, "all", {});
    expect(done).toMatchObject({ success: true, swept_messages: 0 });
    expect(done.message).toContain("Could not search for messages that arrived during the purge: The file is locked.");
    expect(await messages(app)).toEqual([]);
  });
});
