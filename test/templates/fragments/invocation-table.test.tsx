import { expect, test } from "vitest";
import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import { InvocationTable } from "../../../templates/fragments/facts/invocation-table.tsx";
import { dom } from "../render.tsx";

const FAILED: InvocationRow = {
  invocation_id: "89e2a65c-ae23-4247-a845-e2fd800d857c",
  task_id_key: "shop.pay",
  call_id_key: "shop.pay:1",
  status: "failed",
  status_source: "orchestrator",
  final: true,
  retry_count: 0,
  registered_at: "2026-11-21T00:34:43.000000+00:00",
  status_at: "2026-11-21T00:34:45.000000+00:00",
  duration_seconds: 2,
  owner_runner_id: null,
  parent_invocation_id: null,
  workflow_id: null,
  arguments: 'order_id="ORD-7"',
  exception: { type: "CardDeclined", message: "no credit" },
};

test.each([
  ["ord-7", 'order_id="ORD-7"', ["ORD-7"], "CardDeclined: no credit"],
  ["credit", "CardDeclined: no credit", ["credit"], ""],
  ["another", "CardDeclined: no credit", [], ""],
])("a failed row in a search for %s shows %s, where the match is", (searched, words, marked, hint) => {
  const table = dom(<InvocationTable caption="Invocations" invocations={[FAILED]} empty="" searched={[searched]} />);
  const cell = table.querySelectorAll("td").find((one) => one.text.includes(words));
  expect(cell?.querySelectorAll("mark").map((mark) => mark.text)).toEqual(marked);
  // The exception is not lost: it is in the title.
  expect(cell?.toString()).toContain(hint);
});
