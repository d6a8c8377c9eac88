/** What version 0.1.0 kept in the user's folders. It wrote test/fixtures/state-0.1.0, about a copy of kitchen_sink.db in /srv/shop/a.db. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AuditPage } from "../../src/api/audit.ts";
import { CacheFile, cacheKey } from "../../src/services/rollups/cache-file.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitor, ownCopy, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const path = ownCopy("kitchen_sink.db", folder);
const stateDir = join(dirname(path), "state");
const place = ["--db", path, "--app", "kitchen_sink", "--now", "2026-11-21T06:00:00Z", "--state-dir", stateDir];
const kept = (name: string) => join(fixturePath("state-0.1.0"), name);

// Records and mutes are about one app in one file.
mkdirSync(stateDir);
for (const name of ["audit.jsonl", "audit-refused.jsonl", "mutes.json"])
  writeFileSync(join(stateDir, name), readFileSync(kept(name), "utf8").replaceAll("/srv/shop/a.db", path));

test("the record of actions of version 0.1.0 is read, with what pages did and what was refused", async () => {
  const { entries } = JSON.parse((await monitor([...place, "audit", "--json"])).stdout) as AuditPage;
  expect(entries.map(({ action, outcome, who, via }) => [action, outcome, who, via])).toEqual([
    ["mute", "done", "lena", "cli"],
    ["purge broker", "done", "127.0.0.1", "server"],
    ["rerun", "done", "127.0.0.1", "server"],
    ["auto-purge events", "done", "lena", "cli"],
    ["requeue", "refused", "lena", "cli"],
    ["rerun", "done", "lena", "cli"],
    ["unmute", "done", "lena", "cli"],
    ["mute", "done", "lena", "cli"],
    ["mute", "done", "lena", "cli"],
    ["mute", "done", "lena", "cli"],
  ]);
});

test("mutes of version 0.1.0 apply, those of a kind and those of one thing", async () => {
  const { stdout } = await monitor([...place, "mute", "--json"]);
  expect((JSON.parse(stdout) as { mutes: object[] }).mutes).toMatchObject([
    { code: "paused_on_dead_runner", id: "a6634064-c5b1-4373-b41a-c68d9907ab59" },
    { code: "stuck_pending", id: null },
    { code: "running_on_dead_runner", id: "522be6b4-d86d-4f1f-96ab-cacb539bf9b3" },
  ]);
  const doctor = await monitor([...place, "doctor", "--json"]);
  const { verdicts } = JSON.parse(doctor.stdout) as {
    verdicts: { code: string; count: number; muted_until: string }[];
  };
  expect(verdicts.filter(({ muted_until }) => muted_until !== null)).toMatchObject([
    { code: "paused_on_dead_runner" },
    { code: "stuck_pending" },
  ]);
});

test("figures that version 0.1.0 kept in the cache folder are not taken: the history is read again", async () => {
  const cache = new CacheFile(
    join(folder, "cache", "pynenc-monitor"),
    cacheKey({ kind: "sqlite", path, components: new Map() }, "kitchen_sink"),
  );
  mkdirSync(dirname(cache.path), { recursive: true });
  copyFileSync(kept("figures.bin"), cache.path);
  expect(cache.read(), basename(cache.path)).toBeNull();
  const stats = ["stats", "--since", "2026-11-20", "--until", "2026-11-22", "--json"];
  const env = { XDG_CACHE_HOME: join(folder, "cache") };
  const anew = await monitor([...place, ...stats], { env });
  expect(anew).toEqual(await monitor([...place, ...stats]));
  expect(JSON.parse(anew.stdout)).toMatchObject({ total: { finished: 197, failed: 10, retries: 4 } });
});
