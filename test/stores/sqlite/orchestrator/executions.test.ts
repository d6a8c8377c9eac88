/** Runs of the atomic service in a window of time, which is answered by an index on their start. */
import { expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../../../src/pynenc/time.ts";
import { change, copies, withStore } from "../rows.ts";

const copyOf = copies();
const NOON = 1_800_014_400;
const HOUR = 3_600;

it("a window has service executions that began up to a day before it and were still running in it", async () => {
  const path = copyOf("kitchen_sink.db");
  const runs: [id: string, start: number, end: number | null, status: string][] = [
    ["ended before", NOON - 2 * HOUR, NOON - 1, "completed"],
    ["ended in it", NOON - 2 * HOUR, NOON, "completed"],
    ["began a day ago", NOON - 24 * HOUR, NOON + 1, "completed"],
    ["never ended", NOON - 20 * HOUR, null, "abandoned"],
    ["runs since last week", NOON - 168 * HOUR, null, "running"],
    ["began at its end", NOON + HOUR, NOON + HOUR + 1, "completed"],
    ["began after it", NOON + HOUR + 1, NOON + HOUR + 2, "completed"],
  ];
  const table = `${tablePrefix("kitchen_sink")}__orchestrator_atomic_service_executions`;
  change(
    path,
    `DELETE FROM ${table}`,
    ...runs.map(([id, start, end, status]): [string, ...(string | null)[]] => [
      `INSERT INTO ${table} (runner_id, start_time, end_time, atomic_service_run_id, status) VALUES ('r', ?, ?, ?, ?)`,
      isoFromEpoch(start),
      end === null ? null : isoFromEpoch(end),
      id,
      status,
    ]),
  );
  await withStore(path, async (store) => {
    const found = await store
      .app("kitchen_sink")
      .read((reads) => reads.orchestrator.executions({ limit: 100, offset: 0 }, { from: NOON, to: NOON + HOUR }));
    expect(found.map((run) => run.atomic_service_run_id)).toEqual([
      "began at its end",
      "ended in it",
      "never ended",
      "began a day ago",
      "runs since last week",
    ]);
  });
});

it("heartbeats of pynenc 0.2.3 have the latest turn of their runners", async () => {
  const beats = await withStore(copyOf("kitchen_sink_023.db"), (store) =>
    store.app("kitchen_sink").read(({ orchestrator }) => orchestrator.heartbeats({ limit: 10, offset: 0 })),
  );
  const turns = beats.flatMap(({ last_service_start: from, last_service_end: to }) =>
    from === null || to === null ? [] : [to - from],
  );
  expect(turns.length).toBeGreaterThan(0);
  expect(Math.min(...turns)).toBeGreaterThan(0);
});
