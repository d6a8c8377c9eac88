/** Messages that are put back into a file: as pynenc writes them, and only for what waits at the moment of the write. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { RefusedError } from "../../../../src/errors.ts";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import type { Requeue, RequeueRequest } from "../../../../src/stores/ports/actions.ts";
import { openDatabase } from "../../../../src/stores/sqlite/file/driver.ts";
import { copyFixture, temporaryFolder } from "../../../support/fixtures.ts";
import { change, copies, gainedRows, inspect, lostRows, rowSets, withStore } from "../rows.ts";

const copyOf = copies();
const APP = "kitchen_sink";
const P = `${tablePrefix(APP)}__`;
const REQUEST: RequeueRequest = { settled_until: Number.MAX_VALUE, active_since: 0, force: false };

/** A copy whose queue is empty, and an invocation that is registered in it. */
function withLostMessage(): { path: string; id: string } {
  const path = copyOf("kitchen_sink.db");
  change(path, `DELETE FROM ${P}broker_message_queue`);
  const id = inspect(path, (db) =>
    db.prepare(`SELECT invocation_id FROM ${P}orchestrator_invocations WHERE status = 'registered'`).value(),
  ) as string;
  return { path, id };
}

function requeued(path: string, id: string, more: Partial<RequeueRequest> = {}, threads = 0): Promise<Requeue[]> {
  return withStore(path, (store) => store.app(APP).actions.requeue([id], { ...REQUEST, ...more }), {
    threads,
    lockWait: 10,
  });
}

it("a requeue writes the same kind of row as pynenc, and no other", async () => {
  const path = copyOf("kitchen_sink.db");
  const typesOf = (where: string) =>
    inspect(path, (db) =>
      db
        .prepare(
          `SELECT typeof(id), typeof(invocation_id), typeof(created_at) FROM ${P}broker_message_queue WHERE ${where}`,
        )
        .get(),
    );
  const shape = typesOf("1");
  const id = inspect(path, (db) =>
    db.prepare(`SELECT invocation_id FROM ${P}broker_message_queue ORDER BY id LIMIT 1`).value(),
  ) as string;
  change(path, [`DELETE FROM ${P}broker_message_queue WHERE invocation_id = ?`, id]);
  const before = rowSets(path);
  const from = Date.now() / 1000;
  expect(await requeued(path, id)).toEqual([{ invocation_id: id, refusal: null, route: null }]);
  const after = rowSets(path);
  expect(Object.keys(gainedRows(before, after)).sort()).toEqual([`${P}broker_message_queue`, "sqlite_sequence"].sort());
  expect(Object.keys(lostRows(before, after))).toEqual(["sqlite_sequence"]);
  expect(typesOf(`invocation_id = '${id}'`)).toEqual(shape);
  const last = inspect(path, (db) =>
    db
      .prepare(
        `SELECT invocation_id, (created_at - 2440587.5) * 86400 AS at FROM ${P}broker_message_queue ORDER BY created_at DESC LIMIT 1`,
      )
      .get(),
  ) as { invocation_id: string; at: number };
  expect(last.invocation_id).toBe(id);
  expect(last.at).toBeGreaterThan(from - 0.01);
});

it("a requeue adds the message at the given instant", async () => {
  const { path, id } = withLostMessage();
  await requeued(path, id, { at: 2_000_000_000 });
  const queued = await withStore(path, (store) =>
    store.app(APP).read((reads) => reads.broker.peekMessages({ limit: 1, offset: 0 })),
  );
  expect(queued[0]?.queued_at).toBeCloseTo(2_000_000_000, 2);
});

it.each(["rerouted", "retry"])("a requeue puts back the message of an invocation that is %s", async (status) => {
  const { path, id } = withLostMessage();
  change(path, [`UPDATE ${P}orchestrator_invocations SET status = ? WHERE invocation_id = ?`, status, id]);
  expect(await requeued(path, id)).toEqual([{ invocation_id: id, refusal: null, route: null }]);
});

it.each([
  [
    "took it up",
    `UPDATE ${P}orchestrator_invocations SET status = 'pending' WHERE invocation_id = ?`,
    { kind: "not_waiting", status: "pending" },
    0,
  ],
  ["sent its message", `INSERT INTO ${P}broker_message_queue (invocation_id) VALUES (?)`, { kind: "queued" }, 1],
  [
    "removed its definition",
    `DELETE FROM ${P}state_backend_invocations WHERE invocation_id = ?`,
    { kind: "without_records", missing: "definition" },
    0,
  ],
] as const)(
  "a requeue goes by the rows under its lock: another program %s meanwhile",
  async (_, statement, refusal, messages) => {
    const { path, id } = withLostMessage();
    const somebody = openDatabase(path, { mode: "write" });
    try {
      somebody.exec("BEGIN IMMEDIATE");
      let done = false;
      const asked = requeued(path, id, {}, 1).finally(() => {
        done = true;
      });
      await pause(200);
      expect(done).toBe(false);
      somebody.prepare(statement).run(id);
      somebody.exec("COMMIT");
      expect(await asked).toEqual([{ invocation_id: id, refusal, route: null }]);
      expect(somebody.prepare(`SELECT count(*) FROM ${P}broker_message_queue`).value()).toBe(messages);
    } finally {
      somebody.close();
    }
  },
);

it("a requeue finds queue and statuses in separate files", async () => {
  const folder = temporaryFolder();
  try {
    const [path, broker] = ["kitchen_sink.db", "broker.db"].map((name) =>
      copyFixture("kitchen_sink.db", folder.path, name),
    ) as [string, string];
    const both = { components: { broker }, lockWait: 5 };
    const [message] = await withStore(
      path,
      (store) => store.app(APP).read(({ broker: queue }) => queue.peekMessages({ limit: 1, offset: 0 })),
      both,
    );
    const id = message?.invocation_id ?? "";
    const ask = () => withStore(path, (store) => store.app(APP).actions.requeue([id], REQUEST), both);
    // The queue that counts is the one of the broker's file.
    change(path, `DELETE FROM ${P}broker_message_queue`);
    expect(await ask()).toEqual([{ invocation_id: id, refusal: { kind: "queued" }, route: null }]);
    change(broker, `DELETE FROM ${P}broker_message_queue`);
    const before = [path, broker].map(rowSets);
    expect(await ask()).toEqual([{ invocation_id: id, refusal: null, route: null }]);
    const [main, queue] = [path, broker].map(rowSets);
    expect([gainedRows(before[0] ?? {}, main ?? {}), Object.keys(gainedRows(before[1] ?? {}, queue ?? {}))]).toEqual([
      {},
      expect.arrayContaining([`${P}broker_message_queue`]),
    ]);
  } finally {
    folder.remove();
  }
});

it("a requeue is refused when the queue is not in this store", async () => {
  const { path, id } = withLostMessage();
  change(path, `DROP TABLE ${P}broker_message_queue`);
  const before = rowSets(path);
  const error = await requeued(path, id).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RefusedError);
  expect(error).toMatchObject({
    status: 409,
    message: "No message was put into the queue: the broker of this app is not in this store.",
  });
  // Another store keeps the queue: then it is told who waits, and nothing is written.
  expect(await requeued(path, id, { enqueue: false })).toEqual([{ invocation_id: id, refusal: null, route: null }]);
  expect(rowSets(path)).toEqual(before);
});
