import { describe, expect, test } from "vitest";
import type { HistoryEntry, InvocationDetail } from "../../../src/api/invocations.ts";
import type { PageInfo } from "../../../src/api/model/common.ts";
import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import type { ShownValue } from "../../../src/api/model/values.ts";
import type { CallDetail, TaskDetail } from "../../../src/api/tasks.ts";
import type { Verdict } from "../../../src/api/verdicts.ts";
import type { WorkflowRunDetail, WorkflowRunRow } from "../../../src/api/workflows.ts";
import { pagedInvocations } from "../../../src/inputs/invocations.ts";
import { runnerState } from "../../../src/presentation/facts/runner.ts";
import { stuckWords } from "../../../src/presentation/facts/service-run.ts";
import { TIME_PRESETS } from "../../../src/presentation/time-range.ts";
import { lengthOf } from "../../../src/services/input/moment.ts";
import { shownFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { QUERY_FIELDS } from "../../../src/services/model/invocation-query.ts";
import { FactValueView } from "../../../templates/fragments/facts/fact-value.tsx";
import { InvocationTable } from "../../../templates/fragments/facts/invocation-table.tsx";
import { SEARCH_FIELDS } from "../../../templates/fragments/invocations/invocation-filters.tsx";
import { PhaseBar } from "../../../templates/fragments/invocations/phase-bar.tsx";
import { ShownValueView } from "../../../templates/fragments/values/shown-value.tsx";
import { CallContent } from "../../../templates/pages/call.tsx";
import { InvocationContent } from "../../../templates/pages/invocation.tsx";
import { InvocationsContent, InvocationsHeader, type InvocationsModel } from "../../../templates/pages/invocations.tsx";
import { TaskContent } from "../../../templates/pages/task.tsx";
import { TasksContent } from "../../../templates/pages/tasks.tsx";
import type { View } from "../../../templates/pages/view.ts";
import { WorkflowRunContent } from "../../../templates/pages/workflow-run.tsx";
import { WorkflowRunsContent } from "../../../templates/pages/workflow-runs.tsx";
import { WorkflowTypesContent } from "../../../templates/pages/workflows.tsx";
import { InvocationPanel } from "../../../templates/panels/invocation-panel.tsx";
import { dom, HOSTILE, html, text } from "../render.tsx";

const ID = "89e2a65c-ae23-4247-a845-e2fd800d857c";
const AT = "2026-11-21T00:34:43.000123+00:00";
const EMPTY_PAGE: PageInfo = {
  number: 1,
  size: 50,
  total: 0,
  total_capped: false,
  has_next: false,
  first_row: 0,
  last_row: 0,
};

function view<Model>(model: Model, changes: Partial<View<Model>> = {}): View<Model> {
  return { model, path: "/invocations/", query: {}, now: AT, readOnly: false, ...changes };
}

function row(changes: Partial<InvocationRow> = {}): InvocationRow {
  return {
    invocation_id: ID,
    task_id_key: "tasks.add",
    call_id_key: "tasks.add:no_args",
    status: "success",
    status_source: "orchestrator",
    final: true,
    retry_count: 0,
    registered_at: AT,
    status_at: AT,
    duration_seconds: 1.5,
    owner_runner_id: null,
    parent_invocation_id: null,
    workflow_id: null,
    arguments: null,
    exception: null,
    ...changes,
  };
}

const hostileRow = row({
  invocation_id: HOSTILE,
  task_id_key: HOSTILE,
  call_id_key: HOSTILE,
  status: HOSTILE,
  owner_runner_id: HOSTILE,
  parent_invocation_id: HOSTILE,
});

function shown(content: string, changes: Partial<ShownValue> = {}): ShownValue {
  const stored = {
    form: "json",
    text: content,
    truncated: false,
    size: content.length,
    note: null,
    reference: null,
  } as const;
  return { stored, resolved: null, dangling: false, ...changes };
}

function entry(changes: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    status: "registered",
    timestamp: AT,
    written_at: AT,
    since_previous_seconds: null,
    possible: true,
    status_runner_id: null,
    owner_runner_id: null,
    runner: null,
    registered_by_inv_id: null,
    ...changes,
  };
}

function invocation(changes: Partial<InvocationDetail> = {}): InvocationDetail {
  return {
    invocation_id: ID,
    task_id_key: "tasks.add",
    module: "tasks",
    function: "add",
    call_id_key: "tasks.add:no_args",
    arguments_id: "no_args",
    status: "running",
    status_source: "orchestrator",
    final: false,
    answer: null,
    retry_count: 0,
    owner: null,
    registered_at: AT,
    status_at: AT,
    completed_at: null,
    duration_meaning: "so_far",
    auto_purge: null,
    repeats: "no",
    duration_seconds: 3,
    phases: [],
    critical_path: null,
    waiting: null,
    slot: null,
    queued: false,
    requeueable: false,
    arguments: [],
    arguments_unreadable: null,
    arguments_too_large: null,
    result: null,
    result_raw: null,
    exception: null,
    exception_raw: null,
    workflow_role: "none",
    workflow: null,
    parent: null,
    parent_event_id: null,
    parent_event: null,
    events_recorded: true,
    triggered_by: null,
    emitted_events: [],
    emitted_events_truncated: false,
    triggered_runs_caused: [],
    triggered_runs_truncated: false,
    source_inv_summaries: {},
    source_event_summaries: {},
    children: [],
    children_count: 0,
    waits_for: [],
    stale_waits_for: [],
    stale_waited_by: [],
    waited_by: [],
    history: [],
    timeline: null,
    history_count: 1,
    history_truncated: false,
    history_gap: null,
    rerun_of: null,
    rerun_as: [],
    rerun_count: 0,
    notes: [],
    ...changes,
  };
}

const hostileRunner = {
  runner_id: HOSTILE,
  context_missing: false,
  runner_cls: HOSTILE,
  hostname: HOSTILE,
  pid: 1,
  thread_id: 2,
  parent: null,
};

const hostileInvocation = invocation({
  invocation_id: HOSTILE,
  task_id_key: HOSTILE,
  call_id_key: HOSTILE,
  status: HOSTILE,
  owner: hostileRunner,
  arguments: [{ name: HOSTILE, value: shown(HOSTILE) }],
  result: shown(`${HOSTILE}\n`),
  result_raw: `raw ${HOSTILE}`,
  exception: {
    exception: { error_name: HOSTILE, type: HOSTILE, message: HOSTILE, pynenc_error: true, data: null, value: null },
    resolved: null,
  },
  exception_raw: HOSTILE,
  workflow_role: "member",
  workflow: { workflow_id: HOSTILE, workflow_type_key: HOSTILE, parent_workflow_id: HOSTILE, is_subworkflow: true },
  parent: hostileRow,
  parent_event_id: HOSTILE,
  children: [hostileRow],
  children_count: 1,
  waits_for: [hostileRow],
  waited_by: [hostileRow],
  history: [
    entry({
      status: HOSTILE,
      status_runner_id: "other",
      runner: { ...hostileRunner, parent: hostileRunner },
      registered_by_inv_id: HOSTILE,
    }),
  ],
  notes: [HOSTILE],
});

function list(changes: Partial<InvocationsModel> = {}): InvocationsModel {
  return {
    invocations: [],
    page: EMPTY_PAGE,
    older: null,
    filter: { ...shownFilter(NO_FILTER) },
    timeline: null,
    notes: [],
    facets: [],
    sortable: false,
    choices: { statuses: [], task_id_keys: [], workflow_type_keys: [] },
    form: {},
    ...changes,
  };
}

const call: CallDetail = {
  call_id_key: `m.f:${HOSTILE}`,
  task_id_key: `m.${HOSTILE}`,
  module: HOSTILE,
  function: HOSTILE,
  arguments_id: HOSTILE,
  arguments: [],
  arguments_unreadable: HOSTILE,
  arguments_too_large: null,
  arguments_stored: true,
  invocations: [hostileRow],
  page: { ...EMPTY_PAGE, total: 1, first_row: 1, last_row: 1 },
};

const task: TaskDetail = {
  task: {
    task_id_key: "tasks.add",
    module: "tasks",
    function: "add",
    core: false,
    invocations_count: 0,
    statuses: [],
    triggers: 1,
    last_activity: null,
  },
  calls: [],
  calls_count: 0,
  calls_from: 0,
  invocations: [],
  lately: null,
  lately_note: null,
  page: EMPTY_PAGE,
  notes: [],
};

const run: WorkflowRunRow = {
  workflow_id: HOSTILE,
  workflow_type_key: HOSTILE,
  invocation: hostileRow,
  parent_workflow_id: HOSTILE,
  parent_workflow_type_key: HOSTILE,
  members_count: 1,
  members_capped: false,
  data_rows: 1,
};

const workflowRun: WorkflowRunDetail = {
  run,
  arguments: hostileInvocation.arguments,
  arguments_unreadable: null,
  arguments_too_large: null,
  result: hostileInvocation.result,
  result_raw: HOSTILE,
  exception: hostileInvocation.exception,
  exception_raw: HOSTILE,
  steps: [{ ...hostileRow, result: HOSTILE, starts_run: true, began_at: null }],
  steps_more: false,
  members: [{ ...hostileRow, invocation_id: `${HOSTILE}2`, result: HOSTILE, starts_run: true }],
  members_page: EMPTY_PAGE,
  sub_workflows: [run],
  data: [{ data_key: HOSTILE, purpose: null, value: shown(HOSTILE), invocation_id: null }],
  data_page: EMPTY_PAGE,
  timeline: null,
};

const hostileQuery = { task_id: [HOSTILE], id_prefix: [HOSTILE], runner: [HOSTILE] };

describe("hostile stored text is shown without markup or invisible characters in", () => {
  test.each([
    ["invocation", <InvocationContent key="" {...view(hostileInvocation)} />],
    ["invocation list", <InvocationsContent key="" {...view(list({ invocations: [hostileRow], notes: [HOSTILE] }))} />],
    [
      "invocation filters",
      <InvocationsHeader
        key=""
        {...view(list({ choices: { statuses: [], task_id_keys: [HOSTILE], workflow_type_keys: [HOSTILE] } }), {
          query: hostileQuery,
        })}
      />,
    ],
    ["call", <CallContent key="" {...view(call)} />],
    [
      "task list",
      <TasksContent
        key=""
        {...view({
          filter: { name: HOSTILE, sort: "name" },
          tasks: [{ ...task.task, task_id_key: HOSTILE, statuses: [{ status: HOSTILE, count: 1 }] }],
          total: 2,
          trends: {
            from: AT,
            to: AT,
            slice_seconds: 60,
            notes: [HOSTILE],
            rows: [{ task_id_key: HOSTILE, finished: [3, 1], failed: [2, 0] }],
            first_failures: [{ task_id_key: HOSTILE, at: AT }],
          },
          notes: [HOSTILE],
        })}
      />,
    ],
    ["workflow run", <WorkflowRunContent key="" {...view(workflowRun)} />],
    [
      "workflow runs",
      <WorkflowRunsContent key="" {...view({ workflow_type_key: HOSTILE, runs: [run], page: EMPTY_PAGE })} />,
    ],
    [
      "workflow types",
      <WorkflowTypesContent
        key=""
        {...view({
          types: [
            {
              workflow_type_key: HOSTILE,
              module: null,
              function: null,
              runs: 1,
              statuses: [{ status: HOSTILE, count: 1 }],
              latest: run,
            },
          ],
        })}
      />,
    ],
  ])("%s", (_name, node) => {
    const markup = html(node);
    expect(markup).not.toContain("<script");
    expect(dom(node).querySelector("script")).toBeNull();
    // What is read and pointed at; a form field gives back exactly what came.
    const titles = dom(node).querySelectorAll("[title], [aria-label]");
    const seen = [dom(node).text, ...titles.map((one) => one.getAttribute("title") ?? one.getAttribute("aria-label"))];
    for (const hidden of ["\u202e", "\u001b", "\0"]) expect(seen.join("\n").includes(hidden)).toBe(false);
    expect(markup).not.toMatch(/\sstyle=|\son\w+=/);
  });
});

describe("what may have been purged", () => {
  test("shows 'not known' instead of the owner and the later course of a forgotten invocation", () => {
    const forgotten = invocation({ status: "running", status_source: "history", retry_count: null });
    const words = text(<InvocationContent {...view(forgotten)} />);
    expect(words).toContain("whether it continued is not known");
    expect(words).toContain("Neither result nor exception is stored");
    expect(words).toContain("Retries not known");
    expect(words).toContain("Owner not known");
    const kept = text(
      <InvocationContent {...view(invocation({ status: "running", status_source: "orchestrator" }))} />,
    );
    expect(kept).not.toContain("Owner");
    expect(kept).not.toContain("Result");
  });

  test("is not suspected of a failure without an exception, which is said once", () => {
    const answer = { sentence: "It failed; pynenc recorded no exception.", details: [], label: null, invocation: null };
    const failed = invocation({ status: "failed", final: true, exception: null, result: null, answer });
    const words = text(<InvocationContent {...view(failed)} />);
    expect(words.split("recorded no exception")).toHaveLength(2);
    for (const absent of ["Neither result nor exception", "The state backend may have been purged"])
      expect(words).not.toContain(absent);
  });

  test("is mentioned on an empty list", () => {
    expect(text(<InvocationsContent {...view(list())} />)).toContain("earlier ones may have been purged");
    const filtered = text(<InvocationsContent {...view(list(), { query: { status: ["failed"] } })} />);
    expect(filtered).toContain("No invocation with a status was found.");
  });

  test.each([
    ["runner_dead", "Its runner is silent, and no other runner ends its run."],
    ["too_long", "It has been running for more than 5 min"],
  ] as const)("a service run is called stuck with the reason %s", (reason, words) => {
    expect(stuckWords(reason)).toContain(words);
  });

  test("is mentioned at a runner without a heartbeat", () => {
    const mark = dom(<FactValueView value={runnerState({ active: false, last_heartbeat: null })} />).querySelector(
      "[title]",
    );
    expect(mark?.getAttribute("title")).toContain("or it was purged");
  });
});

test("a task of a large store is shown as still being counted, without figures", () => {
  const many = Array.from({ length: 12 }, (_, n) => ({
    call_id_key: `tasks.add:${n}`,
    arguments_id: String(n),
    arguments_preview: `n=${n}`,
    invocations_count: 2,
    latest_invocation_id: ID,
  }));
  const counting = {
    ...task,
    task: { ...task.task, invocations_count: null },
    calls: many,
    calls_count: 12,
    calls_from: 500,
  };
  const page = dom(<TaskContent {...view({ ...counting, notes: ["Still counting."] })} />);
  const [failed, calls] = page.querySelectorAll("[data-fact]");
  expect(failed?.text).toBe("Failed, all time still being counted");
  expect(calls?.getAttribute("title")).toBe("Among the latest 500 invocations");
  expect(page.text).toContain("Still counting.");
  expect(page.text).toContain(
    "The latest 10 of them are listed. Collected from the latest 500 invocations; older ones may have made other calls.",
  );
  expect(page.querySelectorAll("#card-calls tbody tr")).toHaveLength(10);
});

describe("the column of finished invocations in the list of tasks", () => {
  const listed = { filter: { name: null, sort: "failing" as const }, tasks: [task.task], total: 1, notes: [] };
  const { task_id_key } = task.task;

  test("has the number and a small chart that link to statistics, also for a task that finished nothing", () => {
    const trends = {
      from: AT,
      to: AT,
      slice_seconds: 60,
      notes: ["Purged at noon."],
      rows: [{ task_id_key, finished: [3, 0, 1], failed: [2, 0, 0] }],
      first_failures: [{ task_id_key, at: AT }],
    };
    const link = dom(<TasksContent {...view({ ...listed, trends })} />).querySelector('a[href^="/stats/"]');
    expect(new URL(link?.getAttribute("href") ?? "", "http://m").searchParams.get("task_id")).toBe(task_id_key);
    expect(link?.querySelector("span")?.text).toBe("4");
    expect(link?.querySelector("svg")?.getAttribute("aria-label")).toBe("Last hour: 4 finished, 2 of them failed");
    const none = dom(<TasksContent {...view({ ...listed, trends: { ...trends, rows: [] } })} />);
    expect(none.text).toContain("Purged at noon.");
    const head = none.querySelectorAll("th").findIndex((cell) => cell.text === "Finished");
    expect(none.querySelectorAll("tbody tr > *")[head]?.querySelector("span")?.text).toBe("0");
  });

  test("is left out when the figures are not known", () => {
    expect(text(<TasksContent {...view({ ...listed, trends: null })} />)).not.toContain("1 h");
  });
});

describe("an empty page says why it is empty:", () => {
  test.each([
    [
      "tasks",
      <TasksContent
        key=""
        {...view({ filter: { name: null, sort: "failing" }, tasks: [], total: 0, trends: null, notes: [] })}
      />,
      "No task is stored",
    ],
    ["task", <TaskContent key="" {...view(task)} />, "A trigger starts this task"],
    ["invocations", <InvocationsContent key="" {...view(list())} />, "No invocation is stored"],
    [
      "filtered invocations",
      <InvocationsContent key="" {...view(list(), { query: { runner: ["x"] } })} />,
      "No invocations match",
    ],
    [
      "a page past the end",
      <InvocationsContent
        key=""
        {...view(list({ page: { ...EMPTY_PAGE, number: 9, total: 207 } }), { query: { page: ["9"] } })}
      />,
      "past the end of the list",
    ],
    ["workflow types", <WorkflowTypesContent key="" {...view({ types: [] })} />, "No workflow run is stored"],
    [
      "runs of a plain task",
      <WorkflowRunsContent key="" {...view({ workflow_type_key: "tasks.add", runs: [], page: EMPTY_PAGE })} />,
      "No workflow run of this task is stored",
    ],
    ["history", <InvocationContent key="" {...view(invocation())} />, "No history is stored"],
    [
      "purged call",
      <CallContent key="" {...view({ ...call, arguments_unreadable: null, arguments_stored: false })} />,
      "The arguments are not stored",
    ],
    [
      "purged definition",
      <InvocationContent key="" {...view(invocation({ arguments_id: null }))} />,
      "Parentnot stored",
    ],
  ])("%s", (_name, node, words) => {
    expect(text(node)).toContain(words);
  });
});

describe("the filters of invocations", () => {
  const query = {
    status: ["failed,success"],
    task_id: ["tasks.add"],
    range: ["1h"],
    inv_ids: ["a,b"],
    page: ["3"],
    limit: ["10"],
  };
  const base = list();
  const page = { ...EMPTY_PAGE, number: 3, total: 21 };
  const filter = { ...base.filter, statuses: ["failed", "success"], invocation_ids: ["a", "b"] };
  const model = list({ filter, page, form: query });
  const header = <InvocationsHeader {...view(model, { query })} />;

  test("have a field for every parameter but the page and the time range", () => {
    const names = new Set(
      dom(header)
        .querySelectorAll(".filter-form [name]")
        .map((field) => field.getAttribute("name") ?? ""),
    );
    expect([...names].sort()).toEqual(
      Object.keys(pagedInvocations)
        .filter((name) => !["page", "range", "from", "to"].includes(name))
        .sort(),
    );
  });

  test("have presets that are lengths of time", () => {
    const DAY = 86_400;
    expect(Object.keys(TIME_PRESETS).map(lengthOf)).toEqual([
      60,
      300,
      900,
      3_600,
      3 * 3_600,
      12 * 3_600,
      DAY,
      3 * DAY,
      7 * DAY,
    ]);
  });

  test("have chips that remove one filter, keep the others and return to the first page", () => {
    const chips = dom(header)
      .querySelectorAll(".chip")
      .map((chip) => [
        chip.text.replace("×", "").trim(),
        decodeURIComponent(chip.querySelector("a")?.getAttribute("href") ?? ""),
      ]);
    expect(chips).toEqual([
      ["Statusfailed", "/invocations/?status=success&task_id=tasks.add&range=1h&inv_ids=a,b&limit=10"],
      ["Statussuccess", "/invocations/?status=failed&task_id=tasks.add&range=1h&inv_ids=a,b&limit=10"],
      ["TimeLast hour", "/invocations/?status=failed,success&task_id=tasks.add&inv_ids=a,b&limit=10"],
      ["Tasktasks.add", "/invocations/?status=failed,success&range=1h&inv_ids=a,b&limit=10"],
      ["Only2 ids", "/invocations/?status=failed,success&task_id=tasks.add&range=1h&limit=10"],
    ]);
  });

  test("have no chip for the only status if that is marked among the statuses above the list", () => {
    const labels = (statuses: string[], stored: string[]) => {
      const filter = { ...shownFilter(NO_FILTER), statuses };
      const choices = {
        ...list().choices,
        statuses: stored.map((status) => ({ status, count: 2, final: true, known: true })),
      };
      const root = dom(<InvocationsHeader {...view(list({ filter, choices }), { query: { status: statuses } })} />);
      return root.querySelectorAll(".chip bdi").map((chip) => chip.text);
    };
    expect(labels(["failed"], ["failed", "success"])).toEqual([]);
    expect(labels(["failed"], ["success"])).toEqual(["failed"]);
    expect(labels(["failed", "success"], ["failed", "success"])).toEqual(["failed", "success"]);
  });

  test("have a chip for each term of the search text, and fields for those that fields can express", () => {
    const q = ['status:failed -task:"a b" x'];
    const searched = list({
      filter: { ...base.filter, statuses: ["failed"], query: ["status:failed", '-task:"a b"', "x"] },
      form: { status: ["failed"], q: ['-task:"a b" x'] },
    });
    const root = dom(<InvocationsHeader {...view(searched, { query: { q, limit: ["10"] } })} />);
    const chips = root
      .querySelectorAll(".chip")
      .map((chip) => decodeURIComponent(chip.querySelector("a")?.getAttribute("href") ?? ""));
    expect(chips).toEqual([
      '/invocations/?q=-task:"a b" x&limit=10',
      "/invocations/?q=status:failed x&limit=10",
      '/invocations/?q=status:failed -task:"a b"&limit=10',
    ]);
    expect(root.querySelector("input[name=q]")?.getAttribute("value")).toBe('-task:"a b" x');
    const chosen = root.querySelectorAll("input[name=status][checked]").map((box) => box.getAttribute("value"));
    expect(chosen).toEqual(["failed"]);
  });

  test("name below the search text the fields that a query has", () => {
    expect(SEARCH_FIELDS).toEqual(Object.keys(QUERY_FIELDS));
  });

  test("are kept by exports, comparisons and reruns, without page and size", () => {
    const links = dom(header)
      .querySelectorAll(".page-title .actions a")
      .map((a) => decodeURIComponent(a.getAttribute("href") ?? ""));
    expect(links).toEqual([
      "/invocations/export?status=failed,success&task_id=tasks.add&range=1h&inv_ids=a,b&format=csv",
      "/invocations/export?status=failed,success&task_id=tasks.add&range=1h&inv_ids=a,b&format=jsonl",
      "/compare/?status=failed,success&task_id=tasks.add&range=1h&inv_ids=a,b",
      "/invocations/rerun?status=failed,success&task_id=tasks.add&range=1h&inv_ids=a,b",
    ]);
  });

  test.each([
    ["all was searched", { total: 0, total_capped: false }, "0 invocations match", "No invocations match"],
    ["the search stopped", { total: null, total_capped: false }, "Invocations", "No match among those searched"],
    ["the search goes on", { total: 0, total_capped: true }, "Invocations", "No match among those searched"],
  ])("say of an empty list no more than is known: %s", (_name, place, title, words) => {
    const empty = list({ filter, page: { ...EMPTY_PAGE, ...place } });
    const node = dom(<InvocationsContent {...view(empty, { query: { q: ["error:x"] } })} />);
    expect(node.querySelector("h2")?.text).toBe(title);
    expect(node.text).toContain(words);
    expect(node.text.includes("None of the")).toBe(false);
  });

  test("offer no rerun when nothing matches", () => {
    const none = <InvocationsHeader {...view(list({ filter, page: EMPTY_PAGE }), { query })} />;
    const hrefs = dom(none)
      .querySelectorAll(".page-title .actions a")
      .map((a) => a.getAttribute("href"));
    expect(hrefs).toHaveLength(2);
    expect(hrefs.join(" ")).not.toContain("/rerun");
  });

  test("are kept by the pager", () => {
    const page = { ...EMPTY_PAGE, number: 2, total: 120, has_next: true, first_row: 51, last_row: 100 };
    const node = (
      <InvocationsContent
        {...view(list({ invocations: [row()], page }), { query: { runner: ["r/1"], page: ["2"] } })}
      />
    );
    const next = dom(node).querySelector(".pager a[rel=next]")?.getAttribute("href");
    expect(next).toBe("/invocations/?runner=r%2F1&page=3");
  });
});

describe("the counts above a list of invocations", () => {
  const facets: InvocationsModel["facets"] = (["status", "task", "exception"] as const).map((by) => ({
    by,
    groups: [
      { value: HOSTILE, query: `error:${HOSTILE}`, invocations: 3, latest_invocation_id: "a" },
      { value: null, query: null, invocations: 2, latest_invocation_id: "b" },
    ],
    groups_count: 2,
    invocations: 5,
    complete: by !== "exception",
    looked: 5,
    notes: by === "exception" ? ["Only the newest 5 matches were counted."] : [],
  }));

  test("link to their part of the list, within its other filters", () => {
    const node = <InvocationsContent {...view(list({ facets }), { query: { q: ["run>5s"], page: ["2"] } })} />;
    const counts = dom(node).querySelector(".facets");
    const queries = counts
      ?.querySelectorAll("a")
      .map((a) => new URL(a.getAttribute("href") ?? "", "http://x").searchParams);
    expect(queries?.map((query) => [...query])).toEqual([
      [
        ["q", "run>5s"],
        ["task_id", HOSTILE],
      ],
      [["q", `run>5s error:${HOSTILE}`]],
    ]);
    expect(counts?.querySelectorAll("dt").map((dt) => dt.text)).toEqual(["Task", "Exception"]);
    expect(text(node)).toContain("not stored");
    expect(text(node)).toContain("Only the newest 5 matches were counted.");
  });

  test("show the statuses of what matches as chips, each within the other filters, and drop the chosen one", () => {
    const chips = (query: Record<string, string[]>) =>
      dom(<InvocationsContent {...view(list({ facets }), { query })} />)
        .querySelectorAll(".status-link")
        .map((chip) => [chip.text, new URL(chip.getAttribute("href") ?? "", "http://x").searchParams.get("q")]);
    expect(chips({ q: ["run>5s"] })).toEqual([
      [expect.stringContaining("3"), "run>5s"],
      [expect.stringContaining("2"), "run>5s"],
    ]);
  });

  test("link a group only where that would change the list", () => {
    const titles = (query: Record<string, string[]>) =>
      dom(<InvocationsContent {...view(list({ facets }), { query })} />).querySelectorAll(".facets dt, .facets a")
        .length;
    expect(titles({})).toBe(4);
    expect(titles({ task_id: [HOSTILE] })).toBe(3);
    expect(dom(<InvocationsContent {...view(list())} />).querySelector(".facets")).toBeNull();
  });
});

describe("the page of an invocation", () => {
  test("does not repeat what a verdict on it says", () => {
    const answer = {
      sentence: "It waits.",
      details: ["Held since 1.", "Second in mail."],
      label: null,
      invocation: null,
    };
    const model = invocation({ answer });
    const verdicts: Verdict[] = [
      {
        ...{
          code: "held_by_concurrency",
          severity: "warning",
          sentence: "Held back",
          since: null,
          count: 1,
          evidence: [],
        },
        ...{ detail: "Held since 1. Its task limits it.", next: [], muted_until: null },
      },
    ];
    const details = (shown: typeof model & { verdicts?: Verdict[] }) =>
      dom(<InvocationContent {...view(shown)} />)
        .querySelectorAll(".answer p")
        .map((paragraph) => paragraph.text);
    expect(details(model)).toEqual(["It waits.", "Held since 1.", "Second in mail."]);
    expect(details({ ...model, verdicts })).toEqual(["It waits.", "Second in mail."]);
  });

  test("begins with what it waits for or why it failed, with a link, and so does its panel on the timeline", () => {
    const other = row({ invocation_id: "below", exception: { type: "KeyError", message: "no shelf" } });
    const answer = {
      sentence: "It failed with <b>.",
      details: [],
      label: "Root failure",
      invocation: other,
    };
    const failed = invocation({ status: "failed", answer });
    const panel = html(<InvocationPanel model={failed} readOnly />);
    for (const words of ["It failed with &lt;b>.", "Root failure: ", 'href="/invocations/below"', "KeyError: no shelf"])
      expect(panel).toContain(words);
    const page = html(<InvocationContent {...view(failed)} />);
    const text = page.indexOf("It failed with &lt;b>.");
    expect([text > 0, text < page.indexOf("Where the time went")]).toEqual([true, true]);
    expect(page).toContain('href="/invocations/below"');
    expect(page).toContain("KeyError: no shelf");
    expect(html(<InvocationContent {...view(invocation())} />)).not.toContain('class="notice');
  });

  test("describes impossible transitions, missing contexts and other owners in words", () => {
    const missing = {
      ...hostileRunner,
      runner_id: "gone",
      context_missing: true,
      runner_cls: null,
      hostname: null,
      pid: null,
      thread_id: null,
    };
    const history = [
      entry({ status: "running", possible: false, runner: missing, status_runner_id: "gone", owner_runner_id: "gone" }),
      entry({ status: "success", since_previous_seconds: -2, runner: null, owner_runner_id: "other" }),
    ];
    const words = text(<InvocationContent {...view(invocation({ history }))} />);
    expect(words).toContain("impossible transition");
    expect(words).toContain("context missing");
    expect(words).toContain("same");
    expect(words).toContain("−2 s (clock skew)");
    expect(words).toContain("unknown");
  });

  test("says of each status how long it lasted, not how long the one before it did", () => {
    const history = [
      entry({ status: "running" }),
      entry({ status: "paused", since_previous_seconds: 0.27 }),
      entry({ status: "resumed", since_previous_seconds: 3.5 }),
      entry({ status: "success", since_previous_seconds: 0.088 }),
    ];
    const lasted = (gap: InvocationDetail["history_gap"]) =>
      dom(<InvocationContent {...view(invocation({ history, history_gap: gap }))} />)
        .querySelectorAll("#history tbody tr")
        .map((one) => one.querySelector("td[data-label='Lasted']")?.text.trim() ?? "");
    expect(lasted(null)).toEqual(["270 ms", "3.5 s", "88 ms", "–"]);
    history[0] = entry({ status: "running", dead_from: "2026-11-21T00:34:42.000000+00:00" });
    expect(lasted(null)[0]).toBe("270 ms1 s of it silent");
    // What follows an entry before a gap is not shown.
    expect(lasted({ after: 2, entries: 10 })[1]).toBe("–");
  });

  test("does not show who registered as the owner, and marks an entry that was written much later", () => {
    const [first, second] = ["2026-11-21T00:34:43.000000+00:00", "2026-11-21T00:34:43.270000+00:00"];
    const registered = entry({ runner: { ...hostileRunner, runner_id: "client" }, status_runner_id: "client" });
    const late = entry({ status: "pending", timestamp: first, written_at: second, possible: true });
    const rows = dom(<InvocationContent {...view(invocation({ history: [registered, late] }))} />).querySelectorAll(
      "#history tbody tr",
    );
    expect(rows.map((one) => one.querySelectorAll("td[data-label='Owner after']").length)).toEqual([0, 0]);
    expect(rows[1]?.text).toContain("written 270 ms later");
    expect(rows[0]?.text).not.toContain("later");
  });

  const failed = (more: Partial<InvocationDetail>) =>
    invocation({
      status: "failed",
      final: true,
      exception: {
        exception: {
          error_name: "Declined",
          type: "shop.Declined",
          message: "no money",
          pynenc_error: false,
          value: null,
        },
        resolved: null,
      },
      answer: {
        sentence: "It failed with Declined: no money",
        details: ["It is one of 4 failures."],
        label: null,
        invocation: null,
      },
      ...more,
    } as Partial<InvocationDetail>);

  test("says once why it failed, before its arguments", () => {
    const page = dom(<InvocationContent {...view(failed({}))} />);
    expect(
      page
        .querySelectorAll(".card-header h2")
        .map((title) => title.text)
        .slice(0, 2),
    ).toEqual(["Exception", "Arguments"]);
    expect(page.text.split("no money")).toHaveLength(2);
    expect(page.querySelector("#card-exception")?.text).toContain("It is one of 4 failures.");
  });

  test("says what the answer is in a notice where no exception is stored", () => {
    const page = dom(<InvocationContent {...view(failed({ exception: null }))} />);
    expect(page.querySelector(".notice.answer")?.text).toContain("It failed with Declined: no money");
  });

  test("says that triggers are not recorded only in a store that does not record them", () => {
    const words = (events_recorded: boolean) => text(<InvocationContent {...view(invocation({ events_recorded }))} />);
    expect(words(false)).toContain("pynenc records events and trigger runs since 0.2.4");
    expect(words(true)).not.toContain("trigger runs");
  });

  test("has the raw result in a closed section", () => {
    const model = invocation({ status: "success", final: true, result: shown("42"), result_raw: '{"py/int":42}' });
    const raw = dom(<InvocationContent {...view(model)} />).querySelector("details.raw");
    expect(raw?.hasAttribute("open")).toBe(false);
    expect(raw?.text).toContain('{"py/int":42}');
  });

  test("links every related id", () => {
    const model = invocation({
      parent: row({ invocation_id: "p" }),
      waits_for: [row({ invocation_id: "w" })],
      waited_by: [row({ invocation_id: "h" })],
      children: [row({ invocation_id: "c" })],
      children_count: 60,
      parent_event_id: "e",
      workflow: { workflow_id: "f", workflow_type_key: "t.y", parent_workflow_id: "g", is_subworkflow: true },
      workflow_role: "member",
    });
    const root = dom(<InvocationContent {...view(model)} />);
    const hrefs = root.querySelectorAll("a").map((a) => a.getAttribute("href"));
    for (const id of ["p", "w", "h", "c"]) expect(hrefs).toContain(`/invocations/${id}`);
    expect(hrefs).toEqual(expect.arrayContaining(["/workflows/runs/f", "/workflows/runs/g", "/workflows/t.y"]));
    expect(hrefs).toContain(`/invocations/?parent=${ID}`);
    expect(root.text).toContain("All 60");
  });
});

describe("parts of pages", () => {
  test("a table has the id last, leaves out hidden columns and empty retries, and marks invocations that only the history has", () => {
    const rows = [
      row({ status_source: "history", retry_count: 0 }),
      row({ status: "unknown", status_source: "none", task_id_key: null, retry_count: null }),
    ];
    const table = (invocations: typeof rows) => (
      <InvocationTable invocations={invocations} caption="c" empty={null} hide={["task_id_key"]} />
    );
    const node = table(rows);
    const heads = (node: ReturnType<typeof table>) =>
      dom(node)
        .querySelectorAll("thead th")
        .map((th) => th.text);
    expect(heads(node)).toEqual(["Status", "Details", "Registered", "Duration", "Invocation"]);
    expect(heads(table([...rows, row({ retry_count: 1 })]))).toContain("Retries");
    expect(text(node)).toContain("from history");
    expect(text(node)).toContain("not stored");
  });

  test("the bar of phases has no broken numbers for disagreeing clocks or an empty history", () => {
    const phases = [
      { phase: "queued", duration_seconds: -1, stretches: 1, ongoing: false },
      { phase: "running", duration_seconds: 0, stretches: 2, ongoing: true },
    ] as const;
    expect(html(<PhaseBar phases={[...phases]} />)).not.toContain("NaN");
    expect(text(<PhaseBar phases={[...phases]} />)).toContain("2 times · ongoing");
    expect(html(<PhaseBar phases={[]} />)).not.toContain("NaN");
  });

  test("a short value takes one line, and a dangling reference is explained", () => {
    expect(dom(<ShownValueView value={shown("42")} />).querySelector(".value-short")).not.toBeNull();
    const reference = `__pynenc__client_data__:${"a".repeat(64)}`;
    const dangling = shown(reference, { dangling: true });
    const node = (
      <ShownValueView value={{ ...dangling, stored: { ...dangling.stored, form: "reference", reference } }} />
    );
    expect(text(node)).toContain("not in this store");
  });
});

describe("column heads of a list of invocations", () => {
  const heads = (query: Record<string, string[]>, sortable = true) => {
    const model = list({ invocations: [hostileRow], sortable });
    const node = dom(<InvocationsContent {...view(model, { query })} />);
    return [...node.querySelectorAll("thead th")].map((head) => [
      head.text,
      head.getAttribute("aria-sort") ?? null,
      head.querySelector("a")?.getAttribute("href") ?? null,
    ]);
  };

  test("sort it descending, then ascending, then not at all", () => {
    const href = (sort: string | null) => `/invocations/?status=failed${sort === null ? "" : `&sort=${sort}`}`;
    const given = { status: ["failed"], page: ["2"] };
    expect(heads(given)).toContainEqual(["Duration", null, href("-duration_seconds")]);
    const down = heads({ ...given, sort: ["-duration_seconds"] });
    expect(down).toContainEqual(["Duration", "descending", href("duration_seconds")]);
    expect(down).toContainEqual(["Status", null, href("-status")]);
    expect(heads({ ...given, sort: ["duration_seconds"] })).toContainEqual(["Duration", "ascending", href(null)]);
    expect(heads(given)).toContainEqual(["Invocation", null, null]);
  });

  test("include the column by which the list is sorted, even if it is not a usual one", () => {
    expect(heads({ sort: ["-status_at"] })).toContainEqual(["Changed", "descending", "/invocations/?sort=status_at"]);
    expect(heads({}).map(([label]) => label)).not.toContain("Changed");
  });

  test("are not links where the list cannot be sorted", () => {
    expect(
      heads({}, false)
        .map(([, , href]) => href)
        .filter(Boolean),
    ).toEqual([]);
    expect(heads({})).toContainEqual(["Task", null, "/invocations/?sort=-task_id_key"]);
  });
});

test("the page of a task counts dropped invocations among the finished ones, as statistics do", () => {
  const statuses = [
    { status: "success", count: 2 },
    { status: "failed", count: 1 },
    { status: "concurrency_controlled_final", count: 1 },
    { status: "running", count: 5 },
  ];
  const page = dom(<TaskContent {...view({ ...task, task: { ...task.task, invocations_count: 9, statuses } })} />);
  expect(page.querySelector('[data-fact="failed"]')?.text).toBe("Failed, all time 1, 25 % of 4 finished");
});

test("the page of a task lists its calls only if each was made twice or more on average", () => {
  const cards = (invocations_count: number) => {
    const call = {
      call_id_key: "tasks.add:a1",
      arguments_id: "a1",
      arguments_preview: "",
      invocations_count,
      latest_invocation_id: ID,
    };
    const counts = { calls_count: 1, calls_from: invocations_count };
    return dom(<TaskContent {...view({ ...task, calls: [call], ...counts })} />)
      .querySelectorAll(".card h2")
      .filter(({ text }) => text.startsWith("Calls"));
  };
  expect([cards(1).length, cards(2).length]).toEqual([0, 1]);
});

test("the page of a task links to the timeline of its latest hour and shows the load of it, if it was ever active", () => {
  const active = { ...task, task: { ...task.task, last_activity: "2026-11-21T10:30:00.000000+00:00" } };
  const drawn = dom(<TaskContent {...view(active)} />);
  const hour = "start_date=2026-11-21T09%3A30%3A00.000&end_date=2026-11-21T10%3A30%3A00.000&task_id=";
  const link = drawn.querySelectorAll("a.button").find((one) => one.text.trim() === "Timeline");
  for (const address of [link?.getAttribute("href"), drawn.querySelector("[data-lazy]")?.getAttribute("data-lazy")]) {
    expect(address).toContain(hour);
    expect(address).toContain("&group=task");
  }
  expect(drawn.text).toMatch(/Load of its last active hour, 2026-11-21 09:30 to 10:30/);
  const never = dom(<TaskContent {...view({ ...task, task: { ...task.task, last_activity: null } })} />);
  expect(never.querySelector("[data-lazy]")).toBeNull();
});

test("the page of a workflow run links to its timeline and shows its load, if it has times", () => {
  const timeline = { start_date: AT, end_date: AT, inv_ids: ID };
  const drawn = dom(<WorkflowRunContent {...view({ ...workflowRun, timeline })} />);
  const link = drawn.querySelectorAll("a.button").find((one) => one.text.trim() === "Timeline");
  expect(link?.getAttribute("href")).toContain("&workflow_id=");
  expect(link?.getAttribute("href")).not.toContain("inv_ids");
  expect(drawn.querySelector("[data-lazy]")?.getAttribute("data-lazy")).toContain(`inv_ids=${ID}`);
  const without = dom(<WorkflowRunContent {...view(workflowRun)} />);
  expect(without.querySelector("[data-lazy]")).toBeNull();
});
