/** The lines of `monitor top`, made of an app in memory. */
import stringWidth from "fast-string-width";
import { beforeAll, describe, expect, test } from "vitest";
import type { Top } from "../../../src/api/health.ts";
import { createPaint } from "../../../src/cli/print/colour.ts";
import { rowTargets, shared, topFrame } from "../../../src/cli/top/frame.ts";
import { INITIAL, type TopState } from "../../../src/cli/top/state.ts";
import { createLinks } from "../../../src/presentation/links.ts";
import { withSteps } from "../../../src/presentation/verdict-steps.ts";
import { top } from "../../../src/services/health/top.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const PLAIN = createPaint(false);
const STATE: TopState = { ...INITIAL, range: "1h" };
const UNCUT = { columns: null, rows: null };

/** As many tasks, failures and runners as asked for. */
function shop(tasks: number, runners: number): MemoryApp {
  const app = memoryApp();
  for (let n = 0; n < tasks; n++) {
    app.invocation(`i${n}`, {
      task: `shop.task_${n}`,
      history: [
        [at(0), "registered"],
        [at(1), "running"],
        [at(3), "failed"],
      ],
    });
  }
  for (let n = 0; n < runners; n++) app.runner(`r${n}`);
  return app;
}

async function of(app: MemoryApp): Promise<Top> {
  return withSteps(createLinks(null), await top(app.opened, {}, { limit: 50 }));
}

describe("the screen of monitor top", () => {
  let full: Top;
  beforeAll(async () => {
    const app = shop(12, 9).invocation("now", { task: "shop.slow", history: [[at(10), "running", "r4"]] });
    full = await of(app.invocation("waits", { task: "shop.slow" }));
  });

  test("shows every section where there is room for all", () => {
    const text = topFrame(full, STATE, UNCUT, PLAIN, null).join("\n");
    expect(text).toMatch(
      /^shop {2}2026-01-05 12:01:00 {2}last 1h\nerror: .*\n(?:.*\n)+0 messages queued {2}9 of 9 runners active {2}failed 12/,
    );
    expect(text).toMatch(/^(error|warning): .*\(since 2026-01-05 12:00:00\)$/m);
    expect(text).toMatch(/^finished +[▁-█]+ 12 /m);
    expect(text.match(/shop\.task_\d+ +1 +1 +100 %/g)).toHaveLength(12);
    expect(text).toMatch(/^ {2}r4 .* shop\.slow for 50 s$/m);
    expect(text.match(/nothing$/gm)).toHaveLength(8);
  });

  test.each([
    [24, 80],
    [30, 100],
    [50, 160],
    [20, 64],
    [20, 60],
    [60, 250],
  ])("fits a terminal of %i rows and %i columns, with the keys in the last row", (rows, columns) => {
    const lines = topFrame(full, STATE, { rows, columns }, PLAIN, "The store is locked.");
    expect(lines).toHaveLength(rows);
    expect(lines.at(-1)).toMatch(/^up\/down select .* q quit$/);
    expect(lines[1]).toBe("The store is locked.");
    const titles = ["TASK", "FAILURES", "RUNNER"].filter((title) =>
      lines.some((line) => line.startsWith(`  ${title}`)),
    );
    expect(titles.slice(0, rows < 24 ? 1 : 3)).toEqual(["TASK", "FAILURES", "RUNNER"].slice(0, rows < 24 ? 1 : 3));
    // Those of verdicts, tables and charts; the line of keys may be cut by the terminal.
    expect(lines.slice(0, -1).filter((line) => stringWidth(line) > columns)).toEqual([]);
  });

  test("has what looks wrong right below its title, however few rows there are", () => {
    const lines = topFrame(full, STATE, { rows: 5, columns: 60 }, PLAIN, null);
    expect(lines).toHaveLength(5);
    expect(lines.slice(1, 4).map((line) => line.split(":")[0])).toEqual(["error", "warning", "warning"]);
  });

  test("shows how many rows are left out, and keeps the selected row in sight", () => {
    const size = { rows: 24, columns: 80 };
    const [first = "", ...others] = [...rowTargets(full, STATE).keys()];
    const marked = (selected: string) =>
      topFrame(full, { ...STATE, selected }, size, PLAIN, null).filter((line) => line.startsWith("> "));
    expect(topFrame(full, STATE, size, PLAIN, null).join("\n")).toMatch(/^ {2}TASK .* \+\d+$/m);
    for (const key of [first, ...others]) expect([key, marked(key).length]).toEqual([key, 1]);
    expect(others.length).toBe(12 + 12 + 9 - 1 + 1);
  });

  test("keeps the rows that contain the filter, whatever its case", () => {
    const state = { ...STATE, filter: "TASK_7" };
    expect([...rowTargets(full, state).values()]).toEqual([
      { kind: "task", id: "shop.task_7" },
      { kind: "invocation", id: "i7" },
    ]);
    const text = topFrame(full, state, UNCUT, PLAIN, null).join("\n");
    expect(text).toContain('only "TASK_7"');
    expect(text).toContain("No runner contains the filter.");
  });

  test("makes control characters of stored text visible", async () => {
    const evil = "shop.\u001b[2Jevil\u202e";
    const app = memoryApp({ app_id: evil })
      .runner(evil)
      .invocation("a", { task: evil, history: [[at(1), "\u001b[31mx"]] });
    const lines = topFrame(await of(app), { ...STATE, filter: "\u001b" }, UNCUT, PLAIN, "a\u001b[2J");
    const unfiltered = topFrame(await of(app), STATE, UNCUT, PLAIN, null);
    const text = [...lines, ...unfiltered].join("\n");
    expect(["\u001b", "\u202e"].filter((code) => text.includes(code))).toEqual([]);
    expect(unfiltered.join("\n")).toContain("␛[2Jevil");
  });

  test("says of an empty app that no task was at work, nothing failed and no runner is active", async () => {
    const lines = topFrame(await of(memoryApp()), STATE, UNCUT, PLAIN, null).join("\n");
    expect(lines).toContain("0 messages queued  0 of 0 runners active\n");
    for (const words of ["No task ran.", "Nothing failed.", "No runner is active."]) expect(lines).toContain(words);
  });

  test("says which figures are not known", () => {
    const { recent, overview, verdicts } = full;
    if (recent === null) throw new Error("no figures");
    const text = (changes: Partial<Top>) => topFrame({ ...full, ...changes }, STATE, UNCUT, PLAIN, null).join("\n");
    expect(text({ recent: { ...recent, complete: false, tasks: [], groups: [] } })).toMatch(
      /No task ran so far\.[\s\S]*Nothing failed so far\./,
    );
    expect(text({ recent: null })).toMatch(/Tasks: not known yet\.[\s\S]*Failures: not known yet\./);
    expect(text({ running_left_out: true })).toMatch(/^ {2}r1 .* not known$/m);
    expect(text({ overview: { ...overview, known_runners_capped: true, complete: false } })).toContain(
      "9 of 9+ runners active  at least:  failed 12",
    );
    const muted = verdicts.map((one) => ({ ...one, muted_until: full.as_of }));
    expect(muted.length).toBeGreaterThan(0);
    expect(text({ verdicts: muted, not_looked_at: [] })).toMatch(
      /^Nothing looks wrong apart from \d+ muted verdicts?\.$/m,
    );
    expect(text({ verdicts: muted, not_looked_at: ["schedules: no triggers"] })).toMatch(
      /^Nothing looks wrong in what was checked apart from \d+ muted verdicts?\. Not checked: schedules: no triggers\.$/m,
    );
    expect(text({ verdicts: [], not_looked_at: [] })).toContain("Nothing looks wrong.\n");
  });

  test("is filled by an opened row", () => {
    const opened = { lines: Array.from({ length: 30 }, (_, n) => `line ${n}`), offset: 4 };
    const lines = topFrame(full, { ...STATE, opened }, { rows: 12, columns: 100 }, PLAIN, null);
    expect([lines.length, lines[0], lines[10]]).toEqual([12, "line 4", "line 14"]);
    expect(lines[11]).toContain("5 to 15 of 30");
  });
});

test.each([
  [9, [3, 3, 3], [3, 3, 3]],
  [9, [1, 10, 10], [1, 4, 4]],
  [10, [1, 10, 10], [1, 5, 4]],
  [30, [1, 2, 3], [1, 2, 3]],
  [0, [1, 2, 3], [0, 0, 0]],
])("the screen of monitor top divides %i rows among tables that want %j as %j", (room, wanted, shares) => {
  expect(shared(room, wanted)).toEqual(shares);
});
