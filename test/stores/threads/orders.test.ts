/** A thread that ends: the orders that wait for it fail with a message, and it gets no more. The thread is a stand-in. */
import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { OrderedThread } from "../../../src/stores/threads/orders.ts";

class StandIn extends EventEmitter {
  readonly posted: unknown[] = [];
  postMessage(message: unknown): void {
    this.posted.push(message);
  }
}

function ordered() {
  const worker = new StandIn();
  return { worker, thread: new OrderedThread<{ verb: "read" }>(worker as unknown as Worker) };
}

it("orders that are given at the same time reach a thread in one message, later ones in another", async () => {
  const { worker, thread } = ordered();
  const asked = [1, 2].map(() => thread.ask({ verb: "read" }, 60_000));
  await Promise.resolve();
  asked.push(thread.ask({ verb: "read" }, 60_000));
  await Promise.resolve();
  expect(worker.posted).toEqual([
    [
      { id: 0, verb: "read" },
      { id: 1, verb: "read" },
    ],
    [{ id: 2, verb: "read" }],
  ]);
  // Orders without an answer would fail in another file, when their time is over.
  worker.emit(
    "message",
    [0, 1, 2].map((id) => ({ id, ok: true, value: id })),
  );
  expect(await Promise.all(asked)).toEqual([0, 1, 2]);
});

it("a thread's answers settle the right orders, in any sequence", async () => {
  const { worker, thread } = ordered();
  const asked = [1, 2].map(() => thread.ask({ verb: "read" }, 60_000));
  worker.emit("message", [{ id: 1, ok: true, value: "second" }]);
  const known = { kind: "unreachable", reason: "busy", message: "Loading.", hint: "Wait." };
  worker.emit("message", [{ id: 0, ok: false, known, error: null }]);
  expect(await asked[1]).toBe("second");
  await expect(asked[0]).rejects.toBeInstanceOf(StoreUnreachableError);
  await expect(asked[0]).rejects.toMatchObject({ reason: "busy", message: "Loading.", hint: "Wait." });
  expect(thread.broken).toBe(false);
});

it("between two answers of one message the event loop turns, so that what is made of them does not hold up other requests together", async () => {
  const { worker, thread } = ordered();
  const asked = [1, 2, 3].map(() => thread.ask({ verb: "read" }, 60_000));
  const seen: string[] = [];
  for (const answer of asked) void answer.then((value) => seen.push(`answer ${value}`));
  worker.emit(
    "message",
    [0, 1, 2].map((id) => ({ id, ok: true, value: id })),
  );
  for (let turn = 1; turn <= 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`turn ${turn}`);
  }
  expect(seen).toEqual(["answer 0", "turn 1", "answer 1", "turn 2", "answer 2", "turn 3"]);
});

it("a thread that runs out of memory reports that, and gets no further orders", async () => {
  const { worker, thread } = ordered();
  const asked = thread.ask({ verb: "read" }, 60_000);
  worker.emit("error", Object.assign(new Error("Worker terminated"), { code: "ERR_WORKER_OUT_OF_MEMORY" }));
  await expect(asked).rejects.toMatchObject({
    reason: "failed",
    message: "Reading this needed more memory than the monitor allows.",
  });
  expect(thread.broken).toBe(true);
  const posted = worker.posted.length;
  await expect(thread.ask({ verb: "read" }, 60_000)).rejects.toMatchObject({ reason: "failed" });
  expect(worker.posted).toHaveLength(posted);
});

it("an unexpected error in a thread is passed on unchanged", async () => {
  const { worker, thread } = ordered();
  const asked = thread.ask({ verb: "read" }, 60_000);
  const defect = new TypeError("undefined is not a function");
  worker.emit("error", defect);
  await expect(asked).rejects.toBe(defect);
});
