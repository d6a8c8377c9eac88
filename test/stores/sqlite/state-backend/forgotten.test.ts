/** The last status of an invocation that the orchestrator has forgotten is that of the last entry of its history, as everywhere else. */
import { expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { change, copies, inspect, withStore } from "../rows.ts";

const copyOf = copies();
const PREFIX = tablePrefix("kitchen_sink");
const STATUSES = `"${PREFIX}__orchestrator_invocations"`;
const HISTORY = `"${PREFIX}__state_backend_history"`;

it("the last status of a forgotten invocation is the later one of two entries of the same instant", async () => {
  const path = copyOf("kitchen_sink.db");
  // `failed` comes before `running` in the alphabet, and in the primary key.
  const ids = inspect(path, (db) =>
    db.prepare(`SELECT invocation_id AS id FROM ${STATUSES} WHERE status = 'failed'`).all(),
  ).map((row) => String(row.id));
  expect(ids.length).toBeGreaterThan(3);
  change(
    path,
    `UPDATE ${HISTORY} AS h SET history_timestamp = (SELECT max(history_timestamp) FROM ${HISTORY} WHERE invocation_id = h.invocation_id)
     WHERE rowid IN (SELECT max(rowid) FROM ${HISTORY} WHERE history_status = 'running' GROUP BY invocation_id)
       AND invocation_id IN (SELECT invocation_id FROM ${STATUSES} WHERE status = 'failed')`,
    `DELETE FROM ${STATUSES} WHERE status = 'failed'`,
  );
  const { rows, spans } = await withStore(path, (store) =>
    store.app("kitchen_sink").read(async (reads) => ({
      rows: (await reads.forgotten.scan(10_000)).rows,
      spans: await reads.state_backend.historySpanOf(ids),
    })),
  );
  const told = new Map(rows.map((row) => [row.invocation_id, row.last_status]));
  expect(ids.map((id) => told.get(id))).toEqual(ids.map(() => "failed"));
  expect(spans.map((span) => [span.invocation_id, span.last.status]).sort()).toEqual(
    ids.map((id) => [id, "failed"]).sort(),
  );
});
