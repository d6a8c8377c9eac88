import { expect, test } from "vitest";
import type { FailureGroup, Failures } from "../../../src/api/stats.ts";
import { failures as failuresIn } from "../../../src/services/stats/failures.ts";
import { recent } from "../../../src/services/stats/recent.ts";
import { Failing } from "../../../templates/fragments/stats/recent.tsx";
import { FailuresContent } from "../../../templates/pages/failures.tsx";
import { storedException } from "../../support/histories.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { dom, HOSTILE } from "../render.tsx";

const AT = "2026-11-21T00:37:09.000000+00:00";

const group: FailureGroup = {
  task_id_key: "shop.pay",
  type: "CardDeclined",
  message: "declined",
  query: "exception:CardDeclined error:declined",
  count: 20,
  failed: 20,
  retries: 0,
  tasks: ["shop.pay"],
  other_messages: false,
  causes: 1,
  share: 0.1,
  trend: [1, 2],
  first_seen: AT,
  last_seen: AT,
  ever: { failed: 31, retries: 2, first_seen: "2026-11-20T00:00:00.000000+00:00", complete: true },
  runners: [],
  same_arguments: [],
  stands_out: [],
  invocation_ids: ["a"],
};

const looked = { failures: 18, failures_looked_at: 20, successes: 3, successes_looked_at: 40 };

const failures: Failures = {
  ...{ from: AT, to: AT, reach: null, complete: true, filter: { by: "group", task_id_key: null } },
  ...{ slice_seconds: 60, groups_total: 1, groups_failed: 1, total: 20, newest: AT, notes: [] },
  groups: [group],
};

function page(stands_out: FailureGroup["stands_out"]) {
  const model: Failures = { ...failures, groups: [{ ...group, stands_out }] };
  return dom(<FailuresContent model={model} path="/failures/" query={{}} now={AT} readOnly={false} />);
}

test("the trend of a group that failed and was retried says how many of each", () => {
  const groups = [{ ...group, failed: 3, retries: 1, count: 4 }, group];
  const found = dom(
    <FailuresContent model={{ ...failures, groups }} path="/failures/" query={{}} now={AT} readOnly={false} />,
  );
  const trends = found.querySelectorAll("svg.sparkline").map((trend) => trend.getAttribute("aria-label"));
  expect(trends).toEqual(["Trend: 3 failed, 1 retried", "Trend: 3, at most 2 in one bar"]);
});

test("failures and retries are counted apart, and retried groups have a list of their own", () => {
  const retried = { ...group, type: null, message: null, query: null, failed: 0, retries: 50, count: 50 };
  const model: Failures = { ...failures, groups: [group, retried] };
  const found = dom(<FailuresContent model={model} path="/failures/" query={{}} now={AT} readOnly={false} />);
  const tables = found.querySelectorAll("table");
  const counts = tables.map((table) => table.querySelectorAll("tbody td.end").map((cell) => cell.text));
  expect(counts).toEqual([
    ["20", "10 %"],
    ["50", "10 %"],
  ]);
  const heads = tables.map((table) => table.querySelectorAll("thead th").map((head) => head.text));
  expect(heads[0]).toContain("Failed");
  expect(heads[0]).not.toContain("Retried");
  expect(heads[1]).toContain("Retried");
  const trends = tables.map((table) => table.querySelector(".sparkline path")?.getAttribute("class"));
  expect(trends).toEqual(["chart-bars chart-bad", "chart-bars chart-warn"]);
  expect(heads[1]).not.toContain("Failed");
  expect([heads[0]?.includes("Of finished"), heads[1]?.includes("Of runs")]).toEqual([true, true]);
  expect(tables[0]?.querySelector('time[datetime^="2026-11-20"]')).not.toBeNull();
  const titles = (shown: typeof found) => shown.querySelectorAll(".card h2").map((title) => title.text);
  expect(titles(found)).toEqual(["1 group", "Retries"]);
  expect(heads.map(([first]) => first)).toEqual(["Failure", "Task"]);
  const both = { ...model, groups: [{ ...group, retries: 2 }, retried] };
  expect(
    titles(dom(<FailuresContent {...{ model: both, path: "/failures/", query: {}, now: AT, readOnly: false }} />)),
  ).toEqual(["1 group", "Other retries"]);
});

test("a distinguishing feature of a group has both counts, and a runner links to its page", () => {
  const found = page([
    { kind: "argument", name: "region", value: '"eu"', ...looked },
    { kind: "runner", name: null, value: "r1", ...looked },
  ]);
  expect(found.text.replace(/\s+/g, " ")).toContain(
    'region="eu": 18 of 20 failures examined, 3 of 40 successes examined',
  );
  expect(found.querySelector(".failure-group a.mark")?.getAttribute("href")).toBe("/runners/r1");
  expect(page([]).querySelector(".failure-group .mark")).toBeNull();
});

test("names and values of arguments are shown as text", () => {
  const found = page([{ kind: "argument", name: HOSTILE, value: HOSTILE, ...looked }]);
  expect(found.querySelector("script, img")).toBeNull();
});

test("a group of one task links to a rerun of its own invocations, other groups do not", () => {
  const links = (one: FailureGroup) => {
    const model = { ...failures, groups: [one] };
    const found = dom(<FailuresContent model={model} path="/failures/" query={{}} now={AT} readOnly={false} />);
    return found.querySelectorAll(".failure-group-links a").map((link) => ({
      q: new URL(link.getAttribute("href") ?? "", "http://m").searchParams.get("q"),
      title: link.getAttribute("title"),
    }));
  };
  expect(links(group)).toEqual([
    {
      q: group.query,
      title:
        "Compare those that failed with CardDeclined and “declined” in their message with the other invocations of the task",
    },
    {
      q: group.query,
      title: "Preview a rerun of those that failed with CardDeclined and “declined” in their message in this range",
    },
  ]);
  expect(links({ ...group, query: null, type: null, message: null })).toEqual([]);
  expect(links({ ...group, task_id_key: null })).toEqual([]);
});

test("the text of a failure links to its invocations in the range, both on its page and on the dashboard", async () => {
  const app = memoryApp({ now: at(600) }).invocation("a", {
    history: [
      [at(0), "registered"],
      [at(1), "pending"],
      [at(2), "running"],
      [at(3), "failed"],
    ],
    exception: storedException("CardDeclined", "declined"),
  });
  const { recent: now } = await recent(app.opened, {});
  const model = await failuresIn(app.opened, {});
  const pages = [
    ...(now === null ? [] : [dom(<Failing recent={now} />)]),
    dom(<FailuresContent model={model} path="/failures/" query={{}} now={AT} readOnly={false} />),
  ];
  expect(pages).toHaveLength(2);
  for (const drawn of pages) {
    const link = drawn.querySelector("a.failure-group-name");
    expect(link?.querySelector(".failure-group-words")?.text).toBe("CardDeclined: declined");
    const { pathname, searchParams } = new URL(link?.getAttribute("href") ?? "", "http://monitor/");
    expect(pathname).toBe("/invocations/");
    expect(Object.fromEntries(searchParams)).toMatchObject({
      q: "exception:CardDeclined error:declined",
      status: "failed",
      task_id: "shop.pay",
      range: "1h",
    });
  }
});
