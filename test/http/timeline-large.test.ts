/** A timeline of more invocations than can be drawn: they are counted by slices, which one can zoom into. */
import { join } from "node:path";
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Timeline } from "../../src/api/timeline.ts";
import { writeBulk } from "../../src/demo/bulk.ts";
import { DemoWriter } from "../../src/demo/writer/writer.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";

const APP = "bulk";
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;
const INVOCATIONS = 6_000;
const PATH = "/invocations/timeline";

let monitor: Monitor;
let rows = 0;
/** Changes by name and status, as a person would count them. */
const byHand: Record<"task" | "runner", Record<string, number>> = { task: {}, runner: {} };
beforeAll(async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "bulk.db");
  const db = openDatabase(path, { mode: "create" });
  writeBulk(new DemoWriter(db, APP), { invocations: INVOCATIONS, now: NOW, seed: 3 });
  rows = db.prepare(`SELECT count(*) FROM ${tablePrefix(APP)}__state_backend_history`).value() as number;
  const history = `${tablePrefix(APP)}__state_backend_history`;
  const definitions = `${tablePrefix(APP)}__state_backend_invocations`;
  for (const [group, sql] of [
    [
      "task",
      `SELECT task_id_key || ' ' || history_status, count(*) FROM ${history} JOIN ${definitions} USING (invocation_id) GROUP BY 1`,
    ],
    [
      "runner",
      `SELECT (history_json ->> 'runner_context_id') || ' ' || history_status, count(*) FROM ${history} GROUP BY 1`,
    ],
  ] as const) {
    byHand[group] = Object.fromEntries(
      db
        .prepare(sql)
        .all()
        .map((row) => Object.values(row)),
    );
  }
  db.close();
  monitor = await monitorAt(path, "in process", { app: APP, now: NOW }, folder.remove);
});
afterAll(() => monitor.close());

const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);

describe("a week of thousands of invocations", () => {
  it("is counted completely by slice, by task and by runner, once the history has been read", async () => {
    for (const group of ["task", "runner"] as const) {
      const read = () => monitor.json<Timeline>(`${PATH}?time_range=1w&group=${group}`);
      await expect.poll(async () => (await read()).density?.counted, { timeout: 60_000 }).toBeNull();
      const { counts, density, event_counts, notes, options, occupancy } = await read();
      expect(rows).toBeGreaterThan(20_000);
      expect(counts.changes).toMatchObject({ total: rows, exact: true });
      expect([options.group, counts.invocations.total]).toEqual([group, null]);
      expect(occupancy?.totals).toContainEqual(expect.toSatisfy((total: number | null) => (total ?? 0) > 0));
      expect(sum(density?.totals ?? [])).toBe(rows);
      density?.totals.forEach((total, slice) => {
        expect(sum(density.rows.map((row) => row.counts[slice] ?? 0))).toBe(total);
      });
      const name = group === "task" ? "task_id_key" : "runner_id";
      const found = new Map<string, number>();
      for (const row of density?.rows ?? []) {
        const key = `${row[name]} ${row.status}`;
        found.set(key, sum(row.counts) + (found.get(key) ?? 0));
      }
      expect(Object.fromEntries(found)).toEqual(byHand[group]);
      expect(notes[0]).toContain("the columns count every one.");
      expect(notes).toContainEqual(expect.stringMatching(/^\d+ events are counted in the top lane\./));
      expect(notes).toContainEqual(expect.stringMatching(/^Not drawn: \d+ trigger runs, /));
      expect(sum(event_counts?.totals ?? [])).toBe(counts.events.total);
      const hiding = await monitor.json<Timeline>(`${PATH}?time_range=1w&group=${group}&show_system=0`);
      expect(hiding.notes.join("\n")).toContain(
        group === "task" ? "count every one except those of pynenc's own tasks." : "pynenc's own tasks are counted too",
      );
    }
  });

  it("is drawn as strips whose slices link to windows that can be drawn", async () => {
    const page = await monitor.text(`${PATH}?time_range=1w`);
    expect(page.length).toBeLessThan(600_000);
    const slices = parse(page).querySelectorAll(".timeline-plot a.slice");
    expect(sum(slices.map((slice) => Number(slice.getAttribute("data-count"))))).toBe(rows);
    const middle = (slices[10]?.getAttribute("href") ?? "").replaceAll("&amp;", "&");
    const zoomed = await monitor.json<Timeline>(middle);
    expect(zoomed.counts.invocations.drawn).toBeGreaterThan(10);
    expect((await monitor.text(middle)).length).toBeLessThan(600_000);
    expect(zoomed.density?.counted ?? null).toBeNull();
    expect(zoomed.counts.changes.drawn + sum(zoomed.density?.totals ?? [])).toBe(zoomed.counts.changes.total);
  });
});
