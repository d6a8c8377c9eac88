/** Figures over time of a command, which continues from what a server has counted in the same file. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { CacheFile, cacheKey } from "../../../src/services/rollups/cache-file.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import { Keeper } from "../../../src/services/rollups/keeper.ts";
import { rollupsOfCommand } from "../../../src/services/rollups/rollup-source.ts";
import { connectStore, type SqliteAddress, storedState } from "../../../src/stores/connect.ts";
import { presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { countStatements } from "../../support/statements.ts";
import { change, copies, withStore } from "./rows.ts";

const APP = "kitchen_sink";
const NOW = presentOf("kitchen_sink.db");
const HISTORY = `"${tablePrefix(APP)}__state_backend_history"`;
const copyOf = copies();

describe("the figures of a command", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let address: SqliteAddress;

  beforeEach(() => {
    folder = temporaryFolder();
    address = { kind: "sqlite", path: copyOf("kitchen_sink.db"), components: new Map() };
    const { now } = Date;
    // Long after the file was written.
    vi.spyOn(Date, "now").mockImplementation(() => now() + 60_000);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    folder.remove();
  });

  /** A server reads everything and stops. */
  const serve = () =>
    withStore(address.path, async (store) => {
      const app = store.app(APP);
      const follower = new Follower(
        app,
        () => NOW,
        undefined,
        () => storedState(address),
      );
      const keeper = new Keeper(follower, new CacheFile(folder.path, cacheKey(address, APP)));
      while (await keeper.step()) {}
      keeper.save();
    });

  /** Successes and the methods of the history that were called. */
  async function command(cacheFolder: string | null, now = NOW) {
    const store = await connectStore(address, {
      threads: 0,
      readOnly: true,
      maxCommands: null,
      follows: false,
      lockWait: 0,
    });
    const statements = countStatements();
    onTestFinished(() => statements.stop());
    const { reads } = rollupsOfCommand(cacheFolder)(store.app(APP), { address, maxCommands: null, now: () => now });
    const { rows, complete, reach } = await reads.rows({ from: NOW - 7 * 86_400, to: NOW, patience: 60_000 }, "total");
    await store.close();
    const methods = new Set([...statements.taken().keys()].map((name) => name.replace("state_backend.", "")));
    return { success: rows[0]?.entered.success, complete, whole: reach.whole, methods };
  }

  test("are those of the server while nothing has been written since, without reading the history again", async () => {
    await serve();
    const { methods, ...found } = await command(folder.path);
    expect(found).toEqual({ success: (await command(null)).success, complete: true, whole: true });
    expect([...methods].filter((name) => name.startsWith("prints"))).toEqual([]);
    expect(methods).not.toContain("tasksOf");
  });

  test("are compared with what is stored if something was written since, and counted again if that differs", async () => {
    await serve();
    change(address.path, "PRAGMA user_version = 7");
    const { methods, ...same } = await command(folder.path);
    expect(same).toMatchObject({ success: (await command(null)).success, complete: true });
    expect([...methods].some((name) => name.startsWith("prints"))).toBe(true);
    expect(methods).not.toContain("tasksOf");
    change(
      address.path,
      `DELETE FROM ${HISTORY} WHERE rowid = (SELECT max(rowid) - 20 FROM ${HISTORY} WHERE history_status = 'success')`,
    );
    const changed = await command(folder.path);
    expect(changed).toMatchObject({ success: (await command(null)).success, complete: true });
    expect(changed.methods).toContain("tasksOf");
  });

  test("are counted from the history for a present in which the server would have counted by minutes", async () => {
    await serve();
    expect((await command(folder.path, NOW - 3 * 86_400)).methods).toContain("tasksOf");
  });

  test("leave the file of the server as it is, and make none", async () => {
    await command(folder.path);
    expect(readdirSync(folder.path)).toEqual([]);
    await serve();
    const [name = ""] = readdirSync(folder.path);
    const file = join(folder.path, name);
    const before = { bytes: readFileSync(file), written: statSync(file).mtimeMs };
    change(address.path, `DELETE FROM ${HISTORY} WHERE rowid = 50`);
    await command(folder.path);
    expect(readdirSync(folder.path)).toEqual([name]);
    expect({ bytes: readFileSync(file), written: statSync(file).mtimeMs }).toEqual(before);
  });
});
