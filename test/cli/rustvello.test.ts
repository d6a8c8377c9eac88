/** A store of Rustvello has another layout, and is named as what it is. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { describeWithRedis, startRedis } from "../support/redis-server.ts";
import { monitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

function storeWith(name: string, ...tables: string[]): string {
  const path = join(folder, name);
  const db = openDatabase(path, { mode: "create" });
  for (const table of tables) db.exec(`CREATE TABLE ${table} (invocation_id TEXT PRIMARY KEY)`);
  db.close();
  return path;
}

test.each(["status", "apps"])("monitor %s recognises a store of Rustvello and says so", async (command) => {
  const path = storeWith(`rust-${command}.db`, "status_records", "broker_queue", "invocations");
  const { code, stdout, stderr } = await monitor(["--db", path, command]);
  expect([code, stdout, stderr]).toEqual([4, "", expect.stringContaining("This is a store of Rustvello")]);
});

test("a file with other tables is not taken for a store of Rustvello", async () => {
  const { code, stderr } = await monitor(["--db", storeWith("other.db", "status_records", "orders"), "status"]);
  expect([code, stderr]).toEqual([4, expect.stringContaining("holds no pynenc app")]);
});

describeWithRedis("a Redis server", () => {
  test("with keys of Rustvello and no pynenc app is reported as a store of Rustvello", async () => {
    const server = await startRedis();
    try {
      await server.exchange([["SET", "rustvello:orders:broker:sequence", "7"]]);
      const { code, stdout, stderr } = await monitor(["status", "--url", server.url]);
      expect([code, stdout, stderr]).toEqual([4, "", expect.stringContaining("This is a store of Rustvello")]);
    } finally {
      await server.close();
    }
  });
});
