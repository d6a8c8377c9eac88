import type { VNode } from "preact";
import { describe, expect, test } from "vitest";
import type {
  BrokerOverview,
  ClientDataOverview,
  OrchestratorOverview,
  QueuePage,
  StateBackendOverview,
  StoreReport,
} from "../../../src/api/components.ts";
import type { Dashboard, QueueHealth } from "../../../src/api/health.ts";
import type { PageInfo, SettingRow } from "../../../src/api/model/common.ts";
import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import type { QueuedInvocation } from "../../../src/api/model/queued-invocations.ts";
import type { RunnerDetail, RunnerList, RunnerRow } from "../../../src/api/runners.ts";
import type { FailureGroup, Recent, StatsFigures } from "../../../src/api/stats.ts";
import type { Evidence, Verdict } from "../../../src/api/verdicts.ts";
import { QUEUE_STATES } from "../../../src/presentation/text.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { displayValue } from "../../../src/pynenc/values.ts";
import { Verdicts, VerdictsHere } from "../../../templates/fragments/health/verdicts.tsx";
import { Lately } from "../../../templates/fragments/stats/lately.tsx";
import { amount, Settings, SettingsTable } from "../../../templates/fragments/ui/settings-table.tsx";
import { BrokerContent } from "../../../templates/pages/broker.tsx";
import { ClientDataContent, ClientDataHeader } from "../../../templates/pages/client-data-store.tsx";
import { DashboardContent, type OverviewPage } from "../../../templates/pages/dashboard.tsx";
import { OrchestratorContent } from "../../../templates/pages/orchestrator.tsx";
import { QueueContent } from "../../../templates/pages/queue.tsx";
import { RunnerContent } from "../../../templates/pages/runner.tsx";
import { RunnersContent, RunnersHeader } from "../../../templates/pages/runners.tsx";
import { StateBackendContent } from "../../../templates/pages/state-backend.tsx";
import { StoreContent } from "../../../templates/pages/store.tsx";
import type { View } from "../../../templates/pages/view.ts";
import { dom, HOSTILE, html, text } from "../render.tsx";

const AT = "2026-11-21T00:37:09.000000+00:00";

function view<Model>(model: Model, query: View<Model>["query"] = {}): View<Model> {
  return { model, path: "/p", query, now: AT, readOnly: false };
}

function page(changes: Partial<PageInfo> = {}): PageInfo {
  return { number: 1, size: 50, total: 0, total_capped: false, has_next: false, first_row: 0, last_row: 0, ...changes };
}

function setting(changes: Partial<SettingRow> = {}): SettingRow {
  const row = { field: "f", value: "1", unit: null, meaning: "m", origin: "default", warning: null };
  return { ...row, ...changes };
}

function invocation(changes: Partial<InvocationRow> = {}): InvocationRow {
  return {
    invocation_id: "i1",
    task_id_key: "m.f",
    call_id_key: "m.f:x",
    status: "running",
    status_source: "orchestrator",
    final: false,
    retry_count: 0,
    registered_at: AT,
    status_at: AT,
    duration_seconds: null,
    owner_runner_id: null,
    parent_invocation_id: null,
    workflow_id: null,
    arguments: null,
    exception: null,
    ...changes,
  };
}

function queued(changes: Partial<QueuedInvocation> = {}): QueuedInvocation {
  const place = { queue_name: null, priority: null, place: 1 };
  return { ...invocation({ status: "registered" }), ...place, queued_at: AT, queued_seconds: 1, ...changes };
}

function queueHealth(changes: Partial<QueueHealth> = {}): QueueHealth {
  return {
    queue_name: null,
    messages: 0,
    waiting: 0,
    finished: 0,
    oldest_queued_at: null,
    oldest_seconds: null,
    active_consumers: 0,
    declared: null,
    health: "not_consumed",
    ...changes,
  };
}

function queuePage(changes: Partial<QueuePage> = {}): QueuePage {
  const none = { at: null, queue: null, queues: [queueHealth()], more_queues: 0, messages: [] };
  const known = { present: true, queue_peek: true, named_queues: false, queue_note: null, queues_complete: true };
  return { ...known, ...none, page: page(), ...changes };
}

function runnerRow(changes: Partial<RunnerRow> = {}): RunnerRow {
  return {
    runner_id: "r1",
    name: {
      runner_id: "r1",
      context_missing: false,
      runner_cls: "ThreadRunner",
      hostname: "vm",
      pid: 7,
      thread_id: 8,
      parent: null,
    },
    active: true,
    created_at: AT,
    last_heartbeat: AT,
    age_seconds: 0,
    silent_seconds: 1,
    atomic_service_eligible: true,
    consumed_queues: null,
    ...changes,
  };
}

const totals = { invocations: 0, with_status: 0, defined: 0, forgotten: 0, complete: true };

const dashboard: Dashboard = {
  app_id: "shop",
  location: "/srv/p.db",
  layout: { label: "0.2.0 to 0.2.3", evidence: [], trigger_schema: null, unknown_tables: [], gaps: [] },
  writes_refused: null,
  overview: {
    ...{ queued_messages: 0, active_runners: 0, known_runners: 0, known_runners_capped: false },
    ...{ registered_tasks: 0, queues: [], more_queues: 0, named_queues: false, queue_note: null, ...totals },
  },
  statuses: STATUSES.map(({ name, final, known }) => ({ status: name, count: 0, final, known })),
  events: null,
  components: [{ component: "trigger", configured_class: "MemTrigger", origin: "default", present: true }],
  settings: [],
  verdicts: [],
  not_looked_at: [],
  newest: [],
  newest_note: null,
  range: { from: AT, to: AT },
  recent: null,
  recent_note: null,
};

const store: StoreReport = {
  app_id: "shop",
  location: "/srv/p.db",
  layout: dashboard.layout,
  writes_refused: null,
  components: [{ component: "trigger", configured_class: "MemTrigger", origin: "default", present: true }],
  settings: [],
  figures: [],
  loads: [],
  oldest_entry: null,
  newest_entry: null,
};

const broker: BrokerOverview = {
  settings: [],
  present: true,
  queue_peek: true,
  queue_shared: false,
  named_queues: false,
  queue_note: null,
  queues_complete: true,
  messages: 0,
  queues: [queueHealth()],
  more_queues: 0,
  waiting: 0,
  oldest_queued_at: null,
  oldest_seconds: null,
  active_runners: 0,
  next: [],
  lately: null,
  lately_note: null,
};

const orchestrator: OrchestratorOverview = {
  present: true,
  statuses: [],
  totals: { ...totals, invocations: 2, with_status: 2 },
  runners: { active: 0, eligible_for_atomic_service: 0, known: 0, callers: 0, known_capped: false },
  blocking: [],
  blocking_count: 0,
  stale_blocking: [],
  stale_blocking_count: 0,
  blocking_complete: true,
  stuck_after: { pending: "5 s (max_pending_seconds)", running: "10 m 00 s (runner_considered_dead_after_minutes)" },
  recovery: { pending: [], running: [] },
  atomic_service_executions: {},
  settings: [setting({ field: "max_pending_seconds", value: "5", unit: "seconds" })],
  crons: { pending: "Every 5 minutes", running: HOSTILE },
};

const silence = { allowed_seconds: 600, told_by: "default" as const, setting_seconds: 600, recovery: null };

const runners: RunnerList = {
  busy: null,
  held: null,
  idle_since: null,
  scope: "active",
  runners: [],
  silent: [],
  page: page(),
  active: 0,
  known: 0,
  callers: 0,
  known_capped: false,
  silence,
  settings: [],
};

const runner: RunnerDetail = {
  runner: runnerRow(),
  held: null,
  idle_since: null,
  thread_id: 8,
  parent: null,
  children: [],
  children_truncated: false,
  invocations: [],
  invocations_note: null,
  registered: [],
  registered_note: null,
  timeline: null,
  silence,
  service_runs: [],
  last_service: null,
  lately: null,
  lately_note: null,
};

const stateBackend: StateBackendOverview = {
  present: true,
  location: "/srv/p.db",
  figures: [],
  loads: [],
  oldest_entry: null,
  newest_entry: null,
  totals,
  app_info: null,
  settings: [],
};

const clientData: ClientDataOverview = {
  present: true,
  values: 0,
  bytes: 0,
  oldest: null,
  newest: null,
  rows: [],
  page: page(),
  looked_up: null,
  settings: [],
};

const verdict: Verdict = {
  code: "stuck_pending",
  severity: "warning",
  sentence: HOSTILE,
  detail: HOSTILE,
  since: "2026-01-05T12:00:00.000000+00:00",
  evidence: [{ kind: "invocation", id: HOSTILE, role: HOSTILE }],
  count: 1,
  next: [{ label: "Queue", path: "/broker/queue", command: HOSTILE }],
  muted_until: null,
};

const hostileName = {
  runner_id: HOSTILE,
  context_missing: true,
  runner_cls: HOSTILE,
  hostname: HOSTILE,
  pid: 1,
  thread_id: 1,
  parent: null,
};
const hostileRunner = runnerRow({ runner_id: HOSTILE, name: { ...hostileName, parent: hostileName } });
const hostileInvocation = invocation({ invocation_id: HOSTILE, task_id_key: `m.${HOSTILE}`, status: HOSTILE });
const hostileSetting = setting({ field: HOSTILE, value: HOSTILE, meaning: HOSTILE, origin: HOSTILE, warning: HOSTILE });

test("figures that were not read in time keep their places, and the page says so and asks for them again", () => {
  const some = { ...dashboard, overview: { ...dashboard.overview, invocations: 1 } };
  const unread = dom(<DashboardContent {...view({ ...some, recent_note: "Still being read." })} />);
  const labels = (page: typeof unread) => page.querySelectorAll(".figure-label").map((label) => label.text);
  expect(labels(unread)).toEqual(["Failed", "Throughput", "Wait p95", "Queue", "Runners"]);
  expect(unread.querySelector("#card-failures-by-group [data-unread]")?.text).toBe("Still being read.");
  const charts = ["finished"] as const;
  const lately = (lately_note: string | null) => <Lately model={{ lately: null, lately_note }} charts={charts} />;
  expect(dom(lately("Still being read.")).querySelector(".card [data-unread]")?.text).toBe("Still being read.");
  // Without figures over time there is nothing to wait for.
  expect(labels(dom(<DashboardContent {...view(some)} />))).toEqual(["Queue", "Runners"]);
  expect(html(lately(null))).toBe("");
});

describe("hostile stored text is shown without markup or invisible characters in", () => {
  test.each<[string, VNode]>([
    [
      "dashboard",
      <DashboardContent
        key=""
        {...view<Dashboard>({
          ...dashboard,
          app_id: HOSTILE,
          location: HOSTILE,
          layout: { ...dashboard.layout, label: HOSTILE },
          statuses: [{ status: HOSTILE, count: 1, final: false, known: false }],
          verdicts: [verdict],
          recent_note: HOSTILE,
        })}
      />,
    ],
    [
      "store",
      <StoreContent
        key=""
        {...view<StoreReport>({
          app_id: HOSTILE,
          location: HOSTILE,
          layout: {
            label: HOSTILE,
            evidence: [HOSTILE],
            trigger_schema: 3,
            unknown_tables: [HOSTILE],
            gaps: [HOSTILE],
          },
          writes_refused: HOSTILE,
          components: [{ component: "broker", configured_class: HOSTILE, origin: HOSTILE, present: false }],
          settings: [hostileSetting],
          figures: [{ name: HOSTILE, component: "broker", rows: 1, exact: true, bytes: 1 }],
          loads: [],
          oldest_entry: AT,
          newest_entry: AT,
        })}
      />,
    ],
    ["broker", <BrokerContent key="" {...view({ ...broker, next: [queued(hostileInvocation)] })} />],
    [
      "queue",
      <QueueContent
        key=""
        {...view(
          queuePage({
            named_queues: true,
            queue: HOSTILE,
            queues: [queueHealth({ queue_name: HOSTILE })],
            messages: [queued({ ...hostileInvocation, queue_name: HOSTILE, priority: 1 })],
          }),
        )}
      />,
    ],
    [
      "orchestrator",
      <OrchestratorContent
        key=""
        {...view<OrchestratorOverview>({
          ...orchestrator,
          blocking: [{ waiter: hostileInvocation, waited: hostileInvocation }],
          recovery: { pending: [hostileInvocation], running: [hostileInvocation] },
          atomic_service_executions: { [HOSTILE]: 1 },
        })}
      />,
    ],
    ["runners", <RunnersContent key="" {...view({ ...runners, scope: "all" as const, runners: [hostileRunner] })} />],
    [
      "runner",
      <RunnerContent
        key=""
        {...view<RunnerDetail>({
          ...runner,
          runner: hostileRunner,
          parent: hostileRunner,
          children: [hostileRunner],
          invocations: [hostileInvocation],
          invocations_note: HOSTILE,
          service_runs: [
            {
              atomic_service_run_id: HOSTILE,
              start_time: AT,
              end_time: null,
              duration_seconds: null,
              status: HOSTILE,
              reason: HOSTILE,
            },
          ],
        })}
      />,
    ],
    [
      "state backend",
      <StateBackendContent
        key=""
        {...view<StateBackendOverview>({
          ...stateBackend,
          figures: [{ name: HOSTILE, component: "state_backend", rows: 1, exact: true, bytes: null }],
          loads: [{ location: HOSTILE, commands: 1, bytes: 1, most_commands: 1, most_bytes: 1 }],
          app_info: { [HOSTILE]: HOSTILE, config_values: { [HOSTILE]: HOSTILE } },
        })}
      />,
    ],
    [
      "client data",
      <ClientDataContent
        key=""
        {...view<ClientDataOverview>({
          ...clientData,
          rows: [{ data_key: HOSTILE, size: 1, stored_at: AT }],
          looked_up: {
            data_key: HOSTILE,
            size: 1,
            stored_at: AT,
            value: { form: "text", text: HOSTILE, truncated: false, size: 1, note: HOSTILE, reference: null },
          },
        })}
      />,
    ],
    ["client data header", <ClientDataHeader key="" {...view(clientData, { reference: [HOSTILE] })} />],
  ])("%s", (name, node) => {
    const markup = html(node);
    expect(markup).not.toContain("<script");
    expect(markup).not.toMatch(/\sstyle=/);
    expect(dom(node).text).not.toMatch(/[^\P{Cc}\n\t]|\p{Cf}/u);
    if (name !== "client data header") expect(dom(node).text).toContain("⟨U+202E⟩");
  });
});

describe("Verdicts", () => {
  const some = (ids: readonly string[], kind: Evidence["kind"] = "invocation") =>
    ids.map((id): Evidence => ({ kind, id, role: null }));

  test("show nothing when nothing is wrong", () => {
    expect(html(<Verdicts verdicts={[]} />)).toBe("");
    const some = { ...dashboard, overview: { ...dashboard.overview, invocations: 1 } };
    const green = dom(<DashboardContent {...view(some)} />).querySelector(".mark-good");
    expect(green?.text).toBe("Nothing looks wrong");
  });

  test("are not declared absent in green when something was not checked, which is listed", () => {
    const not_looked_at = ["long runs: the history has not been read", "schedules: no triggers"];
    const some = { ...dashboard, overview: { ...dashboard.overview, invocations: 1 } };
    const page = dom(<DashboardContent {...view({ ...some, not_looked_at })} />);
    expect(page.querySelector(".mark-good")).toBeNull();
    expect(page.querySelector(".mark")?.text).toBe("Nothing looks wrong in what was checked");
    const missing = "Not checked: long runs: the history has not been read; and 1 moreschedules: no triggers.";
    expect(page.text).toContain(missing);
    expect(text(<VerdictsHere of={{ verdicts: [], not_looked_at }} />)).toBe(missing);
    const one = { verdicts: [], not_looked_at: ["schedules: no triggers"] };
    expect(text(<VerdictsHere of={one} />)).toBe("Not checked: schedules: no triggers.");
  });

  test("show severity, title and beginning in one line each, in the given order", () => {
    const late = { ...verdict, sentence: "late", evidence: [], since: null };
    const list = dom(<Verdicts verdicts={[{ ...verdict, severity: "error", sentence: "nobody" }, late]} />);
    expect(list.querySelectorAll(".verdict summary").map((line) => line.text)).toEqual([
      "Errornobodysince 2026-01-05 12:00",
      "Warninglate",
    ]);
    expect(list.querySelector(".verdict time")?.getAttribute("data-relative")).toBe("for");
  });

  test("have evidence and further actions folded, and the first action beside the fold", () => {
    const next = ["Show invocation", "Recovery", "Mute …"].map((label) => ({
      label,
      path: `/${label}`,
      command: null,
    }));
    const one = dom(<Verdicts verdicts={[{ ...verdict, next }]} />).querySelector(".verdict");
    expect(one?.querySelector("details")?.hasAttribute("open")).toBe(false);
    expect(one?.querySelectorAll("details .verdict-links a").map((link) => link.text)).toEqual(["Recovery", "Mute …"]);
    expect(one?.querySelectorAll("summary a, summary button")).toEqual([]);
    expect(one?.querySelector(":scope > .verdict-action")?.text).toBe("Show invocation");
    const opened = dom(<Verdicts verdicts={[verdict]} open />).querySelector(".verdict details");
    expect(opened?.hasAttribute("open")).toBe(true);
  });

  test("on the page of a thing have no action that leads to this page", () => {
    const next = ["/invocations/a", "/orchestrator/"].map((path) => ({ label: path, path, command: null }));
    const here = dom(<VerdictsHere of={{ verdicts: [{ ...verdict, next }] }} at="/invocations/a" />);
    expect(here.querySelector(".verdict-action")?.getAttribute("href")).toBe("/orchestrator/");
    expect(here.querySelectorAll('a[href="/invocations/a"]')).toEqual([]);
  });

  test("are at most five, then folded with their number, and muted ones apart", () => {
    const named = (from: number, to: number, muted_until: string | null) =>
      Array.from({ length: to - from }, (_, i) => ({ ...verdict, sentence: `v${from + i}`, muted_until }));
    const list = dom(<Verdicts verdicts={[...named(0, 8, null), ...named(8, 9, AT)]} />);
    expect(list.querySelectorAll(".verdicts > ul > .verdict strong").map((one) => one.text)).toHaveLength(5);
    expect(list.querySelector(".verdicts-more > summary")?.text).toBe("3 more");
    expect(list.querySelectorAll(".verdicts-more strong").map((one) => one.text)).toEqual(["v5", "v6", "v7"]);
    expect(list.querySelector(".verdicts-muted > summary")?.text).toBe("1 muted");
  });

  test("keep their element when other invocations are concerned, and have one for each task", () => {
    const idOf = (changes: Partial<Verdict>) =>
      dom(<Verdicts verdicts={[{ ...verdict, ...changes }]} />).querySelector(".verdict")?.id;
    expect(idOf({ evidence: some(["b"]) })).toBe(idOf({ evidence: some(["a"]) }));
    expect(idOf({ evidence: some(["b"], "task") })).not.toBe(idOf({ evidence: some(["a"], "task") }));
    expect(idOf({ evidence: some([HOSTILE], "task") })).toMatch(/^[\w.:-]+$/);
  });

  test("count the evidence that is not listed", () => {
    const evidenceOf = (evidence: Evidence[], count: number) =>
      dom(<Verdicts verdicts={[{ ...verdict, evidence, count }]} />).querySelector(".verdict-evidence")?.text;
    // Six messages wait in three queues.
    expect(evidenceOf(some(["mail", "orders", "reports"], "queue"), 6)).not.toContain("more");
    const named = (length: number) => some(Array.from({ length }, (_, n) => `i${n}`));
    expect(evidenceOf(named(4), 4)).not.toContain("more");
    expect(evidenceOf(named(100), 100)).toContain("and 96 more");
    // No verdict names more than a hundred of a kind.
    expect(evidenceOf(named(100), 250)).toContain("and at least 96 more");
  });

  test("list some of the evidence, count the rest, and link to each piece and to the next steps", () => {
    const next = ["/invocations/?inv_ids=a", "/runners/"].map((path) => ({ label: path, path, command: null }));
    const evidence = [...some(["a", "b", "c"]), ...some(["r"], "runner"), ...some(["e", "f"])];
    const list = dom(<Verdicts verdicts={[{ ...verdict, evidence, count: 9, next }]} />);
    const hrefs = list.querySelectorAll(".verdict-evidence a").map((link) => link.getAttribute("href"));
    expect(hrefs).toEqual(["/invocations/a", "/invocations/b", "/invocations/c", "/runners/r"]);
    expect(list.querySelector(".verdict-evidence")?.text).toContain("and at least 2 more");
    expect(list.querySelector(".verdict-action")?.getAttribute("href")).toBe("/invocations/?inv_ids=a");
    expect(list.querySelector(".verdict-links a")?.getAttribute("href")).toBe("/runners/");
  });
});

describe("DashboardContent", () => {
  const some: Dashboard = {
    ...dashboard,
    overview: { ...dashboard.overview, invocations: 7, active_runners: 3, queued_messages: 2 },
  };
  const figures = (model: OverviewPage) =>
    dom(<DashboardContent {...view(model)} />)
      .querySelectorAll(".figure")
      .map((one) => [...one.querySelectorAll(":scope > *").map((part) => part.text.trim()), one.getAttribute("href")]);
  const total: StatsFigures = {
    ...{ registered: 9, started: 9, finished: 8, failed: 4, retries: 30, reroutes: 0, killed: 0, failed_share: 0.5 },
    ...{ per_minute: 4, busy_seconds: 9, paused_seconds: 0 },
    wait: { count: 9, p50_seconds: 0.5, p95_seconds: 3, p99_seconds: 4, max_seconds: 5 },
    run: { count: 9, p50_seconds: 1, p95_seconds: 2, p99_seconds: 3, max_seconds: 4 },
  };
  const slice = {
    registered: 1,
    finished: 4,
    failed: 2,
    retries: 15,
    wait_p95_seconds: 3,
    run_p50_seconds: 1,
    run_p95_seconds: 2,
  };
  const group: FailureGroup = {
    ...{ task_id_key: "shop.pay", type: "Declined", message: "no", query: "exception:Declined", count: 4 },
    ...{
      failed: 4,
      retries: 0,
      tasks: ["shop.pay"],
      causes: 1,
      other_messages: false,
      share: 1,
      trend: [2, 2],
      last_seen: AT,
    },
    ...{ first_seen: AT, ever: { failed: 4, retries: 0, first_seen: AT, complete: true }, runners: [] },
    ...{ same_arguments: [], stands_out: [], invocation_ids: ["newest", "older"] },
  };
  const recent: Recent = {
    ...{ from: AT, to: "2026-11-21T01:37:09.000000+00:00", complete: true, newest: AT, notes: [], entries: 50, total },
    slice_seconds: 1800,
    slices: [
      { ...slice, from: AT, queued: null, running: null },
      { ...slice, from: "2026-11-21T01:07:09.000000+00:00", queued: null, running: null },
    ],
    tasks: [
      { ...total, task_id_key: "shop.pay", before: null },
      { ...total, task_id_key: "shop.fine", failed: 0, before: null },
    ],
    groups: [
      group,
      { ...group, type: null, message: null, query: null, failed: 0, retries: 30 },
      { ...group, task_id_key: "shop.mixed", type: null, message: null, query: null, failed: 1, retries: 3 },
    ],
    groups_failed: 3,
  };

  test("shows verdicts before every figure", () => {
    const markup = html(<DashboardContent {...view({ ...some, verdicts: [verdict] })} />);
    expect(markup.indexOf('id="verdicts"')).toBeGreaterThan(0);
    expect(markup.indexOf('id="verdicts"')).toBeLessThan(markup.indexOf('class="figure"'));
  });

  test("links every status that an invocation is in, and leaves out the others", () => {
    const statuses = dashboard.statuses.map((row) => (row.status === "failed" ? { ...row, count: 3 } : row));
    const links = dom(<DashboardContent {...view({ ...some, statuses })} />).querySelectorAll(".status-link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["/invocations/?status=failed"]);
  });

  test("says what to do next instead of figures when nothing is stored, unless it is still being searched", () => {
    const empty = dom(<DashboardContent {...view(dashboard)} />);
    expect(empty.text).toContain("No invocations yet");
    expect(empty.querySelector("code")?.text).toBe("pynenc --app <module> runner start");
    expect(empty.querySelectorAll(".figure, .status-link, .mark-good")).toEqual([]);
    const searching = { ...dashboard, overview: { ...dashboard.overview, complete: false } };
    expect(text(<DashboardContent {...view(searching)} />)).not.toContain("No invocations yet");
  });

  test("has five figures, each with its part, its change against the range before, and a link", () => {
    const before = { ...total, failed_share: 0.11, per_minute: 8, wait: { ...total.wait, p95_seconds: 1.5 } };
    const queues = [queueHealth({ messages: 2, waiting: 2, oldest_seconds: 130, oldest_queued_at: AT })];
    const counts: Record<string, number> = { running: 2, running_recovery: 1 };
    const statuses = dashboard.statuses.map((row) => ({ ...row, count: counts[row.status] ?? 0 }));
    const model = { ...some, statuses, recent, before, busy: { runners: 1, capped: false, workers: 2, silent: 0 } };
    expect(figures({ ...model, overview: { ...some.overview, queues } }).map((one) => one.slice(0, 3))).toEqual([
      ["Failed", "50 % +39 pp", "4 of 8"],
      ["Throughput", "4 per minute 0.5×", "8 finished"],
      ["Wait p95", "3 s 2×", "started invocations; median 500 ms"],
      ["Queue", "2 messages", expect.stringMatching(/^oldest since /)],
      ["Runners", "1 of 2 workers busy", "running invocations: 2"],
    ]);
    const spawning = { ...model, busy: { ...model.busy, workers: null } };
    expect(figures(spawning).at(-1)?.[1]).toBe("1 busy of 3 active");
    const silent = dom(<DashboardContent {...view({ ...model, busy: { ...model.busy, silent: 1 } })} />);
    expect(silent.querySelector('a.figure[href="/runners/"]')?.getAttribute("title")).toMatch(
      /are not counted as workers\. Invocations left on 1 silent runner still count as running\. Each bar/,
    );
    const wait = dom(<DashboardContent {...view(model)} />).querySelector('a.figure[href$="sort=wait"]');
    expect(wait?.getAttribute("title")).toContain("those that still wait are not among them");
    expect(figures(model).map(([, , , href]) => href)).toEqual([
      "/failures/",
      "/stats/",
      "/stats/?sort=wait",
      "/broker/queue",
      "/runners/",
    ]);
  });

  test("has the figures of this moment alone when the history is not read, and no change when that before is not known", () => {
    expect(figures(some).map(([label]) => label)).toEqual(["Queue", "Runners"]);
    expect(figures({ ...some, recent }).map(([, line]) => line)).toEqual([
      "50 %",
      "4 per minute",
      "3 s",
      "2 messages",
      "3 active",
    ]);
  });

  test("colours failures only if a problem says that more fail than before, unless that is muted", () => {
    const coloured = (verdicts: Verdict[]) =>
      dom(<DashboardContent {...view({ ...some, recent, verdicts })} />).querySelectorAll(".figure-bad").length;
    const rise = { ...verdict, code: "failure_rate_up" as const };
    expect(coloured([])).toBe(0);
    expect(coloured([verdict])).toBe(0);
    expect(coloured([rise])).toBe(1);
    expect(coloured([{ ...rise, muted_until: AT }])).toBe(0);
  });

  test("calls queue and runners those of now where the range ends in the past", () => {
    const past = { ...some, range: { from: "2026-11-19T00:00:00.000Z", to: "2026-11-19T01:00:00.000Z" } };
    expect(figures(past).map(([label]) => label)).toEqual(["Queue now", "Runners now"]);
  });

  test("draws failures without retries, and says what is not known instead of drawing it", () => {
    const charts = dom(<DashboardContent {...view({ ...some, recent })} />).querySelectorAll(".time-chart");
    expect(charts.map((chart) => chart.querySelector("svg")?.getAttribute("aria-label"))).toEqual([
      "Failed: peak 2",
      "Finished: peak 4",
      "Wait p95: peak 3 s",
      "Waiting for a runner: not known",
      "Running: not known",
    ]);
    expect(charts[0]?.querySelectorAll(".chart-second")).toEqual([]);
    expect(charts.map((chart) => chart.querySelectorAll(".time-chart-ticks span").map((tick) => tick.text))).toEqual([
      ["2", "1"],
      ["4", "2"],
      ["4 s", "2 s"],
      ["not known"],
      ["not known"],
    ]);
    expect(charts[0]?.querySelectorAll(".time-chart-times time").map((time) => time.text)).toEqual(["00:37", "01:37"]);
    expect(charts[0]?.querySelector("a title")?.text).toBe("00:37 to 01:07 UTC\n2 failed");
  });

  test("says how many groups there are where it lists fewer", () => {
    const link = (groups_failed: number) =>
      dom(<DashboardContent {...view({ ...some, recent: { ...recent, groups_failed } })} />).querySelector(
        ".failing .card a",
      )?.textContent;
    expect([link(2), link(8)]).toEqual(["All", "All 8"]);
  });

  test("lists groups and tasks that failed, never those that were only retried", () => {
    const [groups, tasks] = dom(<DashboardContent {...view({ ...some, recent })} />).querySelectorAll(".failing .card");
    const rows = groups?.querySelectorAll("tbody tr") ?? [];
    expect(rows.map((row) => row.querySelector("td.end")?.text)).toEqual(["4", "1"]);
    expect(rows.map((row) => row.querySelector(".id > a")?.getAttribute("href"))).toEqual(
      Array(2).fill("/invocations/newest"),
    );
    // The course of failures is not known apart from that of retries.
    expect(rows.map((row) => row.querySelectorAll(".sparkline").length)).toEqual([1, 0]);
    expect(rows[1]?.querySelector("a.failure-group-name")?.getAttribute("href")).toMatch(
      /^\/failures\/\?task_id=shop\.mixed&/,
    );
    expect(tasks?.querySelectorAll("tbody tr").map((row) => row.text)).toEqual(["shop.pay4 of 82 s"]);
    const none = { ...recent, tasks: [], groups: [] };
    expect(text(<DashboardContent {...view({ ...some, recent: none })} />)).toMatch(/Nothing failed.*No task failed/);
  });

  test("lists queues if there are several, or if something waits in the only one that has a name", () => {
    const card = (queues: QueueHealth[]) =>
      dom(<DashboardContent {...view({ ...some, overview: { ...some.overview, queues } })} />).querySelector(
        "#card-queues",
      );
    expect(card([queueHealth({ queue_name: "a" })])).toBeNull();
    expect(card([queueHealth({ waiting: 1 })])).toBeNull();
    expect(card([queueHealth({ queue_name: "a", waiting: 1 })])).not.toBeNull();
    expect(card([queueHealth({ queue_name: "a" }), queueHealth({ queue_name: "b" })])).not.toBeNull();
  });

  test("says that it is still searching while totals are lower bounds", () => {
    const looking = { ...some, overview: { ...some.overview, complete: false } };
    expect(text(<DashboardContent {...view(looking)} />)).toContain("Still searching for invocations");
    expect(text(<DashboardContent {...view(some)} />)).not.toContain("Still searching");
  });
});

describe("StoreContent", () => {
  test("has the address of the store as one field", () => {
    const shown = dom(<StoreContent {...view({ ...store, location: "/data/shop.db" })} />);
    expect(shown.text.split("/data/shop.db")).toHaveLength(2);
    expect(shown.querySelector("#card-layout .facts dd")?.text).toBe("/data/shop.db");
  });

  test("lists the largest tables first, and folds all but ten", () => {
    const figures = Array.from({ length: 12 }, (_, index) => ({
      ...{ name: `table_${index}`, component: "broker" as const, rows: 1, exact: true },
      bytes: index === 3 ? null : 1_000 * (index + 1),
    }));
    const shown = dom(<StoreContent {...view({ ...store, figures })} />);
    const names = shown.querySelectorAll("code").flatMap(({ text }) => (text.startsWith("table_") ? [text] : []));
    expect([names[0], names.at(-1)]).toEqual(["table_11", "table_3"]);
    expect(shown.querySelectorAll("#more-tables code").map(({ text }) => text)).toEqual(["table_0", "table_3"]);
    expect(shown.querySelector("#more-tables summary")?.text).toBe("2 smaller");
  });

  test("points out tables of a class that the configuration does not name", () => {
    expect(text(<StoreContent {...view(store)} />)).toContain("a configuration that this monitor cannot see");
  });

  test("says that an empty store has no data and no history", () => {
    expect(text(<StoreContent {...view(store)} />)).toContain("There is no data in this store");
    expect(text(<StoreContent {...view(store)} />)).toContain("no entries");
  });

  test("shows the load on each server, and no load for files", () => {
    expect(text(<StoreContent {...view(store)} />)).not.toContain("Load caused by this monitor");
    const load = { commands: 213.6, bytes: 400_000, most_commands: 20_000, most_bytes: 32_000_000 };
    const loads = [
      { location: "redis://one/0", ...load },
      { location: "redis://two/0", ...load, commands: 0 },
    ];
    const words = text(<StoreContent {...view({ ...store, loads })} />);
    expect(words).toMatch(
      /redis:\/\/one\/0 ?214 commands and 400 kB per second in the last minute \(limit 20,000 and 32 MB\)/,
    );
    expect(words).toMatch(/redis:\/\/two\/0 ?0 commands/);
  });

  test("offers a purge of all data, except in a read-only monitor", () => {
    expect(text(<StoreContent {...view(store)} />)).toContain("Purge all data");
    expect(text(<StoreContent {...{ ...view(store), readOnly: true }} />)).not.toContain("Purge all data …");
  });
});

describe("BrokerContent and QueueContent", () => {
  test("say that the queue is empty, or that the broker has no data", () => {
    expect(text(<BrokerContent {...view(broker)} />)).toContain("The queue is empty");
    expect(text(<BrokerContent {...view({ ...broker, present: false })} />)).toContain("is not in this store");
    expect(text(<QueueContent {...view(queuePage())} />)).toContain("The queue is empty");
    expect(text(<QueueContent {...view(queuePage({ page: page({ number: 3 }) }))} />)).toContain("past the end");
  });

  test("do not call the queue empty while keys are still being searched", () => {
    const searching = { named_queues: true, queues_complete: false, queues: [] };
    for (const node of [
      <BrokerContent key="" {...view({ ...broker, ...searching })} />,
      <QueueContent key="" {...view(queuePage(searching))} />,
    ]) {
      const words = text(node);
      expect(words).toContain("No message found yet");
      expect(words).not.toMatch(/queue is empty|No message is waiting/);
    }
  });

  test("show waiting messages without a runner as an error", () => {
    const sentence = "2 messages in the queue and no active runner";
    const verdicts = [{ ...verdict, code: "unconsumed_queue" as const, sentence }];
    for (const node of [
      <BrokerContent key="broker" {...view({ ...broker, verdicts })} />,
      <QueueContent key="queue" {...view({ ...queuePage({}), verdicts })} />,
    ]) {
      expect(text(node)).toContain(sentence);
    }
  });

  test("list named queues in a table, and messages with queue and priority", () => {
    const queues = [
      queueHealth({
        queue_name: "mail",
        messages: 3,
        waiting: 2,
        finished: 1,
        active_consumers: 1,
        health: "consuming",
      }),
      queueHealth({ queue_name: "adhoc", messages: 1, waiting: 1, health: "not_configured", declared: false }),
      queueHealth({ queue_name: "late", messages: 9, waiting: 9, finished: null, health: "not_consumed" }),
      queueHealth({ queue_name: "other", health: "unknown" }),
    ];
    const shown = dom(<BrokerContent {...view({ ...broker, named_queues: true, messages: 13, queues })} />);
    const cells = shown
      .querySelectorAll("table")[0]
      ?.querySelectorAll("tbody tr")
      .map((row) => row.querySelectorAll("td, th").map((cell) => cell.text.trim()));
    expect(cells).toEqual([
      ["mail", "active", "2", "–", "1", "1"],
      ["adhoc", "not declared", "1", "–", "0", "0"],
      ["late", "no consumer", "9", "–", "0", "not known"],
      ["other", "not known", "0", "–", "0", "0"],
    ]);
    const messages = [queued({ queue_name: "mail", priority: -0.5, place: 2 }), queued({ final: true, place: 3 })];
    const list = dom(<QueueContent {...view(queuePage({ named_queues: true, queue: "mail", queues, messages }))} />);
    const [first, second] = list.querySelectorAll("tbody tr").map((row) => row.text);
    expect(list.querySelector('a.status-link[aria-current="true"]')?.text).toBe("mail2");
    expect(first).toMatch(/^mail2-0\.5.*i1$/);
    expect([first?.includes("left over"), second?.includes("left over")]).toEqual([false, true]);
    expect(list.text).toContain("Within each queue, highest priority first");
    const links = list.querySelectorAll(".status-link").map((link) => [link.getAttribute("href"), link.text]);
    expect(links).toEqual([
      ["/broker/queue", "All"],
      ["/broker/queue?queue=mail", "mail2"],
      ["/broker/queue?queue=adhoc", `adhoc1${QUEUE_STATES.not_configured}`],
      ["/broker/queue?queue=late", `late9${QUEUE_STATES.not_consumed}`],
      ["/broker/queue?queue=other", "other0"],
    ]);
  });

  test("link a purge of the queue that the list is about, except in a read-only monitor", () => {
    const purge = (queue: string | null, readOnly: boolean) => {
      const model = queuePage({ named_queues: true, queue, messages: [queued({ queue_name: "mail" })] });
      return dom(<QueueContent {...view(model)} readOnly={readOnly} />)
        .querySelector("a.danger")
        ?.getAttribute("href");
    };
    expect(purge("mail", false)).toBe("/broker/purge?queue=mail");
    expect(purge("mail", true)).toBeUndefined();
    expect(purge(null, false)).toBeUndefined();
  });

  test("continue the numbers of messages from page to page, also if an invocation is queued twice", () => {
    const place = page({ number: 2, size: 2, total: 4, first_row: 3, last_row: 4 });
    const shown = dom(
      <QueueContent {...view(queuePage({ messages: [queued({ place: 3 }), queued({ place: 4 })], page: place }))} />,
    );
    expect(shown.querySelectorAll("tbody td:first-child").map((cell) => cell.text)).toEqual(["3", "4"]);
    expect(shown.text).toContain("Viewing does not consume messages");
    expect(shown.querySelector('a[rel="prev"]')?.getAttribute("href")).toBe("/p");
  });
});

describe("OrchestratorContent", () => {
  test("has a sentence instead of figures while nothing is stored", () => {
    const shown = dom(<OrchestratorContent {...view({ ...orchestrator, totals })} />);
    expect(shown.querySelectorAll(".figure, .number")).toEqual([]);
    expect(shown.text).toContain("No status and no heartbeat is stored");
  });

  test("has no list of stuck invocations if nothing is stuck", () => {
    const shown = dom(<OrchestratorContent {...view(orchestrator)} />);
    expect(shown.querySelector("#recovery")).toBeNull();
    expect(shown.text).toContain("No invocation waits for another");
  });

  test("explains behind an i after which time an invocation is stuck, and says when no runner is active to requeue it", () => {
    const pending = [invocation({ invocation_id: "i" })];
    const running = [invocation({ invocation_id: "j" })];
    const stuck = { ...orchestrator, recovery: { pending, running } };
    const list = dom(<OrchestratorContent {...view(stuck)} />).querySelector("#recovery");
    expect(list?.querySelector("h2")?.text).toBe("2 stuck invocations");
    expect(list?.querySelectorAll("tbody tr")).toHaveLength(2);
    const help = list?.querySelector(".info")?.text;
    expect(help).toContain("not started for more than 5 s (max_pending_seconds). Checked every 5 minutes.");
    expect(help).toContain("no heartbeat for the last 10 m 00 s (runner_considered_dead_after_minutes)");
    expect(list?.text).toContain("No runner is active to put them back");
    const attended = { ...stuck, runners: { ...stuck.runners, active: 1 } };
    expect(text(<OrchestratorContent {...view(attended)} />)).not.toContain("No runner is active");
  });

  test("shows a full list of stuck invocations as a lower bound, above the statuses", () => {
    const rows = Array.from({ length: 100 }, (_, index) => invocation({ invocation_id: `i${index}` }));
    const model = { ...orchestrator, recovery: { pending: rows, running: [] } };
    const words = text(<OrchestratorContent {...view(model)} />);
    expect(words).toContain("100 stuck invocations or more");
    expect(words).toContain("100+");
    expect(words.indexOf("100 stuck")).toBeLessThan(words.indexOf("Invocations by status"));
  });

  test("counts the abandoned runs of the atomic service beside the runners that take turns", () => {
    const words = (executions: Record<string, number> | null) =>
      text(<OrchestratorContent {...view({ ...orchestrator, atomic_service_executions: executions })} />);
    expect(words({ completed: 9, abandoned: 2 })).toContain("2 runs abandoned");
    expect(words({ completed: 9 })).not.toContain("abandoned");
    expect(words(null)).toContain("active runners take turns");
  });
});

describe("pages about runners", () => {
  test("say whether an empty list means no runner or only no active one", () => {
    expect(text(<RunnersContent {...view(runners)} />)).toContain("No runner is recorded");
    expect(text(<RunnersContent {...view({ ...runners, known: 3 })} />)).toContain("None of the 3 recorded runners");
  });

  test("mark which list is shown", () => {
    const current = dom(<RunnersHeader {...view({ ...runners, scope: "all" })} />).querySelector("[aria-current]");
    expect(current?.getAttribute("href")).toBe("/runners/?show=all");
  });

  test("describe a runner that is silent, which takes no turns, and one without a heartbeat", () => {
    const silent = runnerRow({ active: false });
    expect(text(<RunnerContent {...view({ ...runner, runner: silent })} />)).toMatch(
      /silent.*In the atomic service\s*no/s,
    );
    const external = runnerRow({ active: false, last_heartbeat: null, atomic_service_eligible: null });
    const words = text(<RunnerContent {...view({ ...runner, runner: external, service_runs: null })} />);
    expect(words).toContain("no heartbeat");
    expect(words).toContain("this store is older and has only the last");
  });

  test("say that the history of the range is still being read, and nothing where figures are switched off", () => {
    const words = (lately_note: string | null) => text(<RunnerContent {...view({ ...runner, lately_note })} />);
    expect(words("Not read yet.")).toContain("Not read yet.");
    expect(words(null)).not.toContain("Last hour");
  });

  test("say how far a heartbeat in the future is ahead", () => {
    const ahead = runnerRow({ silent_seconds: -90 });
    expect(text(<RunnerContent {...view({ ...runner, runner: ahead })} />)).toContain("1 min 30 s ahead");
  });
});

describe("StateBackendContent", () => {
  test("says that the state backend is not in the store and the app is not registered", () => {
    const words = text(<StateBackendContent {...view({ ...stateBackend, present: false })} />);
    expect(words).toContain("The state backend is not in this store");
    expect(words).toContain("The app is not registered here");
  });

  test("explains differing counts of definitions and statuses, whichever is higher", () => {
    const shown = (given: Partial<typeof totals>) =>
      text(<StateBackendContent {...view({ ...stateBackend, totals: { ...totals, ...given } })} />);
    expect(shown({ defined: 5, with_status: 2, forgotten: 3 })).toContain(
      "3 invocations defined here have no status in the orchestrator",
    );
    expect(shown({ defined: 5, with_status: 2, forgotten: 3, complete: false })).toContain("At least 3 invocations");
    expect(shown({ defined: 2, with_status: 5 })).toContain(
      "3 invocations with a current status have no definition here",
    );
    // As many of the ones as of the others.
    const both = shown({ defined: 5, with_status: 5, forgotten: 1 });
    expect(both).toContain("1 invocation defined here has no status");
    expect(both).toContain("1 invocation with a current status has no definition");
    const same = shown({ defined: 2, with_status: 2 });
    expect(same).not.toContain("no definition");
    expect(same).not.toContain("no status");
  });
});

describe("the pages of client data", () => {
  test("say that no client data is stored, or that it is elsewhere", () => {
    expect(text(<ClientDataContent {...view(clientData)} />)).toContain("No client data is stored");
    expect(text(<ClientDataHeader {...view({ ...clientData, present: false })} />)).toContain(
      "The client data store is not in this store: the app keeps it in memory",
    );
  });

  test("show no times when the store keeps no times of values", () => {
    const row = { data_key: "__pynenc__client_data__:00", size: 5 };
    const shown = (stored_at: string | null) =>
      text(
        <ClientDataContent
          {...view<ClientDataOverview>({
            ...{ ...clientData, values: 1, bytes: 5, oldest: stored_at, newest: stored_at },
            rows: [{ ...row, stored_at }],
            looked_up: { ...row, stored_at, value: displayValue('"abc"', 100) },
          })}
        />,
      );
    expect(shown("2026-11-21T00:34:39.919765+00:00")).toMatch(/the oldest.*Stored/s);
    expect(shown(null)).toContain("1 value");
    expect(shown(null)).not.toMatch(/oldest|newest|Stored/);
  });

  test("keep the reference in the lookup form, and can be cleared", () => {
    const form = dom(<ClientDataHeader {...view(clientData, { reference: ["ab"] })} />, "shop");
    expect(form.querySelector("input[name=reference]")?.getAttribute("value")).toBe("ab");
    expect(form.querySelector("input[name=app]")?.getAttribute("value")).toBe("shop");
    expect(form.querySelector("form a.button")?.getAttribute("href")).toBe("/client-data-store/?app=shop");
  });
});

describe("Settings", () => {
  const setting = { field: "a", value: "1", unit: null, meaning: "what it does", origin: "default", warning: null };

  test("are folded, with the number of settings that differ from the default", () => {
    const shown = dom(
      <Settings settings={[setting, { ...setting, field: "b", origin: "app_info" }]} caption="Settings" />,
    );
    expect(shown.querySelector("details")?.hasAttribute("open")).toBe(false);
    expect(shown.querySelector("summary")?.text).toContain("1 of 2 set");
    expect(text(<Settings settings={[setting]} caption="Settings" />)).toContain("all default");
  });

  test("are open if one of them has a warning", () => {
    const shown = dom(
      <Settings settings={[setting, { ...setting, field: "b", warning: "too low" }]} caption="Settings" />,
    );
    expect(shown.querySelector("details")?.hasAttribute("open")).toBe(true);
  });
});

describe("SettingsTable", () => {
  test.each([
    ["10485760", "characters", "10,485,760 characters"],
    ["1", "minutes", "1 minute"],
    ["1", "processes", "1 process"],
    ["0.5", "minutes", "0.5 minutes"],
    ["not set", "hours", "not set"],
    ["*/5 * * * *", null, "*/5 * * * *"],
    ["25672", null, "25672"],
  ])("shows %s with the unit %s as: %s", (value, unit, expected) => {
    expect(amount(value, unit)).toBe(expected);
  });

  test("shows explanations and warnings beside the value", () => {
    const row = setting({ field: "cron", value: "*/5 * * * *", warning: "never fires" });
    const words = text(<SettingsTable settings={[row]} caption="c" words={{ cron: "Every 5 minutes" }} />);
    expect(words).toContain("*/5 * * * * Every 5 minutes");
    expect(words).toContain("Warning never fires");
  });
});

describe("the column of running invocations in the list of runners", () => {
  const ids = ["busy", "idle", "unknown"];
  const list = {
    scope: "all" as const,
    runners: ids.map((runner_id) => runnerRow({ runner_id })),
    silent: [],
    held: null,
    idle_since: null,
    page: page(),
    active: 0,
    known: 3,
    callers: 0,
    known_capped: false,
    silence: { allowed_seconds: 600, told_by: "default" as const, setting_seconds: 600, recovery: null },
    settings: [],
  };
  const busy = {
    from: AT,
    to: AT,
    slice_seconds: 120,
    rows: [
      { runner_id: "busy", running: [0, 2, 1, 0] },
      { runner_id: "idle", running: [0, 0, 0, 0] },
    ],
  };

  test("has a small chart that links to statistics, and a dash when nothing is known of a runner", () => {
    const links = dom(<RunnersContent {...view({ ...list, busy })} />).querySelectorAll('a[href^="/stats/"]');
    const found = [...links].map((link) => [
      new URL(link.getAttribute("href") ?? "", "http://m").searchParams.get("runner"),
      link.querySelector("svg")?.getAttribute("aria-label"),
    ]);
    expect(found).toEqual([
      ["busy", "Last hour: ran something in 2 of 4 bars of 2 min, at most 2 invocations in one"],
      ["idle", "Last hour: ran nothing"],
    ]);
    const drawn = links[0]?.querySelector("svg");
    expect(drawn?.getAttribute("viewBox")).toBe("0 0 4 16");
  });

  test("is below the number of all that are listed, callers too", () => {
    const title = (callers: number) =>
      dom(<RunnersContent {...view({ ...list, busy: null, callers })} />).querySelector("#card-runners h2")
        ?.textContent;
    expect([title(0), title(1)]).toEqual(["3 runners", "3 runners, 1 caller"]);
  });

  test("is left out when nothing is known", () => {
    expect(text(<RunnersContent {...view({ ...list, busy: null })} />)).not.toContain("1 hour");
  });
});

describe("the column of what runners do now", () => {
  const parent = runnerRow({ runner_id: "parent" });
  const list = {
    ...runners,
    known: 4,
    active: 4,
    runners: [
      { ...parent, active: true },
      runnerRow({
        runner_id: "idle",
        active: true,
        name: { ...parent.name, parent: { ...parent.name, runner_id: "parent" } },
      }),
      runnerRow({ runner_id: "busy", active: true }),
      runnerRow({ runner_id: "dead", active: false }),
    ],
  };
  const held = ["paused", "running"].map((status) => ({
    runner_id: "busy",
    invocation_id: status,
    task_id_key: `shop.${status === "running" ? "pack" : "ship"}`,
    status,
  }));
  const now = (model: RunnerList) =>
    [...dom(<RunnersContent {...view(model)} />).querySelectorAll('td[data-label="Now"]')].map((cell) => [
      cell.textContent,
      cell.querySelector("a")?.getAttribute("href") ?? null,
    ]);

  test("names the task that a runner runs, and distinguishes idle runners from parents and dead ones", () => {
    expect(now({ ...list, held })).toEqual([
      ["parent", null],
      ["idle since not known", null],
      ["pack +1", expect.stringContaining("/invocations/running")],
      ["–", null],
    ]);
  });

  test("says since when a runner is idle", () => {
    const idle_since = [{ runner_id: "idle", at: AT }];
    const cell = dom(<RunnersContent {...view({ ...list, held, idle_since })} />).querySelectorAll(
      'td[data-label="Now"]',
    )[1];
    expect(cell?.textContent).toMatch(/^idle since \d\d/);
    expect(cell?.querySelector("time")?.getAttribute("data-relative")).toBe("for");
  });

  test("is beside the state of a silent runner that still holds something, above the active ones", () => {
    const silent = [runnerRow({ runner_id: "busy", active: false, last_heartbeat: AT })];
    const found = dom(
      <RunnersContent {...view({ ...list, scope: "active", runners: list.runners.slice(0, 1), silent, held })} />,
    );
    expect(found.querySelector("#card-runners h2")?.textContent).toBe("4 active runners and 1 silent with work");
    const [first] = found.querySelectorAll("#card-runners tbody tr");
    const cell = (label: string) => first?.querySelector(`td[data-label="${label}"]`)?.textContent;
    expect(cell("Now")).toMatch(/^pack \+1 silentno heartbeat since /);
  });

  test("says what a runner holds without running it", () => {
    expect(now({ ...list, held: held.slice(0, 1) })[2]).toEqual([
      "ship paused",
      expect.stringContaining("/invocations/paused"),
    ]);
  });

  test("is left out when it is not known what runners hold", () => {
    expect(now(list)).toEqual([]);
  });
});
