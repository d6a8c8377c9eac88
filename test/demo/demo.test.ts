import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SECOND_APP_ID } from "../../src/demo/story/story.ts";
import { DemoWriter } from "../../src/demo/writer/writer.ts";
import { RefusedError } from "../../src/errors.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { createDemo } from "../support/demo-file.ts";
import { NOW, rows, temporaryDirectory, wholeApp } from "./support.ts";

function content(path: string): Record<string, unknown> {
  const db = openDatabase(path, { mode: "write" });
  try {
    return wholeApp(new DemoWriter(db, "demo-shop"));
  } finally {
    db.close();
  }
}

test("the demo creates a file with both apps in WAL mode", () => {
  const path = join(temporaryDirectory(), "demo.db");
  createDemo({ path, now: NOW, seed: 1 });
  const db = openDatabase(path, { mode: "write" });
  expect(db.pragma("journal_mode")).toBe("wal");
  for (const appId of ["demo-shop", SECOND_APP_ID]) {
    expect(rows(new DemoWriter(db, appId), "state_backend_app_info")).toMatchObject([{ app_id: appId }]);
  }
  db.close();
});

test("the demo replaces its file in another layout", () => {
  const path = join(temporaryDirectory(), "demo.db");
  createDemo({ path, now: NOW, seed: 1, size: 24, layout: "0.2.3" });
  createDemo({ path, now: NOW, seed: 1, size: 24 });
  const db = openDatabase(path, { mode: "write" });
  const columns = db.prepare(
    `SELECT name FROM pragma_table_info('${new DemoWriter(db, "demo-shop").table("broker_message_queue")}')`,
  );
  expect(columns.column()).toEqual(["id", "invocation_id", "queue_name", "priority", "created_at"]);
  db.close();
});

test("the demo replaces its own file", () => {
  const path = join(temporaryDirectory(), "demo.db");
  createDemo({ path, now: NOW, seed: 1 });
  const first = content(path);
  createDemo({ path, now: NOW, seed: 2 });
  expect(content(path)).not.toEqual(first);
  createDemo({ path, now: NOW, seed: 1 });
  expect(content(path)).toEqual(first);
});

test("the demo uses an empty file", () => {
  const path = join(temporaryDirectory(), "demo.db");
  writeFileSync(path, "");
  createDemo({ path, now: NOW, seed: 1 });
  expect(Object.keys(content(path)).length).toBeGreaterThan(20);
});

test("the demo with a size has that many invocations of the bulk kind", () => {
  const path = join(temporaryDirectory(), "demo.db");
  createDemo({ path, now: NOW, seed: 1, size: 240 });
  expect(content(path).orchestrator_invocations).toHaveLength(240);
});

test("the demo refuses the file of a real app", () => {
  const path = join(temporaryDirectory(), "real.db");
  const original = readFileSync(new URL("../fixtures/kitchen_sink.db", import.meta.url));
  writeFileSync(path, original);
  expect(() => createDemo({ path, now: NOW, seed: 1 })).toThrow(RefusedError);
  expect(readFileSync(path).equals(original)).toBe(true);
});

test("the demo refuses a file that is not a database", () => {
  const path = join(temporaryDirectory(), "notes.txt");
  writeFileSync(path, "my notes ".repeat(1000));
  expect(() => createDemo({ path, now: NOW, seed: 1 })).toThrow(RefusedError);
  expect(readFileSync(path, "utf8")).toBe("my notes ".repeat(1000));
});

test("the demo refuses its own file if another app is in it", () => {
  const path = join(temporaryDirectory(), "shared.db");
  createDemo({ path, now: NOW, seed: 1, size: 24 });
  const db = openDatabase(path, { mode: "write" });
  new DemoWriter(db, "somebody-else");
  db.close();
  expect(() => createDemo({ path, now: NOW, seed: 1 })).toThrow(RefusedError);
});
