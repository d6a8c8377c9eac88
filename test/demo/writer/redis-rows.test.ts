import { expect, test } from "vitest";
import { type OtherRows, removedRow } from "../../../src/demo/writer/redis-rows.ts";
import { AppKeys } from "../../../src/stores/redis/keys/keys.ts";

const KEYS = new AppKeys("demo-shop");
const NO_OTHERS: OtherRows = { taskOf: () => null, contextOf: () => null, waits: () => false };

test("a removed message is taken out of the queue once", () => {
  const queue = KEYS.key("broker", "default_queue");
  expect(removedRow(KEYS, "broker_message_queue", { invocation_id: "i" }, NO_OTHERS)).toEqual([
    ["LREM", queue, "1", "i"],
  ]);
});

test("a removed event leaves its own key and all indexes, and its code stays among those of all events", () => {
  const event = { event_id: "e", event_code: "paid", event_timestamp: 1, event_json: "{}", matched_condition_count: 1 };
  const key = (...parts: string[]) => KEYS.key("trigger", ...parts);
  expect(removedRow(KEYS, "trg_events", event, NO_OTHERS)).toEqual([
    ["DEL", key("evts_hash", "e")],
    ["ZREM", key("evts_by_time"), "e"],
    ["ZREM", key("evts_by_code", "paid"), "e"],
    ["ZREM", key("evts_matched"), "e"],
  ]);
});

test("a removed workflow run leaves the runs of its type, and the type stays among all types", () => {
  const run = { workflow_id: "w", workflow_type_key: "shop.fulfil", parent_workflow_id: "" };
  const key = (...parts: string[]) => KEYS.key("state_backend", "workflow", ...parts);
  expect(removedRow(KEYS, "state_backend_workflows", run, NO_OTHERS)).toEqual([
    ["DEL", key("run", "w")],
    ["SREM", key("type_index", "shop.fulfil"), "w"],
  ]);
});
