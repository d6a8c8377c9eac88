/** When requeue puts a message back, the reasons of its refusals, and where it is offered. */
import { describe, expect, it } from "vitest";
import { InvalidInputError, NotFoundError, RefusedError } from "../../../src/errors.ts";
import { previewRequeue, readRequeueList, requeue } from "../../../src/services/actions/requeue.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { findVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import type { Actions } from "../../../src/stores/ports/actions.ts";
import { REQUEUE_GRACE_SECONDS } from "../../../src/stores/requeue-rule.ts";
import { storeWith } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { portWith } from "../../support/memory-app/port-with.ts";

const NOW = at(10_000);

it("a requeue adds messages at the instant of a demo whose clock is fixed", async () => {
  const app = shop();
  const asked: (number | null | undefined)[] = [];
  const actions = portWith(app.store.actions, {
    requeue(ids, request) {
      asked.push(request.at);
      return app.store.actions.requeue(ids, request);
    },
  });
  const store = { ...storeWith(app.store, (fn) => app.store.read(fn)), actions };
  await requeue({ ...app.opened, store, writes_at: at(9) }, ["early"], {});
  expect(asked).toEqual([at(9)]);
});
/** The latest status change that counts as settled. */
const SETTLED = 10_000 - REQUEUE_GRACE_SECONDS;

/** Four that wait without a message, one of them only just now, and others. */
function shop(): MemoryApp {
  return memoryApp({ now: NOW })
    .runner("r1", { last: NOW })
    .invocation("late", { history: [[at(SETTLED), "registered"]] })
    .invocation("early", { history: [[at(10), "registered"]] })
    .invocation("rerouted", {
      history: [
        [at(0), "registered"],
        [at(1), "pending"],
        [at(2), "killed"],
        [at(20), "rerouted"],
      ],
    })
    .invocation("fresh", { history: [[at(SETTLED + 1), "registered"]] })
    .invocation("queued", { history: [[at(5), "registered"]] })
    .message("queued")
    .invocation("running", {
      history: [
        [at(0), "registered"],
        [at(1), "pending"],
        [at(2), "running"],
      ],
    });
}

async function messages({ opened }: MemoryApp): Promise<string[]> {
  const queue = await opened.store.read((reads) => reads.broker.peekMessages({ limit: 100, offset: 0 }));
  return queue.map((message) => message.invocation_id);
}

async function refused(work: Promise<unknown>): Promise<RefusedError> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RefusedError);
  return error as RefusedError;
}

describe("requeue", () => {
  it("puts messages back, the longest waiting invocation first, and gives the reason for every refused id", async () => {
    const app = shop();
    const asked = ["fresh", "late", "running", "rerouted", "queued", "nobody", "early", "late"];
    const preview = await previewRequeue(app.opened, asked, {});
    expect(preview).toMatchObject({ requeued: 3, refused: null, forcible: false, force: false });
    const told = preview.candidates.map(({ invocation, refusal }) => [invocation.invocation_id, refusal?.kind ?? null]);
    expect(told).toEqual([
      ["nobody", "unknown"],
      ["running", "not_waiting"],
      ["queued", "queued"],
      ["early", null],
      ["rerouted", null],
      ["late", null],
      ["fresh", "unsettled"],
    ]);
    expect(await messages(app)).toEqual(["queued"]);

    const done = await requeue(app.opened, asked, {});
    expect(done).toMatchObject({ success: true, action: "requeue", invocation_ids: ["early", "rerouted", "late"] });
    expect(done.refused.map((one) => [one.invocation_id, one.kind])).toEqual(told.filter(([, kind]) => kind !== null));
    expect(done.message).toBe(
      "Put 3 messages back into the queue. 1 refused: neither a status nor a definition is stored. 1 refused: it is not waiting for a message: its status is running. 1 refused: its message is in the queue. 1 refused: its status must be at least 60 s old: the message may still be on its way.",
    );
    expect(await messages(app)).toEqual(["queued", "early", "rerouted", "late"]);
  });

  it("is refused if no message can be put back, in the same words as in its preview", async () => {
    const app = shop();
    for (const [ids, words] of [
      [["queued"], "No message can be put into the queue: its message is in the queue."],
      [
        ["fresh"],
        "No message can be put into the queue: its status must be at least 60 s old: the message may still be on its way.",
      ],
      [["running"], "No message can be put into the queue: it is not waiting for a message: its status is running."],
      [
        ["running", "queued"],
        "No message can be put into the queue. 1 refused: it is not waiting for a message: its status is running. 1 refused: its message is in the queue.",
      ],
    ] as const) {
      expect((await previewRequeue(app.opened, ids, {})).refused).toBe(words);
      const error = await refused(requeue(app.opened, ids, {}));
      expect([error.message, error.status, error.hint]).toEqual([words, 409, null]);
    }
    expect(await messages(app)).toEqual(["queued"]);
  });

  it("refuses final invocations and those without a status or definition, each with its reason", async () => {
    const app = shop()
      .invocation("over", {
        history: [
          [at(0), "registered"],
          [at(1), "pending"],
          [at(2), "running"],
          [at(3), "success"],
        ],
      })
      .invocation("statusless", { status: null })
      .invocation("undefined", { definition: null });
    const reason = async (id: string) => (await previewRequeue(app.opened, [id], {})).candidates[0]?.refusal?.reason;
    expect(await reason("over")).toBe("it is final: its status is success");
    expect(await reason("statusless")).toContain("no status is stored");
    expect(await reason("undefined")).toContain("no definition is stored");
  });

  it("gives its refusals in the plural for several invocations, and suggests a rerun for a killed one", async () => {
    const app = shop();
    const ended = (status: string): readonly Step[] => [
      [at(0), "registered"],
      [at(1), "pending"],
      [at(2), "running"],
      [at(3), status],
    ];
    for (const id of ["a", "b", "c"]) app.invocation(id, { history: ended("success") });
    app.invocation("stopped", { history: ended("killed") });
    expect((await previewRequeue(app.opened, ["a", "b", "c"], {})).refused).toBe(
      "No message can be put into the queue: they are final: their status is success.",
    );
    expect((await refused(requeue(app.opened, ["a", "b", "stopped"], {}))).message).toBe(
      "No message can be put into the queue. 2 refused: they are final: their status is success. 1 refused: its status is killed, and runners ignore its message; rerun it instead.",
    );
  });

  it("fails with not found for ids that are not stored, and with an error for an empty or too long list of ids", async () => {
    const app = shop();
    await expect(previewRequeue(app.opened, ["nobody"], {})).rejects.toThrow(NotFoundError);
    await expect(requeue(app.opened, ["nobody", "nobody else"], {})).rejects.toThrow(NotFoundError);
    await expect(requeue(app.opened, ["late"], { forse: ["1"] })).rejects.toThrow(InvalidInputError);
    expect(readRequeueList({ inv_ids: ["a,b", "c"], force: ["1"] })).toEqual({
      ids: ["a", "b", "c"],
      rest: { force: ["1"] },
    });
    expect(() => readRequeueList({})).toThrow(InvalidInputError);
    expect(() => readRequeueList({ inv_ids: Array.from({ length: 1_001 }, (_, i) => `${i}`) })).toThrow("at most 1000");
  });

  it("is refused entirely by a read-only monitor and for a layout that must not be written", async () => {
    const readOnly = memoryApp({ now: NOW, readOnly: true }).invocation("early");
    expect((await previewRequeue(readOnly.opened, ["early"], {})).refused).toContain("read-only");
    expect((await refused(requeue(readOnly.opened, ["early"], {}))).status).toBe(403);
    const newer = memoryApp({ now: NOW, capabilities: { writes_refused: "the queue has columns" } }).invocation(
      "early",
    );
    expect((await previewRequeue(newer.opened, ["early"], {})).refused).toContain("the queue has columns");
  });

  it("has notes that only a message is added, and that no runner is active to take it", async () => {
    const app = memoryApp({ now: NOW }).invocation("early");
    const { notes, runners_alive } = await previewRequeue(app.opened, ["early"], {});
    expect(runners_alive.count).toBe(0);
    expect(notes).toEqual([
      "The message goes to the end of the queue. Status, history and arguments do not change.",
      "No runner is active: it waits in the queue.",
    ]);
  });
});

describe("requeue with a queue that can only be counted", () => {
  const counted = () => {
    const app = memoryApp({ now: NOW, capabilities: { queue_peek: false } }).invocation("early");
    /** As a server with such a queue answers while it cannot rule out that the message is there. */
    const unsure = (actions: Actions): Actions =>
      portWith(actions, {
        async requeue(ids, request) {
          const [messages, runners] = app.rows((rows) => [rows.messages.length, rows.heartbeats.length]);
          if (request.force || messages + runners === 0) return actions.requeue(ids, request);
          const refusal = { kind: "unlisted", messages, runners } as const;
          return ids.map((invocation_id) => ({ invocation_id, refusal, route: null }));
        },
      });
    const { store } = app;
    Object.assign(app.opened, {
      store: {
        ...storeWith(store, (fn) => store.read((reads) => fn({ ...reads, preview: unsure(reads.preview) }))),
        actions: unsure(store.actions),
      },
    });
    return app;
  };

  it("needs an empty queue and no active runner", async () => {
    const app = counted();
    const preview = await previewRequeue(app.opened, ["early"], {});
    expect([preview.refused, preview.forcible]).toEqual([null, false]);
    expect(preview.notes.join(" ")).toContain("With two messages an invocation may run twice.");
    expect((await requeue(app.opened, ["early"], {})).invocation_ids).toEqual(["early"]);
    expect(await messages(app)).toEqual(["early"]);
  });

  it.each([
    ["a message", (app: MemoryApp) => app.message("another"), "it has 1 message and 0 runners are active"],
    ["a runner", (app: MemoryApp) => app.runner("r1", { last: NOW }), "it has 0 messages and 1 runner is active"],
  ])("is refused with %s unless it is forced", async (_, put, words) => {
    const app = put(counted());
    const before = await messages(app);
    const preview = await previewRequeue(app.opened, ["early"], {});
    expect([preview.refused, preview.forcible]).toEqual([expect.stringContaining(words), true]);
    const error = await refused(requeue(app.opened, ["early"], {}));
    expect([error.message, error.hint]).toEqual([preview.refused, expect.stringContaining("--force")]);
    expect(await messages(app)).toEqual(before);

    const forced = await previewRequeue(app.opened, ["early"], { force: ["1"] });
    expect([forced.refused, forced.force, forced.requeued]).toEqual([null, true, 1]);
    expect((await requeue(app.opened, ["early"], { force: ["1"] })).invocation_ids).toEqual(["early"]);
    expect((await messages(app)).sort()).toEqual([...before, "early"].sort());
  });

  it("cannot be forced against a refusal that is not about the queue", async () => {
    const app = counted().invocation("fresh", { history: [[NOW, "registered"]] });
    const { forcible, refused: words } = await previewRequeue(app.opened, ["fresh"], { force: ["1"] });
    expect([forcible, words]).toEqual([false, expect.stringContaining("must be at least 60 s old")]);
  });
});

describe("requeue is offered", () => {
  const lost = async (app: MemoryApp) =>
    (await app.opened.store.read((reads) => findVerdicts(app.opened, reads, null))).find(
      ({ code }) => code === "waiting_in_no_queue",
    );

  it("by the verdict on invocations without a message, for exactly those that it would put back", async () => {
    const app = shop().invocation("retried", {
      history: [
        [at(0), "registered"],
        [at(1), "pending"],
        [at(2), "running"],
        [at(3), "retry"],
      ],
    });
    const verdict = await lost(app);
    const ids = verdict?.evidence.map(({ id }) => id) ?? [];
    expect(ids.toSorted()).toEqual(["early", "late", "rerouted", "retried"]);
    expect(verdict?.detail).toContain("Requeue puts it back");
    const done = await requeue(app.opened, ids, {});
    expect(done.refused).toEqual([]);
    expect(await lost(app)).toBeUndefined();
  });

  it("on the page of an invocation that it would help, and on no other", async () => {
    const app = shop();
    const offered: string[] = [];
    for (const id of ["late", "early", "rerouted", "fresh", "queued", "running"]) {
      const { requeueable, notes } = await invocationDetail(app.opened, id);
      if (requeueable) offered.push(id);
      expect([id, notes.some((note) => note.includes("Requeue puts its message back"))]).toEqual([id, requeueable]);
    }
    expect(offered).toEqual(["late", "early", "rerouted"]);
  });

  it("for a queue that can only be counted, without the claim that the message is gone", async () => {
    const app = memoryApp({ now: NOW, capabilities: { queue_peek: false } }).invocation("early");
    const { requeueable, notes } = await invocationDetail(app.opened, "early");
    expect([requeueable, notes.join(" ")]).toEqual([true, expect.not.stringContaining("queue")]);
  });
});
