/** The thread that keeps figures over time: it ends when it is closed, whoever still asks. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RollupThread } from "../../../src/services/rollups/rollup-thread.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";

test("a question that comes after the figures were closed is refused, and starts no thread that would keep the program alive", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = copyFixture("kitchen_sink.db", folder.path);
  const thread = new RollupThread({
    ...{ address: { kind: "sqlite", path, components: new Map() }, app_id: "kitchen_sink", max_commands: null },
    cache_folder: join(folder.path, "cache"),
  });
  const span = { from: 0, to: 60, patience: 0 };
  const asked = thread.reads.arrived(span);
  const after = asked.catch(() => undefined).then(() => thread.reads.arrived(span));
  await Promise.all([thread.close(), expect(after).rejects.toThrow("are closed")]);
  thread.start();
  await expect(thread.reads.arrived(span)).rejects.toThrow("are closed");
});
