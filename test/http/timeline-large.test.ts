/** A timeline of more than can be drawn: surveyed, told, and resolved by zooming in. */
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
beforeAll(async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "bulk.db");
  const db = openDatabase(path, { mode: "create" });
  writeBulk(new DemoWriter(db, APP), { invocations: INVOCATIONS, now: NOW, seed: 3 });
  rows = db.prepare(`SELECT count(*) FROM ${tablePrefix(APP)}__state_backend_history`).value() as number;
  db.close();
  monitor = await monitorAt(path, "in process", { app: APP, now: NOW }, folder.remove);
});
afterAll(() => monitor.close());

const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);

describe("a week of thousands of invocations", () => {
  it("is counted slice by slice without loss, and says what is estimated", async () => {
    const { counts, density, event_counts, notes, invocations } = await monitor.json<Timeline>(`${PATH}?time_range=1w`);
    expect(rows).toBeGreaterThan(20_000);
    expect(counts.changes).toEqual({ total: rows, drawn: 0, exact: true });
    expect([invocations, counts.invocations.total]).toEqual([[], null]);
    // Known once the whole history has been read.
    await expect
      .poll(async () => (await monitor.json<Timeline>(`${PATH}?time_range=1w`)).occupancy?.totals, { timeout: 20_000 })
      .toContainEqual(expect.toSatisfy((total: number | null) => (total ?? 0) > 0));
    expect(density?.estimated).toBe(true);
    expect(sum(density?.totals ?? [])).toBe(rows);
    density?.totals.forEach((total, slice) => {
      expect(sum(density.rows.map((row) => row.counts[slice] ?? 0))).toBe(total);
    });
    expect(notes[0]).toContain(`This window holds ${rows.toLocaleString("en")} status changes, too many to draw.`);
    expect(notes[0]).toContain("is estimated from");
    expect(notes[1]).toMatch(/^\d+ events are counted in the lane at the top\./);
    expect(notes[2]).toMatch(/^Not drawn either: \d+ trigger runs, /);
    expect(sum(event_counts?.totals ?? [])).toBe(counts.events.total);
  });

  it("is a page of strips whose slices lead to what can be drawn", async () => {
    const page = await monitor.text(`${PATH}?time_range=1w`);
    expect(page.length).toBeLessThan(600_000);
    const slices = parse(page).querySelectorAll(".timeline-plot a.slice");
    expect(sum(slices.map((slice) => Number(slice.getAttribute("data-count"))))).toBe(rows);
    const middle = (slices[10]?.getAttribute("href") ?? "").replaceAll("&amp;", "&");
    const zoomed = await monitor.json<Timeline>(middle);
    expect(zoomed.counts.invocations.drawn).toBeGreaterThan(10);
    expect((await monitor.text(middle)).length).toBeLessThan(600_000);
    expect(zoomed.density?.estimated ?? false).toBe(false);
    expect(zoomed.counts.changes.drawn + sum(zoomed.density?.totals ?? [])).toBe(zoomed.counts.changes.total);
  });

  it("is restricted to some invocations without a survey, and says when there may be more", async () => {
    const failed = await monitor.json<Timeline>(`${PATH}?time_range=1w&status=failed&limit=5000`);
    expect(failed.invocations.length).toBeGreaterThan(10);
    expect(failed.invocations.every((one) => one.entries.at(-1)?.status === "failed")).toBe(true);
    const few = await monitor.json<Timeline>(`${PATH}?time_range=1w&status=success&limit=10`);
    expect(few.invocations.length).toBeLessThanOrEqual(10);
    expect(few.notes.join()).toContain("there may be more");
  });
});
