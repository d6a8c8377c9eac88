/** The log explorer: references in a log, and what the store has of them. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { exploreLog, parseLogInput } from "../../../src/services/logs/log-explorer.ts";
import { named } from "../../support/logs.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("short ids in log lines", () => {
  const RUN = "aaaaaaaa-0000-4000-8000-000000000001";
  const line = (text: string) => `2026-01-05 12:00:00+00:00 INFO pynenc.shop ${text}`;

  it("are runners first, then an invocation that the log names in full, else unknown", async () => {
    const text = line(`worker:aaaaaaaa invocation:${RUN}`);
    const app = () => memoryApp().invocation(RUN);
    expect(await named(app().opened, text)).toEqual([
      ["aaaaaaaa", `invocation ${RUN} known`],
      [RUN, `invocation ${RUN} known`],
    ]);
    const runner = "aaaaaaaa-ffff-4000-8000-000000000000";
    expect((await named(app().runner(runner).opened, text))[0]).toEqual(["aaaaaaaa", `runner ${runner} known`]);
    expect(await named(app().opened, line("worker:aaaaaaaa x"))).toEqual([["aaaaaaaa", "runner aaaaaaaa unknown"]]);
    // Two invocations begin like this: nobody knows which.
    const two = line(`worker:aaaaaaaa invocation:${RUN} invocation:${RUN.slice(0, -1)}2`);
    expect((await named(app().opened, two))[0]).toEqual(["aaaaaaaa", "runner aaaaaaaa unknown"]);
  });

  it("in the bracket are always runners", async () => {
    const { entries } = await exploreLog(
      memoryApp().invocation(RUN).opened,
      parseLogInput({ log: [line(`[TR(aaaaaaaa)] invocation:${RUN}`)] }),
    );
    expect(entries[0]?.context?.runners).toEqual([{ cls: "TR", id: "aaaaaaaa", partial: true }]);
    expect(entries[0]?.references[0]).toMatchObject({ kind: "runner", id: "aaaaaaaa", state: "unknown" });
  });
});

describe("a bare id in a log line", () => {
  const ID = "bbbbbbbb-0000-4000-8000-000000000001";
  const log = `2026-01-05 12:00:00+00:00 INFO pynenc.shop see ${ID} again`;

  it.each<[string, MemoryApp]>([
    ["invocation", memoryApp().invocation(ID)],
    ["invocation", memoryApp().invocation(ID, { status: null })],
    ["event", memoryApp().event(ID)],
    ["runner", memoryApp().runner(ID)],
    ["runner", memoryApp().heartbeat(ID)],
    ["atomic_service_run", memoryApp().execution(ID)],
    ["invocation", memoryApp().invocation(ID).event(ID)],
  ])("is the %s that the store has", async (kind, app) => {
    expect(await named(app.opened, log)).toEqual([[ID, `${kind} ${ID} known`]]);
    const { entries, references } = await exploreLog(app.opened, parseLogInput({ log: [log], reference: [ID] }));
    expect(entries).toHaveLength(1);
    expect(references).toMatchObject([{ kind, count: 1, unknown: 0 }]);
  });

  it("is no reference if the store does not have it, unless another line gives its kind", async () => {
    expect(await named(memoryApp().opened, log)).toEqual([]);
    expect(await named(memoryApp().opened, `${log}\n${log} event:${ID}`)).toEqual([[ID, `event ${ID} unknown`]]);
    const app = memoryApp().invocation("other", { history: [[at(0), "registered"]] });
    expect((await exploreLog(app.opened, parseLogInput({ log: [log] }))).references).toEqual([]);
  });
});

it("references are counted by kind, those that most lines name first", async () => {
  const ids = ["a", "b", "c"].map((first) => `${first.repeat(8)}-0000-4000-8000-000000000001`);
  const log = [0, 0, 1, 1, 1, 2].map(
    (n) => `2026-01-05 12:00:00+00:00 INFO pynenc.shop event:${ids[n]} event:${ids[n]}`,
  );
  const app = memoryApp().event(ids[1] ?? "");
  const { references } = await exploreLog(app.opened, parseLogInput({ log: [log.join("\n")] }));
  expect(references).toMatchObject([{ kind: "event", count: 3, unknown: 2 }]);
  expect(references[0]?.references.map(({ id, entries }) => [id, entries])).toEqual([
    [ids[1], 3],
    [ids[0], 2],
    [ids[2], 1],
  ]);
});

describe("the log in a form", () => {
  const logOf = (raw: Record<string, string[]>) => parseLogInput(raw).log;

  it("is the file, else the pasted text, else empty; a blank file does not count", () => {
    expect(logOf({ file: ["chosen"], log: ["pasted"] })).toBe("chosen");
    expect(logOf({ file: [" \n"], log: ["\n", "pasted"] })).toBe("pasted");
    expect(logOf({ file: [" "], log: ["\t\n"] })).toBe("");
    expect(logOf({})).toBe("");
  });

  it("keeps its leading blanks, and only pasted text has its line ends normalised", () => {
    expect(logOf({ log: ["  a\r\n  b\r\n"] })).toBe("  a\n  b\n");
    expect(logOf({ file: ["  a\r\nb"] })).toBe("  a\r\nb");
  });
});

const second = (n: number) => new Date(at(n) * 1000).toISOString().slice(0, 19);
const logged = (n: number, message: string, { zone = "+00:00", logger = "pynenc.shop", level = "INFO" } = {}) =>
  `${second(n).replace("T", " ")}${zone} ${level} ${logger} ${message}`;
const explored = (app: MemoryApp, lines: readonly string[], raw: Record<string, string[]> = {}) =>
  exploreLog(app.opened, parseLogInput({ log: [lines.join("\n")], ...raw }));

describe("the summary of a log", () => {
  it("has its size, levels and lines of other programs, whatever the filter", async () => {
    const lines = [
      logged(0, "one", { level: "ERROR" }),
      logged(1, "two"),
      logged(2, "three"),
      "nobody's line",
      logged(9, "four", { level: "DEBUG" }),
    ];
    const all = await explored(memoryApp(), lines);
    expect(all.totals).toEqual({
      characters: lines.join("\n").length,
      entries: all.page.total,
      levels: { debug: 1, info: 2, error: 1 },
      others: 0,
    });
    expect(Object.keys(all.totals.levels)).toEqual(["debug", "info", "error"]);
    expect(all.period).toEqual({ start: isoFromEpoch(at(0)), end: isoFromEpoch(at(9)) });
    const errors = await explored(memoryApp(), lines, { level: ["error"] });
    expect([errors.totals, errors.period, errors.page.total]).toEqual([all.totals, all.period, 1]);
  });

  it("has no period if no line has a time", async () => {
    const { period, timeline, totals, page } = await explored(memoryApp(), ["hello"]);
    expect([period, timeline, totals.others, page.total]).toEqual([null, null, 1, 1]);
    const nothing = await explored(memoryApp(), []);
    expect([nothing.period, nothing.entries, nothing.totals.entries]).toEqual([null, [], 0]);
  });

  it("shows 20,000 characters of an entry, and counts the others", async () => {
    const shown = async (length: number) => {
      const { entries } = await explored(memoryApp(), [logged(0, "").padEnd(length, "x")]);
      return [entries[0]?.text.length, entries[0]?.characters_left_out];
    };
    expect(await shown(20_000)).toEqual([20_000, 0]);
    expect(await shown(20_003)).toEqual([20_000, 3]);
  });

  it("has pages of the entries that match the filter", async () => {
    const lines = Array.from({ length: 5 }, (_, n) => logged(n, `line ${n}`));
    const page = async (number: number) => {
      const { entries, page: place } = await explored(memoryApp(), lines, { limit: ["2"], page: [`${number}`] });
      return [entries.map((entry) => entry.text.at(-1)), place.first_row, place.last_row, place.has_next, place.total];
    };
    expect(await page(1)).toEqual([["0", "1"], 1, 2, true, 5]);
    expect(await page(2)).toEqual([["2", "3"], 3, 4, true, 5]);
    expect(await page(3)).toEqual([["4"], 5, 5, false, 5]);
  });

  it("lists the fifty most frequent references of a kind, and counts all", async () => {
    const lines = Array.from({ length: 60 }, (_, n) =>
      logged(n, `event:bbbbbbbb-0000-4000-8000-${String(n).padStart(12, "0")}`),
    );
    const { references } = await explored(memoryApp(), lines);
    expect(
      references.map(({ kind, count, unknown, references: shown }) => [kind, count, unknown, shown.length]),
    ).toEqual([["event", 60, 60, 50]]);
  });
});

describe("notes on a log", () => {
  const notes = async (lines: readonly string[]) => (await explored(memoryApp(), lines)).notes;

  it("count times without a zone, in the singular or plural", async () => {
    expect(await notes([logged(0, "x")])).toEqual([]);
    expect(await notes([logged(0, "x", { zone: "" })])).toEqual([expect.stringMatching(/^1 time without .* is read/)]);
    const two = [logged(0, "x", { zone: "" }), logged(1, "x", { zone: "" })];
    expect(await notes(two)).toEqual([expect.stringMatching(/^2 times without .* are read/)]);
  });

  it("name at most five loggers of other apps, each with its number of entries", async () => {
    const lines = ["pynenc.shop", "pynenc.shop.tasks", "root", "pynenc", "pynenc.shops", "pynenc.bank", "pynenc.bank"];
    expect(await notes(lines.map((logger, n) => logged(n, "x", { logger })))).toEqual([
      expect.stringMatching(/^1 entry of the logger pynenc\.shops .* in shop\.$/),
      expect.stringMatching(/^2 entries of the logger pynenc\.bank .* in shop\.$/),
    ]);
    const many = Array.from({ length: 6 }, (_, n) => logged(n, "x", { logger: `pynenc.other${n}` }));
    expect((await notes(many)).map((note) => /pynenc\.other\d/.exec(note)?.[0])).toEqual(
      [0, 1, 2, 3, 4].map((n) => `pynenc.other${n}`),
    );
  });

  it("say if an entry names more ids than are looked up", async () => {
    const long = logged(0, Array.from({ length: 2_001 }, (_, n) => `call:shop.pay:c${n}`).join(" "));
    expect(await notes([long])).toEqual([expect.stringMatching(/^1 entry .* more ids than are looked up/)]);
  });
});

describe("the timeline of a log", () => {
  const ID = "bbbbbbbb-0000-4000-8000-000000000001";
  const busy = (changes: number) => {
    const app = memoryApp({ now: at(100) })
      .invocation(ID)
      .invocation("unnamed");
    return app.change((rows) => {
      const [entry] = rows.history;
      while (entry !== undefined && rows.history.length < changes)
        rows.history.push({
          ...entry,
          invocation_id: "unnamed",
          status: "running",
          written_at: entry.written_at + rows.history.length / 1e4,
        });
    });
  };
  const drawn = async (app: MemoryApp, lines: readonly string[]) => {
    const { timeline } = await explored(app, lines);
    return timeline === null
      ? null
      : [timeline.scope, timeline.left_out, timeline.timeline.invocations.map((one) => one.invocation_id).sort()];
  };

  it("shows everything in the window up to 2,000 changes, and above that only what the lines name", async () => {
    const lines = [logged(0, `invocation:${ID}`), logged(1, "x")];
    expect(await drawn(busy(2), lines)).toEqual(["all", 0, [ID, "unnamed"]]);
    expect((await drawn(busy(2_000), lines))?.slice(0, 2)).toEqual(["all", 0]);
    expect(await drawn(busy(2_001), lines)).toEqual(["named", 0, [ID]]);
    expect(await drawn(busy(2_001), [logged(0, "nothing is named")])).toBeNull();
  });

  it("shows at most 300 named invocations, and counts the others", async () => {
    const app = busy(2_001);
    const ids = Array.from({ length: 303 }, (_, n) => `cccccccc-0000-4000-8000-${String(n).padStart(12, "0")}`);
    for (const id of ids) app.invocation(id);
    const found = await drawn(
      app,
      ids.map((id) => logged(0, `invocation:${id}`)),
    );
    expect(found?.slice(0, 2)).toEqual(["named", 3]);
    expect(found?.[2]).toEqual(ids.slice(0, 300));
  });

  it("links to the timeline page with the same window", async () => {
    const { timeline } = await explored(memoryApp({ now: at(100) }).invocation(ID), [logged(0, "x"), logged(10, "y")]);
    expect(timeline?.window).toEqual({
      start_date: isoFromEpoch(at(-1)).slice(0, 26),
      end_date: isoFromEpoch(at(11)).slice(0, 26),
    });
  });
});
