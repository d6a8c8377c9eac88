/** Log lines as every client gets them: read in pieces, filtered, cut, and with what is known about each thing that they name. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogFilter, LogLine } from "../../../src/api/logs.ts";
import { logLine, meetsLogFilter, readLog } from "../../../src/services/logs/log-entries.ts";
import {
  NOTHING_RESOLVED,
  type ResolvedReferences,
  resolveReferences,
} from "../../../src/services/logs/log-references.ts";
import { type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const ID = "aaaaaaaa-0000-4000-8000-000000000001";
const OTHER = "bbbbbbbb-0000-4000-8000-000000000002";
const RUNNER = "cccccccc-0000-4000-8000-000000000003";

const line = (message: string, level = "INFO") => `2026-01-05 12:00:00+00:00 ${level} pynenc.shop ${message}`;
const ALL: LogFilter = { level: null, text: null, reference: null };

async function resolved(app: MemoryApp, log: string): Promise<ResolvedReferences> {
  const { entries } = await readLog(log);
  return app.opened.store.read((reads) => resolveReferences(reads, entries, ["shop.pay"]));
}

/** Texts behind the level that meet a filter. */
async function left(filter: Partial<LogFilter>, lines: readonly string[], app = memoryApp()): Promise<string[]> {
  const log = lines.join("\n");
  const meets = meetsLogFilter({ ...ALL, ...filter }, await resolved(app, log));
  return (await readLog(log)).entries.filter(meets).map((entry) => entry.text.slice(entry.message_start));
}

async function shown(log: string, app = memoryApp(), maxCharacters?: number): Promise<LogLine[]> {
  const [{ entries }, known] = await Promise.all([readLog(log), resolved(app, log)]);
  return entries.map((entry) => logLine(entry, known, maxCharacters));
}

describe("reading a log", () => {
  it("gives the same entries whatever its size, also across the borders of pieces", async () => {
    const lines = Array.from({ length: 1_500 }, (_, n) => line(`number ${n} ${"x".repeat(n % 50)}`));
    const { entries, limited } = await readLog(`${lines.join("\n")}\n`);
    expect(entries.map((entry) => entry.text)).toEqual(lines);
    expect(limited).toBe(false);
  });

  it("gives no entries for an empty log", async () => {
    expect(await readLog("")).toEqual({ entries: [], limited: false });
  });
});

describe("the log filter by level", () => {
  const lines = [line("d", "DEBUG"), line("i"), line("w", "WARNING"), line("e", "ERROR"), line("c", "CRITICAL")];

  it("keeps lines of this level and above", async () => {
    expect(await left({ level: "debug" }, lines)).toEqual(["d", "i", "w", "e", "c"]);
    expect(await left({ level: "warning" }, lines)).toEqual(["w", "e", "c"]);
    expect(await left({ level: "critical" }, lines)).toEqual(["c"]);
  });

  it("removes lines without a level, which stay without the filter", async () => {
    expect(await left({ level: "debug" }, ["of another program", ...lines])).toHaveLength(5);
    expect(await left({}, ["of another program", ...lines])).toHaveLength(6);
  });
});

describe("the log filter by text", () => {
  it("searches in the whole line, ignoring case", async () => {
    const lines = [line("Paid"), line("refused", "ERROR"), line("REPAID")];
    expect(await left({ text: "paid" }, lines)).toEqual(["Paid", "REPAID"]);
    expect(await left({ text: "ErRoR" }, lines)).toEqual(["refused"]);
    expect(await left({ text: "paid", level: "error" }, lines)).toEqual([]);
  });
});

describe("the log filter by reference", () => {
  const lines = [
    line(`invocation:${ID} first`),
    line(`parent-invocation:${OTHER} second`),
    line(`runner:${RUNNER} third`),
    line(`event:${ID} fourth`),
    line("is registered fifth"),
  ];
  const found = async (reference: string, app = memoryApp()) =>
    (await left({ reference }, lines, app)).map((text) => text.split(" ").at(-1));

  it.each([
    [ID, ["first", "fourth"]],
    ["aaaaaaaa", ["first", "fourth"]],
    ["bbbb", ["second"]],
    [`invocation:${ID}`, ["first"]],
    ["invocation:aaaa", ["first"]],
    ["event:aaaa", ["fourth"]],
    // By the role as logs write it, and as it may be typed.
    ["parent-invocation:bbbb", ["second"]],
    ["Parent_Invocation:bbbb", ["second"]],
    ["parent-invocation:aaaa", []],
    ["invocation:bbbb", ["second"]],
    ["runner:cccc", ["third"]],
    ["runner:aaaa", []],
    ["nothing:aaaa", []],
    ["0001", []],
  ])("keeps with %s the lines that name it", async (reference, ends) => {
    expect(await found(reference)).toEqual(ends);
  });

  it("takes an id that contains a colon as a whole, rather than its beginning as a kind", async () => {
    const log = [line("task:shop.pay"), line("condition:event#paid#x:1 last")];
    const [, { references = [] } = {}] = await shown(log.join("\n"));
    expect(references.map((one) => one.kind)).toEqual(["condition"]);
    expect(await left({ reference: references[0]?.id ?? "" }, log)).toHaveLength(1);
  });

  it("finds a runner by the short id in log lines and by the whole id", async () => {
    const app = memoryApp().runner(RUNNER);
    const log = [line(`worker:${RUNNER.slice(0, 8)} short`), line(`runner:${RUNNER} whole`)];
    const ends = async (reference: string) =>
      (await left({ reference }, log, app)).map((text) => text.split(" ").at(-1));
    expect(await ends(RUNNER)).toEqual(["short", "whole"]);
    expect(await ends(RUNNER.slice(0, 8))).toEqual(["short", "whole"]);
    expect(await ends("runner:cccc")).toEqual(["short", "whole"]);
  });
});

describe("a log line", () => {
  it("has its line number in the log and the fields of its head", async () => {
    const [first, second] = await shown(
      `${line("a", "ERROR")}\n  more\n  and more\n2026-01-05 12:00:01 INFO pynenc.shop b\n`,
    );
    expect(first).toMatchObject({
      line: 1,
      lines: 3,
      format: "pynenc",
      timestamp: "2026-01-05T12:00:00.000000+00:00",
      zone_assumed: false,
      level: "error",
      logger: "pynenc.shop",
      context: null,
      marks_cut: false,
      raw: null,
    });
    expect(first?.text.slice(first.message_start)).toBe("a\n  more\n  and more");
    expect(second).toMatchObject({ line: 4, lines: 1, zone_assumed: true });
  });

  it("counts the lines of its entry even without a final line break", async () => {
    expect((await shown(`${line("a")}\n  more`))[0]?.lines).toBe(2);
    expect((await shown(line("a")))[0]?.lines).toBe(1);
  });

  it("has marks for references and statuses, in order", async () => {
    const app = memoryApp().invocation(ID, { task: "shop.pay" });
    const [one] = await shown(line(`invocation:${ID} status:REGISTERED parent-invocation:${OTHER}`), app);
    const { text = "", references = [], statuses = [] } = one ?? {};
    expect(references.map((mark) => [text.slice(mark.start, mark.end), mark.role, mark.state])).toEqual([
      [ID, "invocation", "known"],
      [OTHER, "parent-invocation", "unknown"],
    ]);
    expect(references[0]).toMatchObject({ kind: "invocation", status: "registered", task_id_key: "shop.pay" });
    expect(statuses.map((mark) => [text.slice(mark.start, mark.end), mark.status])).toEqual([
      ["REGISTERED", "registered"],
    ]);
  });

  it("has a UUID without a kind as a reference only if the store knows it", async () => {
    expect((await shown(line(`see ${ID}`)))[0]?.references).toEqual([]);
    expect((await shown(line(`see ${ID}`), memoryApp().event(ID)))[0]?.references).toMatchObject([
      { kind: "event", id: ID, role: "", state: "known" },
    ]);
  });

  it("has references marked as unchecked if they were not looked up", async () => {
    const [entry] = (await readLog(line(`invocation:${ID}`))).entries;
    expect(entry && logLine(entry, NOTHING_RESOLVED).references).toMatchObject([
      { kind: "invocation", id: ID, state: "unchecked", candidates: [], status: null },
    ]);
  });

  it("is cut on request, with the number of missing characters and without marks in the cut part", async () => {
    const log = line(`invocation:${ID} then invocation:${OTHER} end`);
    const place = log.indexOf(OTHER);
    const [whole] = await shown(log);
    expect(whole).toMatchObject({ text: log, characters_left_out: 0 });
    expect(whole?.references).toHaveLength(2);
    const [cut] = await shown(log, memoryApp(), place + OTHER.length - 1);
    expect(cut?.text).toBe(log.slice(0, place + OTHER.length - 1));
    expect([cut?.characters_left_out, cut?.references.map((one) => one.id)]).toEqual([5, [ID]]);
    const [just] = await shown(log, memoryApp(), place + OTHER.length);
    expect(just?.references.map((one) => one.id)).toEqual([ID, OTHER]);
  });

  it("from JSON keeps the raw JSON besides the text in it", async () => {
    const json = JSON.stringify({ severity: "INFO", text: line("hello") });
    const [one] = await shown(`${json}\n`);
    expect(one).toMatchObject({ format: "json", level: "info", text: line("hello"), raw: json });
    expect((await shown(`${json}\n`, memoryApp(), 10))[0]?.raw).toBe(json.slice(0, 10));
  });

  it("has the whole ids of the runners in its bracket, if the store has exactly one match", async () => {
    const log = line(`[PPR(cccccccc).TR(dddddddd)] invocation:${ID}`);
    const [one] = await shown(log, memoryApp().runner(RUNNER));
    expect(one?.context?.runners).toEqual([
      { cls: "PPR", id: RUNNER, partial: false },
      { cls: "TR", id: "dddddddd", partial: true },
    ]);
    const [two] = await shown(
      log,
      memoryApp()
        .runner(RUNNER)
        .runner(`${RUNNER.slice(0, -1)}4`),
    );
    expect(two?.context?.runners[0]).toEqual({ cls: "PPR", id: "cccccccc", partial: true });
  });
});

it("marks do not overlap and stay inside the text, for any line and cut", async () => {
  const word = fc.constantFrom(
    `invocation:${ID}`,
    `event:${OTHER}`,
    ID,
    "status:REGISTERED",
    "task:shop.pay",
    "worker:cccccccc",
    "\n",
    "😀",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), fc.nat({ max: 400 }), async (words, cut) => {
      for (const one of await shown(line(words.join(" ")), memoryApp().event(ID), cut)) {
        const marks = [...one.references, ...one.statuses].sort((a, b) => a.start - b.start);
        const places = marks.flatMap(({ start, end }) => [start, end]);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places.at(-1) ?? 0).toBeLessThanOrEqual(one.text.length);
        expect(one.text.length).toBeLessThanOrEqual(cut);
      }
    }),
    { numRuns: 30 },
  );
});
