/** Queues of pynenc 0.4 on the terminal, and actions on a copy of the real store: which rows come and go. */
import { expect, test, vi } from "vitest";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { changesOf, contentsOf } from "../support/contents.ts";
import { redisFixtures } from "../support/redis-fixtures.ts";
import { queueNamesOf } from "../support/redis-queue-names.ts";
import { describeWithRedis } from "../support/redis-server.ts";
import { monitor, ownCopy, type Run, sharedFolder } from "./monitor.ts";

const APP = "queue-shop";
const P = `${tablePrefix(APP)}__`;
const NOW = ["--now", "2026-11-22T01:08:54.708Z"];
const folder = sharedFolder();

async function run(path: string, code: number, ...args: string[]): Promise<Run> {
  const done = await monitor(["--db", path, ...NOW, ...args]);
  expect({ code: done.code, stderr: done.code === code ? "" : done.stderr }).toEqual({ code, stderr: "" });
  return done;
}

function rows(path: string, sql: string): Record<string, unknown>[] {
  const db = openDatabase(path, { mode: "read" });
  try {
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

test("find, show and why accept the name of a queue, and why names its verdict", async () => {
  const path = ownCopy("queues_040.db", folder);
  expect((await run(path, 0, "find", "archive")).stdout).toMatch(/Show it +monitor queue --queue archive/);
  const why = JSON.parse((await run(path, 0, "why", "archive", "--json")).stdout);
  expect(why.subject).toMatchObject({ kind: "queue", id: "archive", path: "/broker/queue?queue=archive" });
  const shown = JSON.parse((await run(path, 0, "show", "archive", "--json")).stdout);
  expect(shown).toMatchObject({ kind: "queue", id: "archive", detail: { queue: "archive" } });
  expect(shown.verdicts.map((one: { code: string }) => one.code)).toContain(why.verdict.code);
  const { stdout } = await run(path, 0, "show", "archive");
  expect(stdout).toContain(why.verdict.sentence);
  expect(stdout).toContain("no consumer");
});

test("monitor queue --queue shows that queue, and its messages in the order in which they are taken", async () => {
  const path = ownCopy("queues_040.db", folder);
  const { stdout } = await run(path, 0, "queue", "--queue", "archive");
  const lines = stdout.split("\n").map((line) => line.trim().split(/\s{2,}/));
  expect(lines.slice(0, 2).map((cells) => [cells[0], cells[2], cells[4], cells[1]])).toEqual([
    ["QUEUE", "WAITING", "ACTIVE CONSUMERS", "STATE"],
    ["archive", "4", "0", "no consumer"],
  ]);
  expect(lines.slice(4, 9).map((cells) => [cells[0], cells[1], cells[2], cells[5]])).toEqual([
    ["archive", "1", "0", "success left over"],
    ["archive", "2", "0", "registered"],
    ["archive", "3", "0", "registered"],
    ["archive", "4", "0", "registered"],
    ["archive", "5", "-0.5", "registered"],
  ]);
  expect((await run(path, 0, "status")).stdout).toMatch(
    /^Queues +29 messages \(default 5, mail 10, reports 7, archive 5, adhoc 2\); 28 of them waiting, the oldest for 3 s$/m,
  );
  expect((await run(path, 0, "runners")).stdout).toContain("default, mail");
});

test("a rerun goes to the named queue, or else to the queue and priority of waiting messages of the task", async () => {
  const path = ownCopy("queues_040.db", folder);
  const idOf = (task: string) =>
    String(
      rows(
        path,
        `SELECT invocation_id AS id FROM ${P}orchestrator_invocations WHERE task_id_key = '${task}' AND status = 'success'`,
      )[0]?.id,
    );
  const before = contentsOf(path);
  const note = idOf("shop_tasks.send_note");
  const urgent = idOf("shop_tasks.urgent_mail");
  const dry = await run(path, 0, "rerun", note, "--dry-run");
  expect(dry.stdout).toMatch(/^Queue +mail \(as its waiting messages\)$/m);
  expect(dry.stdout).toMatch(/^Priority +5 \(as its waiting messages\)$/m);
  expect(changesOf(APP, before, contentsOf(path))).toEqual({});
  await run(path, 0, "rerun", note, "--yes", "--force");
  await run(path, 0, "rerun", urgent, "--yes", "--force");
  await run(path, 0, "rerun", note, "--yes", "--force", "--queue", "rush", "--priority", "-7.5");
  const added = rows(
    path,
    `SELECT queue_name, priority, typeof(priority) AS type, created_at > 2461000 AS dated
     FROM ${P}broker_message_queue ORDER BY id DESC LIMIT 3`,
  );
  expect(added).toEqual([
    { queue_name: "rush", priority: -7.5, type: "real", dated: 1 },
    { queue_name: "mail", priority: 90, type: "real", dated: 1 },
    { queue_name: "mail", priority: 5, type: "real", dated: 1 },
  ]);
  const refused = await monitor(["--db", path, "rerun", note, "--yes", "--queue", "a b", "--priority", "101"]);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain('--queue: "a b" is not accepted');
  expect(refused.stderr).toContain('--priority: "101" is not accepted');
});

test("a purge can empty one queue, and a requeue puts its messages into the named queue", async () => {
  const path = ownCopy("queues_040.db", folder);
  const before = contentsOf(path);
  const dry = await run(path, 0, "purge", "broker", "--queue", "archive", "--dry-run");
  expect(dry.stdout).toContain("4 invocations stay as they are, waiting for a runner");
  const { stdout } = await run(path, 0, "purge", "broker", "--queue", "archive", "--yes", "--json");
  const words = "5 messages deleted. Invocations that waited for them wait until they are requeued.";
  const message = expect.stringContaining(words);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, queue: "archive", deleted: 5, message });
  expect(changesOf(APP, before, contentsOf(path))).toEqual({ broker_message_queue: -5 });
  const [lost] = rows(
    path,
    `SELECT invocation_id AS id FROM ${P}orchestrator_invocations WHERE status = 'registered'
     AND invocation_id NOT IN (SELECT invocation_id FROM ${P}broker_message_queue)`,
  );
  // A minute later, so that nothing has changed a moment ago.
  const later = ["--db", path, "--now", "2026-11-22T01:12:00Z"];
  const requeued = await monitor([...later, "requeue", String(lost?.id), "--queue", "mail", "--yes", "--json"]);
  expect([requeued.code, JSON.parse(requeued.stdout)]).toEqual([
    0,
    expect.objectContaining({ routes: [expect.objectContaining({ queue_name: "mail", messages: 1 })] }),
  ]);
  expect(changesOf(APP, before, contentsOf(path))).toEqual({ broker_message_queue: -4 });
  const old = await monitor([
    "--db",
    ownCopy("kitchen_sink.db", folder),
    "--app",
    "kitchen_sink",
    "purge",
    "broker",
    "--queue",
    "mail",
    "--yes",
  ]);
  expect([old.code, old.stdout]).toEqual([2, ""]);
  expect(old.stderr).toContain("the queue of this store has no name");
});

describeWithRedis("the same store as keys of a Redis server", () => {
  const load = redisFixtures(queueNamesOf(4));

  test("has the same queues, and commands mark them as provisional", async () => {
    const { endpoint, close } = await load("queues_040.db");
    const here = ["--url", endpoint.url, "--app", APP, ...NOW];
    // On a busy machine a command may end before all keys were looked through, and says so.
    const whole = (command: string) =>
      vi.waitFor(
        async () => {
          const done = await monitor([...here, command]);
          expect(done.stdout + done.stderr).not.toContain("still being scanned");
          return done;
        },
        { timeout: 120_000 },
      );
    const [list, state, doctor] = [await whole("queue"), await whole("status"), await whole("doctor")];
    expect(list.stdout).toMatch(/^mail +active +10 /m);
    expect(state.stdout).toMatch(/^Layout +pynenc 0.4 or newer \(provisional\)$/m);
    expect(state.stdout).toContain("29 messages (default 5, mail 10, reports 7, archive 5, adhoc 2)");
    for (const { stdout, stderr } of [list, state, doctor]) expect(stdout + stderr).toContain("Provisional: ");
    await close();
  });
});
