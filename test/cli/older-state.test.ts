/** What version 0.1.0 kept in the user's state folder: test/fixtures/state-0.1.0 was written by it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AuditPage } from "../../src/api/audit.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

test("the record of actions and the mutes of version 0.1.0 are read", async () => {
  const path = ownCopy("kitchen_sink.db", folder);
  const stateDir = join(dirname(path), "state");
  mkdirSync(stateDir);
  const kept = fixturePath("state-0.1.0");
  // Kept for one app in one file.
  for (const name of ["audit.jsonl", "mutes.json"]) {
    const text = readFileSync(join(kept, name), "utf8").replaceAll("/srv/shop/a.db", path);
    writeFileSync(join(stateDir, name), text.replaceAll("demo-shop", "kitchen_sink"));
  }
  const place = [
    "--db",
    path,
    "--app",
    "kitchen_sink",
    "--now",
    presentOption("kitchen_sink.db"),
    "--state-dir",
    stateDir,
  ];

  const audit = JSON.parse((await monitor([...place, "audit", "--json"])).stdout) as AuditPage;
  expect(audit.entries.map(({ action, outcome, who }) => [action, outcome, who])).toEqual([
    ["mute", "done", "lena"],
    ["rerun", "done", "lena"],
  ]);
  const { stdout } = await monitor([...place, "mute", "--json"]);
  expect((JSON.parse(stdout) as { mutes: object[] }).mutes).toMatchObject([{ code: "stuck_pending", id: null }]);
});
