/** Values that are too large to read in full, on pages and in JSON: what is cut is said, with the size of the whole. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import type { Bind } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { VALUE_BYTES } from "../../src/stores/value-limit.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const LARGE = "x".repeat(VALUE_BYTES + 1_000_000);
const BYTES = "3,000,0";

describe("values that are too large to read in full", () => {
  let monitor: Monitor;
  let id: string;
  let event: string;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
    const db = openDatabase(monitor.path, { mode: "write" });
    const run = (sql: string, ...values: Bind[]) =>
      db.prepare(sql.replaceAll("$", `${tablePrefix(APP)}__`)).run(...values);
    const one = (sql: string) => String(db.prepare(sql.replaceAll("$", `${tablePrefix(APP)}__`)).value());
    id = one("SELECT invocation_id FROM $orchestrator_invocations WHERE status = 'success' LIMIT 1");
    event = one("SELECT event_id FROM $trg_events WHERE matched_condition_count > 0 LIMIT 1");
    const record = one(`SELECT event_json FROM $trg_events WHERE event_id = '${event}'`);
    run("DELETE FROM $state_backend_results WHERE invocation_id = ?", id);
    run("INSERT INTO $state_backend_results (invocation_id, result_data) VALUES (?, ?)", id, JSON.stringify(LARGE));
    run(
      "UPDATE $state_backend_invocations SET serialized_arguments = ? WHERE invocation_id = ?",
      JSON.stringify({ small: "1", large: JSON.stringify(LARGE) }),
      id,
    );
    run(
      "UPDATE $trg_events SET event_json = ? WHERE event_id = ?",
      record.replace('"payload": {', `"payload": {"large": "${LARGE}", `),
      event,
    );
    db.close();
  });
  afterAll(() => monitor.close());

  it("are described by their size on the page of an invocation, which stays small", async () => {
    const page = await monitor.text(`/invocations/${id}`);
    expect(page).toMatch(new RegExp(`${BYTES}\\d\\d bytes, too large to read in full`));
    expect(page).toMatch(new RegExp(`Together ${BYTES}\\d\\d bytes, too large to read in full`));
    expect(page.length).toBeLessThan(200_000);
  });

  it("are marked as cut, with their size, in the JSON of an invocation", async () => {
    for (const end of ["", "/api"]) {
      const body = await monitor.json<InvocationDetail>(`/invocations/${id}${end}`);
      expect(body.result?.stored).toMatchObject({ cut: true, truncated: true, size: LARGE.length + 2 });
      expect(body.arguments.map((argument) => argument.name)).toEqual(["small", "large"]);
      expect(body.arguments_too_large).toBeGreaterThan(LARGE.length);
      expect(JSON.stringify(body).length).toBeLessThan(200_000);
    }
  });

  it("are described by their size on the page, in the panel and in the JSON of an event", async () => {
    const said = new RegExp(`The payload has ${BYTES}\\d\\d bytes: too large to show\\.`);
    for (const path of [`/events/${event}`, `/events/${event}/panel`]) {
      const page = await monitor.get(path, { headers: { accept: "text/html" } });
      expect((await page.text()).replaceAll(/<[^>]*>|<!--.*?-->/g, "")).toMatch(said);
    }
    const api = await monitor.json<{ event: Record<string, unknown> }>(`/events/${event}/api`);
    expect(api.event).toMatchObject({ payload: null, matched: true });
    expect(api.event.payload_too_large).toBeGreaterThan(LARGE.length);
  });
});
