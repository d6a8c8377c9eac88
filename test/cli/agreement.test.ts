/**
 * The same question asked in four ways of every fixture: the list of tasks, the statistics by page and by command, the failures, and the rows by hand.
 * They agree where every invocation ended once and all is still stored; otherwise the pages say what they count.
 */
import { afterAll, describe, expect, it } from "vitest";
import type { Failures, Stats } from "../../src/api/stats.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, FACTS, FIXTURE_NAMES, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { monitorAt } from "../support/monitor.ts";
import { monitor as run } from "./monitor.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Numbers by task: what ended in each final status, and how often it was tried again. */
interface Ends {
  success: number;
  failed: number;
  concurrency_controlled_final: number;
  retries: number;
}

const NONE: Ends = { success: 0, failed: 0, concurrency_controlled_final: 0, retries: 0 };
const FINAL = ["success", "failed", "concurrency_controlled_final"] as const;
/** Everything that is stored. */
const ALL = "from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z";

function byHand(path: string, prefix: string): Record<string, Ends> {
  const db = openDatabase(path, { mode: "read" });
  const rows = db
    .prepare(
      `SELECT task_id_key AS task, history_status AS status, count(*) AS n
       FROM "${prefix}__state_backend_history" JOIN "${prefix}__state_backend_invocations" USING (invocation_id)
       GROUP BY task_id_key, history_status`,
    )
    .all() as unknown as { task: string; status: string; n: number }[];
  db.close();
  const found: Record<string, Ends> = {};
  for (const { task, status, n } of rows) {
    found[task] ??= { ...NONE };
    if (status === "retry") found[task].retries += n;
    else if (FINAL.some((final) => final === status)) found[task][status as (typeof FINAL)[number]] += n;
  }
  return found;
}

const finishedOf = (ends: Ends) => FINAL.reduce((sum, status) => sum + ends[status], 0);

async function answersOf(path: string, app: string, now: number) {
  const server = await monitorAt(path, "in process", { app, now });
  try {
    const tasks = await server.json<TaskList>("/tasks/");
    const stats = await server.json<Stats>(`/stats/?${ALL}&by=task`);
    const failures = await server.json<Failures>(`/failures/?${ALL}&by=task`);
    const pages = { tasks: await server.text("/tasks/"), stats: await server.text(`/stats/?${ALL}`) };
    return { tasks, stats, failures, pages };
  } finally {
    await server.close();
  }
}

const statsByTask = ({ rows }: Stats) =>
  Object.fromEntries(
    rows.flatMap((row) =>
      "task_id_key" in row && row.task_id_key !== null
        ? [[row.task_id_key, { finished: row.finished, failed: row.failed, retries: row.retries }]]
        : [],
    ),
  );

const fixtures = FIXTURE_NAMES.flatMap((name) => Object.keys(FACTS[name]).map((app) => [name, app] as const));

describe("the number of calls by task and outcome", () => {
  it.each(fixtures)("in %s for %s is the same in statistics, metrics and lists", async (name, app) => {
    const path = copyFixture(name, folder.path, `${app.replaceAll("/", "-")}-${name}`);
    const hand = byHand(path, FACTS[name][app]?.prefix ?? "");
    const { tasks, stats, failures } = await answersOf(path, app, presentOf(name));
    expect(Object.keys(hand).length).toBeGreaterThan(0);

    expect(stats.complete).toBe(true);
    const wanted = Object.fromEntries(
      Object.entries(hand).map(([task, ends]) => [
        task,
        { finished: finishedOf(ends), failed: ends.failed, retries: ends.retries },
      ]),
    );
    expect(statsByTask(stats)).toEqual(wanted);
    const printed = await run(["stats", "--db", path, "--app", app, "--since", "2026-01-01", "--json"]);
    expect(statsByTask(JSON.parse(printed.stdout) as Stats)).toEqual(wanted);

    for (const { task_id_key, statuses } of tasks.tasks) {
      const ends = Object.fromEntries(
        FINAL.map((status) => [status, statuses.find((one) => one.status === status)?.count ?? 0]),
      );
      const { retries: _, ...rest } = hand[task_id_key] ?? NONE;
      expect({ task_id_key, ...ends }).toEqual({ task_id_key, ...rest });
    }
    // Tasks that are only named by triggers are listed too.
    expect(tasks.tasks.map((row) => row.task_id_key)).toEqual(expect.arrayContaining(Object.keys(hand)));

    const failed: Record<string, number> = {};
    for (const { task_id_key, failed: f, retries } of failures.groups) {
      failed[task_id_key ?? ""] = (failed[task_id_key ?? ""] ?? 0) + f + retries;
    }
    const failedByHand = Object.entries(hand).map(([task, ends]) => [task, ends.failed + ends.retries] as const);
    expect(failed).toEqual(Object.fromEntries(failedByHand.filter(([, n]) => n > 0)));
    expect(failures.total).toBe(failedByHand.reduce((sum, [, n]) => sum + n, 0));
  });

  it("counts an invocation that ended twice once in the list of tasks and twice in statistics, as both pages explain", async () => {
    const path = copyFixture("kitchen_sink.db", folder.path, "twice.db");
    const { prefix } = FACTS["kitchen_sink.db"].kitchen_sink ?? { prefix: "" };
    const before = byHand(path, prefix);
    const db = openDatabase(path, { mode: "write" });
    db.prepare(
      `INSERT INTO "${prefix}__state_backend_history"
       SELECT invocation_id, history_timestamp - 0.001, history_status, history_json FROM "${prefix}__state_backend_history"
       WHERE history_status = 'success' ORDER BY invocation_id LIMIT 3`,
    ).run();
    db.close();
    const hand = byHand(path, prefix);
    const sum = (all: Record<string, Ends>) => Object.values(all).reduce((n, ends) => n + finishedOf(ends), 0);
    expect(sum(hand)).toBe(sum(before) + 3);
    const { tasks, stats, pages } = await answersOf(path, "kitchen_sink", presentOf("kitchen_sink.db"));
    expect(stats.total.finished).toBe(sum(hand));
    const listed = tasks.tasks
      .flatMap((row) => row.statuses)
      .filter(({ status }) => FINAL.some((one) => one === status));
    expect(listed.reduce((n, { count }) => n + count, 0)).toBe(sum(before));
    expect(pages.stats).toContain(
      "Status changes of this range are counted: an invocation that ended twice counts twice.",
    );
    expect(pages.tasks).toContain("each counted once, by its latest status");
  });
});
