/** The thread that keeps the figures of an app while the server runs, on a real file. */
import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { RollupThread } from "../../../src/services/rollups/rollup-thread.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { change, copies } from "./rows.ts";

const APP = "kitchen_sink";
const copyOf = copies();

test("the totals of arrivals continue from one request to the next, because one thread answers all", async () => {
  const path = copyOf("kitchen_sink.db");
  const address = { kind: "sqlite", path, components: new Map() } as const;
  const thread = new RollupThread({ address, app_id: APP, max_commands: null, cache_folder: null });
  const arrived = async () => {
    const { tasks } = await thread.reads.arrived({ from: 0, to: 1, patience: 10_000, whole: true });
    return tasks.flatMap(({ entered }) => Object.values(entered)).reduce((sum, n) => sum + n, 0);
  };
  try {
    expect(await arrived()).toBe(0);
    change(
      path,
      `INSERT INTO ${tablePrefix(APP)}__state_backend_history
       SELECT invocation_id, history_timestamp + 1, history_status, history_json
       FROM ${tablePrefix(APP)}__state_backend_history ORDER BY rowid DESC LIMIT 1`,
    );
    await vi.waitFor(async () => expect(await arrived()).toBe(1), 120_000);
  } finally {
    await thread.close();
  }
});

test("a started thread reads the history and saves it before the first question", async () => {
  const address = { kind: "sqlite", path: copyOf("kitchen_sink.db"), components: new Map() } as const;
  const folder = temporaryFolder();
  const thread = new RollupThread({ address, app_id: APP, max_commands: null, cache_folder: folder.path });
  try {
    thread.start();
    await vi.waitFor(() => expect(readdirSync(folder.path)).toHaveLength(1), 120_000);
  } finally {
    await thread.close();
    folder.remove();
  }
});
