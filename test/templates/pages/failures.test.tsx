import { expect, test } from "vitest";
import type { FailureGroup, Failures } from "../../../src/api/stats.ts";
import { FailuresContent } from "../../../templates/pages/failures.tsx";
import { dom, HOSTILE } from "../render.tsx";

const AT = "2026-11-21T00:37:09.000000+00:00";

const group: FailureGroup = {
  task_id_key: "shop.pay",
  type: "CardDeclined",
  message: "declined",
  count: 20,
  failed: 20,
  retries: 0,
  tasks: ["shop.pay"],
  causes: 1,
  share: 0.1,
  trend: [1, 2],
  first_seen: AT,
  last_seen: AT,
  runners: [],
  same_arguments: [],
  stands_out: [],
  invocation_ids: ["a"],
};

const looked = { failures: 18, failures_looked_at: 20, successes: 3, successes_looked_at: 40 };

function page(stands_out: FailureGroup["stands_out"]) {
  const model: Failures = {
    ...{ from: AT, to: AT, reach: null, complete: true, filter: { by: "group", task_id_key: null } },
    ...{ slice_seconds: 60, groups_total: 1, total: 20, newest: AT, notes: [] },
    groups: [{ ...group, stands_out }],
  };
  return dom(<FailuresContent model={model} path="/failures/" query={{}} now={AT} readOnly={false} />);
}

test("what stands out is told with both counts, and a runner leads to its page", () => {
  const found = page([
    { kind: "argument", name: "region", value: '"eu"', ...looked },
    { kind: "runner", name: null, value: "r1", ...looked },
  ]);
  expect(found.text.replace(/\s+/g, " ")).toContain('region="eu": 18 of 20 failures looked at, 3 of 40 successes');
  expect(found.querySelector(".failure-group-stands-out a")?.getAttribute("href")).toBe("/runners/r1");
  expect(page([]).querySelector(".failure-group-stands-out")).toBeNull();
});

test("names and values of arguments are text", () => {
  const found = page([{ kind: "argument", name: HOSTILE, value: HOSTILE, ...looked }]);
  expect(found.querySelector("script, img")).toBeNull();
});
