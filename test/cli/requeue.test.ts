/** `monitor requeue` on copies of real data. */
import { beforeEach, describe, expect, test } from "vitest";
import { tableName } from "../../src/demo/writer/schema.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { type Contents, changesOf, contentsOf } from "../support/contents.ts";
import { monitor, ownCopy, type Run, type RunOptions, sharedFolder } from "./monitor.ts";
import { HAS_TERMINAL, KEYS, onTerminal } from "./terminal.ts";

const folder = sharedFolder();
const APP = "kitchen_sink";
/** A day after the data ends, so that nothing in it has changed a moment ago. */
const NOW = "2026-11-22T12:00:00";

describe("monitor requeue", () => {
  let path: string;
  let options: string[];
  let before: Contents;
  /** Registered, the newest first; their messages are gone. */
  let ids: string[];
  beforeEach(async () => {
    path = ownCopy("kitchen_sink.db", folder);
    options = ["--db", path, "--app", APP, "--now", NOW];
    const db = openDatabase(path, { mode: "write" });
    db.exec(`DELETE FROM ${tableName(APP, "broker_message_queue")}`);
    const statuses = tableName(APP, "orchestrator_invocations");
    ids = db
      .prepare(`SELECT invocation_id FROM ${statuses} WHERE status = 'registered' ORDER BY status_timestamp DESC`)
      .column() as string[];
    db.close();
    before = contentsOf(path);
    expect(ids).toHaveLength(6);
  });

  async function run(code: number, args: readonly string[], more: RunOptions = {}): Promise<Run> {
    const done = await monitor([...options, "requeue", ...args], more);
    expect({ code: done.code, stderr: done.code === code ? "" : done.stderr }).toEqual({ code, stderr: "" });
    return done;
  }

  const changed = () => changesOf(APP, before, contentsOf(path));

  test("puts back the messages of invocations, named by the beginning of their ids, those that waited longest first", async () => {
    const [newest = "", second = "", ...others] = ids;
    const given = [newest.slice(0, 8), second, newest];
    const preview = JSON.parse((await run(0, [...given, "--dry-run", "--json"])).stdout);
    expect(preview).toMatchObject({ app_id: APP, location: path, requeued: 2, refused: null });
    expect(changed()).toEqual({});
    const outcome = JSON.parse((await run(0, [...given, "--yes", "--json"])).stdout);
    expect(outcome).toMatchObject({ success: true, action: "requeue", invocation_ids: [second, newest], refused: [] });
    expect(changed()).toEqual({ broker_message_queue: 2 });

    const { stdout, stderr } = await run(0, [newest, others[0] ?? "", "--yes"]);
    expect(stdout).toBe(
      `Put the message of ${others[0]} back into the queue. 1 refused: its message is in the queue.\n`,
    );
    expect(stderr).toMatch(/^Messages +1 message$/m);
    expect(stderr).toContain(`  - ${newest}: its message is in the queue.`);
    expect(changed()).toEqual({ broker_message_queue: 3 });
  });

  test("exits with 5 when no message is put back", async () => {
    const [id = ""] = ids;
    await run(0, [id, "--yes", "--quiet"]);
    const { stdout, stderr } = await run(5, [id, "--yes"]);
    expect([stdout, stderr]).toEqual([
      "",
      "No message can be put into the queue: its message is in the queue.\nNothing was changed.\n",
    ]);
    const dry = await run(0, [id, "--dry-run"]);
    expect(dry.stderr).toContain(
      "Would be refused: No message can be put into the queue: its message is in the queue.",
    );
    expect(dry.stdout).toMatch(new RegExp(`^Invocation +${id}$`, "m"));
    expect(dry.stdout).not.toMatch(/its message is in the queue|^Messages/m);
    expect(changed()).toEqual({ broker_message_queue: 1 });
  });

  test("leaves alone an invocation whose status has just changed", async () => {
    const [id = ""] = ids;
    options = [...options.slice(0, -1), "2026-11-21T00:37:30"];
    expect((await run(5, [id, "--yes"])).stderr).toContain("must be at least 60 s old");
    expect(changed()).toEqual({});
  });

  test.each<[number, string[], string]>([
    [3, ["ffffffff-0000"], 'No invocation "ffffffff-0000" in this store.'],
    [3, ["ab"], "its first 4 characters or more"],
    [2, [], "missing required argument"],
  ])("exits with %i for %j", async (code, args, words) => {
    expect((await run(code, [...args, "--yes"])).stderr).toContain(words);
    expect(changed()).toEqual({});
  });

  test("puts back no message when one id is unknown", async () => {
    await run(3, [ids[0] ?? "", "ffffffff-0000", "--yes"]);
    expect(changed()).toEqual({});
  });

  test("needs --yes without a terminal, and is refused in a read-only monitor", async () => {
    const [id = ""] = ids;
    expect((await run(5, [id])).stderr).toContain("there is no terminal to ask for confirmation");
    const readOnly = await run(5, [id, "--yes"], { env: { PYNENC_MONITOR_READ_ONLY: "1" } });
    expect(readOnly.stderr).toContain("This monitor is read-only");
    expect(changed()).toEqual({});
  });

  test.skipIf(!HAS_TERMINAL)("asks for confirmation on a terminal (needs script of util-linux)", async () => {
    const [id = ""] = ids;
    const no = await onTerminal([...options, "requeue", id], KEYS.enter);
    expect(no.shown).toContain("Put 1 message back into the queue of kitchen_sink? [y/N] ");
    expect([no.code, changed()]).toEqual([5, {}]);
    const yes = await onTerminal([...options, "requeue", id], `y${KEYS.enter}`);
    expect([yes.code, changed()]).toEqual([0, { broker_message_queue: 1 }]);
    const wide = yes.shown.split(/\r?\n/).filter((line) => Array.from(line).length > 80);
    // The path of the store is a word of its own and is not broken, and the line of the log is one document.
    expect(wide.filter((line) => !line.includes(path) && !line.includes("{"))).toEqual([]);
  });
});
