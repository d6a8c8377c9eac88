/** Windows with too many changes to follow: every one is counted, against a naive count of all entries. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochFromIso, isoFromEpoch } from "../../../src/pynenc/time.ts";
import { countedChanges, countedDensity } from "../../../src/services/timeline/counted-changes.ts";
import { cases } from "../../support/cases.ts";
import { live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const SPAN = 4 * 3_600;

interface Asked {
  from: number;
  to: number;
  /** Nothing later is counted. */
  end: number;
  by: "task" | "writer";
  system?: boolean;
}

async function density(app: MemoryApp, { from, to, end, by, system = true }: Asked) {
  const found = await countedChanges(app.opened, { start: at(from), end: at(to) }, at(end), by);
  return { ...(await app.store.read((reads) => countedDensity(reads, found, system))).density, figures: found.rows };
}

/** By name and status, slice by slice. */
function naively(app: MemoryApp, by: Asked["by"], from: number, step: number, slices: number, end: number) {
  const rows = app.rows((all) => all);
  const tasks = new Map(rows.definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const counts: Record<string, number[]> = {};
  for (const entry of rows.history) {
    const slice = Math.floor((entry.written_at - from) / step);
    if (entry.written_at > end || slice < 0 || slice >= slices) continue;
    const key = `${by === "task" ? tasks.get(entry.invocation_id) : entry.runner_context_id} ${entry.status}`;
    counts[key] ??= new Array<number>(slices).fill(0);
    counts[key][slice] = (counts[key][slice] ?? 0) + 1;
  }
  return counts;
}

describe("the counted changes of a large window", () => {
  it("include every entry, by task and by writer, up to the present or an instant before it", async () => {
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(
        lives(40, SPAN),
        fc.double({ min: -600, max: SPAN, noNaN: true }),
        fc.double({ min: 600, max: SPAN, noNaN: true }),
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        fc.constantFrom("task", "writer"),
        async (all, from, length, present, share, by) => {
          const now = from + length * present;
          const app = live(memoryApp({ now: at(now) }), all);
          app.change(({ history }) => {
            const written = history.filter((entry) => entry.written_at <= at(now));
            history.splice(0, history.length, ...written);
          });
          const end = Math.min(now, from + length * share);
          const found = await density(app, { from, to: from + length, end, by });
          if (found.figures === null) return;
          counted++;
          const begins = epochFromIso(found.from) ?? Number.NaN;
          expect([begins % found.slice_seconds, begins <= at(from), begins > at(from) - found.slice_seconds]).toEqual([
            0,
            true,
            true,
          ]);
          expect(begins + found.slices * found.slice_seconds).toBeGreaterThanOrEqual(at(from + length));
          const wanted = naively(app, by, begins, found.slice_seconds, found.slices, at(end));
          const rows = found.rows.map((row) => [
            `${by === "task" ? row.task_id_key : row.runner_id} ${row.status}`,
            row.counts,
          ]);
          expect(Object.fromEntries(rows)).toEqual(wanted);
          expect(rows).toHaveLength(Object.keys(wanted).length);
          expect(found.totals).toEqual(
            found.totals.map((_, slice) => Object.values(wanted).reduce((sum, row) => sum + (row[slice] ?? 0), 0)),
          );
          expect(found.counted).toBeNull();
        },
      ),
      { numRuns: cases(200) },
    );
    expect(counted).toBeGreaterThan(cases(100));
  });

  const hours = (n: number) => n * 3_600;
  const day = { from: 0, to: hours(24), end: hours(30), by: "task" } as const;
  const filled = (now = hours(30)) =>
    memoryApp({ now: at(now) }).invocations(48, (n) => ({
      task: n % 2 === 0 ? "shop.pay" : "pynenc.core_tasks.recover_running_invocations",
      history: [[at(1_800 * n), "registered", "r1"]],
    }));

  it("leave out pynenc's own tasks only if they are counted by task", async () => {
    const sum = async (asked: Partial<Asked>) =>
      (await density(filled(), { ...day, ...asked })).totals.reduce((all, n) => all + n, 0);
    expect(await sum({})).toBe(48);
    expect(await sum({ system: false })).toBe(24);
    expect(await sum({ system: false, by: "writer" })).toBe(48);
  });

  const sum = (totals: readonly number[]) => totals.reduce((all, n) => all + n, 0);

  it("are the latest entries of a short window of which only hourly figures are left, and without figures over time", async () => {
    const old = filled(hours(100));
    old.invocation("new", { history: [[at(hours(99)), "registered", "r1"]] });
    const asked = { ...day, end: hours(100) };
    expect((await density(old, asked)).slice_seconds).toBe(3_600);
    const short = await density(old, { ...asked, from: hours(3), to: hours(5) });
    expect([short.figures, sum(short.totals), short.slice_seconds]).toEqual([null, 5, 60]);
    expect((await density(old, { ...asked, from: hours(3), to: hours(6) })).totals).toHaveLength(3);
    const opened = { ...filled().opened, rollups: null };
    const found = await countedChanges(opened, { start: at(day.from), end: at(day.to) }, at(day.end), "task");
    expect([found.rows, found.reading]).toEqual([null, false]);
  });

  it("are the latest entries after a purge, although the figures are kept", async () => {
    const app = filled();
    expect((await density(app, day)).totals).toContain(1);
    app.change((rows) => rows.history.splice(0));
    expect([...new Set((await density(app, day)).totals)]).toEqual([0]);
  });

  it("are by task if more runners wrote them than a page can name", async () => {
    const app = memoryApp({ now: at(hours(30)) }).invocations(301, (n) => ({
      task: "shop.pay",
      history: [[at(60 * n), "registered", `r${n}`]],
    }));
    const by = async (opened: MemoryApp["opened"]) => {
      const found = await countedChanges(opened, { start: at(0), end: at(hours(24)) }, at(hours(30)), "writer");
      const { density, byTask } = await app.store.read((reads) => countedDensity(reads, found, true));
      return [byTask, density.rows.map((row) => row.task_id_key), sum(density.totals)];
    };
    expect(await by(app.opened)).toEqual([true, ["shop.pay"], 301]);
    expect(await by({ ...app.opened, rollups: null })).toEqual([true, ["shop.pay"], 301]);
  });

  it("end where no more entries can be read if too many were written since the last whole minute", async () => {
    const now = hours(24) + 30;
    const app = filled(now);
    const add = (begin: number) =>
      app.change(({ history }) => {
        const [entry] = history;
        for (let n = 0; n < 19_999; n++) {
          const instant = at(begin + n / 1e4);
          if (entry !== undefined) history.push({ ...entry, timestamp: instant, written_at: instant });
        }
      });
    const asked = { ...day, to: now, end: now };
    add(now - 20);
    const whole = await density(app, asked);
    expect([whole.totals.at(-1), whole.counted]).toEqual([19_999, null]);
    add(now - 10);
    const cut = await density(app, asked);
    expect([cut.totals.at(-1), cut.counted]).toEqual([
      20_000,
      { from: isoFromEpoch(at(0)), to: isoFromEpoch(at(now - 10)) },
    ]);
  });
});
