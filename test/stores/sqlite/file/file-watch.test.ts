/** Whether the file that a connection has open is still the one at its path. */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { FileWatch, fileState } from "../../../../src/stores/sqlite/file/file-watch.ts";
import { copies, inspect } from "../rows.ts";

const copyOf = copies();

describe("an open file", () => {
  let path: string;
  let watch: FileWatch;
  /** Neither of them says that something changed. */
  let versions: Record<"data" | "schema", unknown>;

  beforeEach(() => {
    path = copyOf("kitchen_sink.db");
    watch = new FileWatch(path);
    watch.opened(fileState(path));
    versions = { data: 1, schema: inspect(path, (db) => db.pragma("schema_version")) };
  });

  const replaced = () => watch.replaced((of) => versions[of]);

  it("is replaced when another one takes its place, even one with the same content", () => {
    expect(replaced()).toBe(false);
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
    expect(replaced()).toBe(true);
  });

  it("is replaced when it is overwritten by a shorter one", () => {
    expect(replaced()).toBe(false);
    writeFileSync(path, readFileSync(path).subarray(0, -4_096));
    expect(replaced()).toBe(true);
  });
});
