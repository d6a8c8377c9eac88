/** Who makes room for a writer whose log is large: a store that reads again and again, in threads or not. Only the clock is mocked. */
import { expect, it, onTestFinished, vi } from "vitest";
import { connectStore } from "../../../src/stores/connect.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { LARGE_LOG_BYTES } from "../../../src/stores/sqlite/file/log-gate.ts";
import { copies } from "./rows.ts";

const copyOf = copies();

it.each([
  [false, 0],
  [true, 500],
])("a store that follows an app (%s) waits %i ms for a writer that does not write", async (follows, wait) => {
  const path = copyOf("kitchen_sink.db");
  const writer = openDatabase(path, { mode: "write" });
  onTestFinished(() => writer.close());
  writer.pragma("journal_mode = WAL");
  writer.pragma("wal_autocheckpoint = 0");
  writer.exec("CREATE TABLE filler (bytes)");
  writer.prepare("INSERT INTO filler VALUES (zeroblob(?))").run(LARGE_LOG_BYTES);
  const address = { kind: "sqlite", path, components: new Map() } as const;
  const store = await connectStore(address, { threads: 0, follows, lockWait: 0, readOnly: true });
  onTestFinished(() => store.close());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let read = false;
  const reading = store
    .app("kitchen_sink")
    .read((reads) => reads.broker.countMessages())
    .then(() => {
      read = true;
    });
  await vi.advanceTimersByTimeAsync(wait === 0 ? 0 : wait - 10);
  expect(read).toBe(wait === 0);
  await vi.advanceTimersByTimeAsync(10);
  await reading;
});
