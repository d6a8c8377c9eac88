/** Every id as pages and commands print it, pasted into the search, leads to the thing that it stands for. */
import { join } from "node:path";
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FindAnswer } from "../../src/api/find.ts";
import { createDemo } from "../../src/demo/demo.ts";
import { createLinks } from "../../src/presentation/links.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { pagesOf } from "../browser/pages.ts";
import { HAS_TERMINAL, onTerminal } from "../cli/terminal.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";

const NOW = 1_780_000_000;
const links = createLinks(null);

interface Place {
  app: string;
  now: number;
  write(folder: string): string;
}

const PLACES: Record<string, Place> = {
  demo: {
    app: "demo-shop",
    now: NOW,
    write: (folder) => createDemo({ path: join(folder, "demo.db"), now: NOW, seed: 1 }).path,
  },
  "kitchen_sink.db": {
    app: "kitchen_sink",
    now: presentOf("kitchen_sink.db"),
    write: (folder) => copyFixture("kitchen_sink.db", folder),
  },
};

const COMMANDS = [
  ["invocations"],
  ["runners", "--all"],
  ["atomic-service"],
  ["workflows", "--runs"],
  ["events"],
  ["trigger-runs"],
  ["triggers"],
  ["queue"],
];

/** The id itself, or the call whose arguments have it: their digits stand alone where the task is plain. */
function names(found: readonly string[], id: string): boolean {
  return found.some((one) => one === id || one.endsWith(`:${id}`));
}

describe.each(Object.entries(PLACES))("ids printed of %s", (_, { app, now, write }) => {
  const folder = temporaryFolder();
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorAt(write(folder.path), "in process", { app, now });
  });
  afterAll(async () => {
    await monitor.close();
    folder.remove();
  });

  const idsFor = async (q: string) => {
    const { matches } = await monitor.json<FindAnswer>(links.search({ q }));
    return matches.map((one) => one.id);
  };

  it("by pages", async () => {
    const printed = new Map<string, string>();
    for (const { path } of await pagesOf(monitor)) {
      for (const shown of parse(await monitor.text(path)).querySelectorAll(".id bdi")) {
        const text = shown.text.trim();
        const titled = shown.getAttribute("title") ?? shown.parentNode?.getAttribute("title");
        // Runners have their class and host on further lines.
        printed.set(text, titled?.split("\n")[0] ?? text);
      }
    }
    expect([...printed.keys()].filter((text) => text.includes("…")).length).toBeGreaterThan(50);
    const lost: string[] = [];
    let gone = 0;
    for (const [text, id] of printed) {
      if (names(await idsFor(text), id)) continue;
      // What only references are left of is found by nothing.
      if (names(await idsFor(id), id)) lost.push(`${text} for ${id}`);
      else gone++;
    }
    expect(lost).toEqual([]);
    expect(gone).toBeLessThan(printed.size / 5);
  });

  it.skipIf(!HAS_TERMINAL)("by commands on a terminal", async () => {
    const printed = new Set<string>();
    for (const command of COMMANDS) {
      const flags = ["--db", monitor.path, "--app", app, "--now", isoFromEpoch(now)];
      const { code, shown } = await onTerminal([...command, ...flags], "");
      expect([command, code]).toEqual([command, 0]);
      for (const [id] of shown.matchAll(/\b[0-9a-f]{8}(?:…[0-9a-f]{4}|(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g))
        printed.add(id);
    }
    expect(printed.size).toBeGreaterThan(20);
    const lost: string[] = [];
    for (const text of printed) {
      const found = await idsFor(text);
      const [head = "", tail = ""] = text.split("…");
      if (!found.some((id) => id.includes(head) && id.endsWith(tail))) lost.push(text);
    }
    expect(lost).toEqual([]);
  });
});
