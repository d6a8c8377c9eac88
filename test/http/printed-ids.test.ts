/** Every id as pages and commands print it, pasted into the search box or behind `monitor show`, leads to its thing. */
import { join } from "node:path";
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ShownKind } from "../../src/api/show.ts";
import { DETAILS } from "../../src/cli/details/all.ts";
import { Output } from "../../src/cli/print/output.ts";
import { searchedPages } from "../../src/presentation/nav-entries.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import type { OpenedApp } from "../../src/services/app/opened-app.ts";
import { type Findings, find } from "../../src/services/find/find.ts";
import { identifiedObject } from "../../src/services/find/identified-object.ts";
import { monitor as command } from "../cli/monitor.ts";
import { createDemo } from "../support/demo-file.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOn } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";
import { REDIS_PRESENT, REDIS_RDB } from "../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const NOW = 1_780_000_000;

interface Place {
  app: string;
  now: number;
  /** Kinds of things that it has none of. */
  without: readonly ShownKind[];
  /** The path of a file that it is written to; or none, for the data of a Redis server. */
  write?(folder: string): string;
}

const PLACES: Record<string, Place> = {
  demo: {
    app: "demo-shop",
    now: NOW,
    // The calls of the failed return have the same arguments, so what is printed of one fits several.
    without: ["call"],
    write: (folder) => createDemo({ path: join(folder, "demo.db"), now: NOW, seed: 1 }).path,
  },
  "kitchen_sink.db": {
    app: "kitchen_sink",
    now: presentOf("kitchen_sink.db"),
    without: ["valid_condition"],
    write: (folder) => copyFixture("kitchen_sink.db", folder),
  },
  "queues_040.db": {
    app: "queue-shop",
    now: presentOf("queues_040.db"),
    without: ["valid_condition"],
    write: (folder) => copyFixture("queues_040.db", folder),
  },
};

const REDIS_PLACE: Place = {
  app: "kitchen_sink",
  now: REDIS_PRESENT,
  without: ["atomic_service_run", "event", "trigger_run", "valid_condition"],
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

/** Things of each kind that are shown in full. */
const SHOWN_EACH = 8;

/** The id itself, or the call whose arguments have it: their digits stand alone where the task is plain. */
function names(found: readonly string[], id: string): boolean {
  return found.some((one) => one === id || one.endsWith(`:${id}`));
}

/** Ids as a terminal has them: UUIDs and digests, whole or shortened, and names with a place in them. */
const PRINTED =
  /\b(?:[0-9a-f]{8}(?:…[0-9a-f]{4}|(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|[0-9a-f]{64}|(?:valid_condition_)?event#\S+|[A-Z]\w+@[\w.-]+\w)/g;

/** What a command prints, on a terminal of 80 columns or into a file. */
async function printed(width: 80 | null, print: (out: Output) => void): Promise<string> {
  let text = "";
  const stream = { isTTY: width !== null, columns: width, write: (piece: string) => (text += piece) };
  print(new Output(PLAIN, stream as unknown as NodeJS.WriteStream));
  return text;
}

const PLAIN = {
  json: { value: false, origin: "" },
  quiet: { value: true, origin: "" },
  color: { value: "never", origin: "" },
  noPager: { value: true, origin: "" },
} as unknown as ConstructorParameters<typeof Output>[0];

describe.each(Object.entries(PLACES))("every id of %s that is printed", (_, place) => leadToTheirThings(place));
describeWithRedis("every id of kitchen_sink_redis.rdb that is printed", () => leadToTheirThings(REDIS_PLACE));

function leadToTheirThings({ app, now, without, write }: Place): void {
  const folder = temporaryFolder();
  let monitor: Monitor;
  let opened: OpenedApp;
  const answers = new Map<string, Promise<Findings>>();
  /** What the search box and `monitor show` go by, once for each text. */
  const found = (text: string) => {
    const answer = answers.get(text) ?? find(opened, { q: [text] }, searchedPages(true, false));
    answers.set(text, answer);
    return answer;
  };
  const idsFor = async (text: string) => (await found(text)).matches.map((one) => one.id);
  const things = new Map<string, { kind: ShownKind; id: string }>();

  let server: RedisServer | null = null;
  /** The flags that name it to commands. */
  let store: string[];

  beforeAll(async () => {
    if (write === undefined) {
      server = await startRedis({ rdb: REDIS_RDB });
      store = ["--url", server.url];
      monitor = await monitorOn({ url: server.url }, "in process", { app, now });
    } else {
      const path = write(folder.path);
      store = ["--db", path];
      monitor = await monitorAt(path, "in process", { app, now });
    }
    opened = await monitor.workspace.openOnly();
  });
  afterAll(async () => {
    await monitor.close();
    await server?.close();
    folder.remove();
  });

  /** Texts that `monitor show` does not take for the one thing; of those that fit several it lists them. */
  const notShown = async (texts: Iterable<string>) => {
    const lost: string[] = [];
    for (const text of texts) {
      const answer = await found(text);
      const thing = identifiedObject(answer);
      if (thing !== null) things.set(`${thing.kind} ${thing.id}`, thing);
      else if (answer.matches.length < 2) lost.push(text);
    }
    return lost;
  };

  it("by pages leads to its thing", async () => {
    const shown = new Map<string, string>();
    for (const { path, variant = false } of await pagesOf(monitor)) {
      // Its ids are printed as on the page of the same kind that was looked at.
      if (variant) continue;
      for (const element of parse(await monitor.text(path)).querySelectorAll(".id bdi")) {
        const text = element.text.trim();
        const titled = element.getAttribute("title") ?? element.parentNode?.getAttribute("title");
        // Runners have their class and host on further lines.
        shown.set(text, titled?.split("\n")[0] ?? text);
      }
    }
    expect([...shown.keys()].filter((text) => text.includes("…")).length).toBeGreaterThan(25);
    const lost: string[] = [];
    const stored: string[] = [];
    for (const [text, id] of shown) {
      if (names(await idsFor(text), id)) stored.push(text);
      // What only references are left of is found by nothing.
      else if (names(await idsFor(id), id)) lost.push(`${text} for ${id}`);
    }
    expect(lost).toEqual([]);
    expect(stored.length).toBeGreaterThan((shown.size * 4) / 5);
    expect(await notShown(stored)).toEqual([]);
  });

  it("by commands on a terminal leads to its thing", async () => {
    const shown = new Set<string>();
    for (const words of COMMANDS) {
      const flags = [...store, "--app", app, "--now", isoFromEpoch(now), "--color", "never"];
      const { code, stdout, stderr } = await command([...words, ...flags], { columns: 80 });
      expect([words, code]).toEqual([words, 0]);
      for (const [id] of (stdout + stderr).matchAll(PRINTED)) shown.add(id);
    }
    expect(shown.size).toBeGreaterThan(20);
    const lost: string[] = [];
    for (const text of shown) {
      const [head = "", tail = ""] = text.split("…");
      if (!(await idsFor(text)).some((id) => id.includes(head) && id.endsWith(tail))) lost.push(text);
    }
    expect(lost).toEqual([]);
    expect(await notShown(shown)).toEqual([]);
  });

  it("by monitor show leads to its thing, for things of every kind", async () => {
    const ofKind = (wanted: ShownKind) => [...things.values()].filter(({ kind }) => kind === wanted);
    const kinds = [...new Set([...things.values()].map(({ kind }) => kind))];
    // Tasks, queues and workflow types have names, and a workflow run goes by the invocation that defines it.
    const named = ["task", "queue", "workflow_type", "workflow"];
    const expected = ShownKind.options.filter((kind) => ![...named, ...without].includes(kind));
    expect(kinds.filter((kind) => kind !== "queue").sort()).toEqual(expected.sort());
    const shown = new Set<string>();
    for (const { kind, id } of kinds.flatMap((kind) => ofKind(kind).slice(0, SHOWN_EACH))) {
      const { load, print } = DETAILS[kind];
      const detail = await load(opened, id);
      const whole = await printed(null, (out) => print(detail, now, out));
      expect([kind, whole.includes(kind === "call" ? id.slice(-20) : id)]).toEqual([kind, true]);
      const narrow = await printed(80, (out) => print(detail, now, out));
      for (const text of [whole, narrow]) for (const [printedId] of text.matchAll(PRINTED)) shown.add(printedId);
    }
    const lost: string[] = [];
    let gone = 0;
    for (const text of shown) {
      if ((await found(text)).matches.length > 0) continue;
      // References to what is not stored any more.
      if (text.includes("…")) lost.push(text);
      else gone++;
    }
    expect(lost).toEqual([]);
    expect(gone).toBeLessThan(shown.size / 10);
  });
}
