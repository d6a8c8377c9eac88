/** Which invocation was registered again as which, according to the record of actions. */
import { appendFileSync } from "node:fs";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { AuditEntry } from "../../src/api/audit.ts";
import { AuditFile } from "../../src/audit/audit-file.ts";
import { RerunsOnRecord } from "../../src/audit/recorded-reruns.ts";
import { temporaryFolder } from "../support/fixtures.ts";

const root = temporaryFolder();
afterAll(() => root.remove());

const HERE = { app_id: "shop", location: "/srv/shop.db" };
let minute = 10;
const entry = (counters: AuditEntry["counters"], more: Partial<AuditEntry> = {}): AuditEntry => ({
  id: String(minute),
  at: `2026-11-28T10:${minute++}:00+00:00`,
  ...HERE,
  action: "rerun",
  via: "cli",
  who: "alice",
  outcome: "done",
  message: "",
  counters,
  ...more,
});

let record: AuditFile;
let reruns: RerunsOnRecord;
let folder = 0;
beforeEach(() => {
  record = new AuditFile(`${root.path}/${folder++}`);
  reruns = new RerunsOnRecord(record);
});

test("a rerun is found from its original and from what it made, newest first", async () => {
  expect(await reruns.of(HERE, "a")).toEqual({ made_by: null, reruns: [] });
  record.append(entry({ invocation_id: "a", new_invocation_id: "b" }));
  record.append(entry({ invocation_id: "a", new_invocation_id: "c" }, { who: "bob" }));
  record.append(entry({ invocation_id: "c", new_invocation_id: "d" }));
  const original = await reruns.of(HERE, "a");
  expect(original.reruns.map(({ new_invocation_id, who }) => [new_invocation_id, who])).toEqual([
    ["c", "bob"],
    ["b", "alice"],
  ]);
  expect(original.made_by).toBeNull();
  expect(await reruns.of(HERE, "c")).toMatchObject({
    made_by: { invocation_id: "a", via: "cli" },
    reruns: [{ new_invocation_id: "d" }],
  });
});

test("reruns of several invocations are paired by their place, as far as the record has both", async () => {
  record.append(entry({ invocation_ids: ["a", "b", "c"], new_invocation_ids: ["x", "y"] }));
  expect((await reruns.of(HERE, "y")).made_by?.invocation_id).toBe("b");
  expect((await reruns.of(HERE, "c")).reruns).toEqual([]);
});

test("reruns in another app or store, other actions and damaged lines link nothing", async () => {
  record.append(entry({ invocation_id: "a", new_invocation_id: "b" }, { app_id: "billing" }));
  record.append(entry({ invocation_id: "a", new_invocation_id: "b" }, { location: "/srv/other.db" }));
  record.append(entry({ invocation_id: "a" }, { action: "requeue" }));
  record.append(entry({ invocation_id: 7, invocation_ids: [1], new_invocation_ids: "b" }));
  appendFileSync(record.path, "no line of a record\n");
  expect(await reruns.of(HERE, "a")).toEqual({ made_by: null, reruns: [] });
});

test("the record is read again only after it has changed", async () => {
  const read = vi.spyOn(record, "entries");
  record.append(entry({ invocation_id: "a", new_invocation_id: "b" }));
  await Promise.all([reruns.of(HERE, "a"), reruns.of(HERE, "b"), reruns.of(HERE, "c")]);
  expect(read).toHaveBeenCalledOnce();
  record.append(entry({ invocation_id: "a", new_invocation_id: "c" }));
  expect((await reruns.of(HERE, "c")).made_by?.invocation_id).toBe("a");
  expect(read).toHaveBeenCalledTimes(2);
});

test("a record that cannot be read links nothing", async () => {
  vi.spyOn(record, "entries").mockRejectedValue(new Error("EACCES"));
  expect(await reruns.of(HERE, "a")).toEqual({ made_by: null, reruns: [] });
});
