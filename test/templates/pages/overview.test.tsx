import type { VNode } from "preact";
import { describe, expect, test } from "vitest";
import type {
  BrokerOverview,
  ClientDataOverview,
  OrchestratorOverview,
  QueuedInvocation,
  QueuePage,
  StateBackendOverview,
  StoreReport,
} from "../../../src/api/components.ts";
import type { Dashboard, QueueHealth } from "../../../src/api/health.ts";
import type { PageInfo, SettingRow } from "../../../src/api/model/common.ts";
import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import type { RunnerDetail, RunnerList, RunnerRow } from "../../../src/api/runners.ts";
import type { Evidence, Verdict } from "../../../src/api/verdicts.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { displayValue } from "../../../src/pynenc/values.ts";
import { Verdicts, VerdictsHere } from "../../../templates/fragments/health/verdicts.tsx";
import { amount, SettingsTable } from "../../../templates/fragments/ui/settings-table.tsx";
import { BrokerContent } from "../../../templates/pages/broker.tsx";
import { ClientDataContent, ClientDataHeader } from "../../../templates/pages/client-data-store.tsx";
import { DashboardContent } from "../../../templates/pages/dashboard.tsx";
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
  const none = { queue: null, queues: [queueHealth()], more_queues: 0, messages: [] };
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
};

const orchestrator: OrchestratorOverview = {
  present: true,
  statuses: [],
  totals,
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

const silence = { seconds: 600, told_by: "default" as const, setting_seconds: 600, recovery: null };

const runners: RunnerList = {
  busy: null,
  scope: "active",
  runners: [],
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
          newest: [hostileInvocation],
          newest_note: HOSTILE,
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
              seconds: null,
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
    const green = dom(<DashboardContent {...view(dashboard)} />).querySelector(".mark-good");
    expect(green?.text).toBe("nothing looks wrong");
  });

  test("are not declared absent in green when something was not checked, which is listed", () => {
    const not_looked_at = ["long runs: the history has not been read", "schedules: no triggers"];
    const page = dom(<DashboardContent {...view({ ...dashboard, not_looked_at })} />);
    expect(page.querySelector(".mark-good")).toBeNull();
    expect(page.querySelector(".mark")?.text).toBe("nothing looks wrong in what was checked");
    const missing = "Not checked: long runs: the history has not been read; schedules: no triggers.";
    expect(page.text).toContain(missing);
    const task = { verdicts: [], not_looked_at };
    expect(text(<VerdictsHere of={task} />)).toBe(missing);
  });

  test("show severity and beginning in words, in the given order", () => {
    const late = { ...verdict, sentence: "late", evidence: [], since: null };
    const list = dom(<Verdicts verdicts={[{ ...verdict, severity: "error", sentence: "nobody" }, late]} />);
    expect(list.querySelectorAll(".verdict-sentence").map((p) => p.text)).toEqual([
      "Errornobodysince 2026-01-05 12:00:00.000",
      "Warninglate",
    ]);
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
    const next = [{ label: "These invocations", path: "/invocations/?inv_ids=a", command: null }];
    const evidence = [...some(["a", "b", "c"]), ...some(["r"], "runner"), ...some(["e", "f"])];
    const list = dom(<Verdicts verdicts={[{ ...verdict, evidence, count: 9, next }]} />);
    const hrefs = list.querySelectorAll(".verdict-evidence a").map((link) => link.getAttribute("href"));
    expect(hrefs).toEqual(["/invocations/a", "/invocations/b", "/invocations/c", "/runners/r"]);
    expect(list.querySelector(".verdict-evidence")?.text).toContain("and at least 2 more");
    expect(list.querySelector(".verdict-links a")?.getAttribute("href")).toBe("/invocations/?inv_ids=a");
  });
});

describe("DashboardContent", () => {
  test("shows verdicts before every figure", () => {
    const markup = html(<DashboardContent {...view({ ...dashboard, verdicts: [verdict] })} />);
    expect(markup.indexOf("Current problems")).toBeGreaterThan(0);
    expect(markup.indexOf("Current problems")).toBeLessThan(markup.indexOf('class="figure-row"'));
  });

  test("says why an app has no events", () => {
    expect(text(<DashboardContent {...view(dashboard)} />)).toContain("This layout records no events");
    const elsewhere = { ...dashboard, components: [] };
    expect(text(<DashboardContent {...view(elsewhere)} />)).toContain("No triggers in this store");
  });

  test("links the event counters to the lists that they count", () => {
    const events = { recorded: 15, matched: 9, triggered: 9, codes: 8, trigger_runs: 47 };
    const shown = dom(<DashboardContent {...view({ ...dashboard, events })} />);
    const row = shown.querySelectorAll(".glance-row").find((one) => one.querySelector("h2")?.text === "Events");
    expect(row?.text).toContain("47");
    const links = row?.querySelectorAll("a") ?? [];
    expect(links.map((a) => [a.querySelector(".figure-label")?.text, a.getAttribute("href")])).toEqual([
      ["Recorded", "/events/"],
      ["Met", "/events/?matched=yes"],
      ["Triggered", "/events/?triggered=yes"],
      ["Codes", "/events/"],
      ["Trigger runs", "/trigger-runs/"],
    ]);
  });

  test("lists the newest invocations, with a note when some may be missing", () => {
    const some = { ...dashboard, newest: [invocation({ invocation_id: "abc" })], newest_note: "Some may be missing." };
    const shown = dom(<DashboardContent {...view(some)} />);
    const card = shown.querySelector("#card-newest-invocations");
    expect(card?.querySelector("tbody th a")?.getAttribute("href")).toBe("/invocations/abc");
    expect(card?.text).toContain("Some may be missing.");
    expect(text(<DashboardContent {...view(dashboard)} />)).toContain("No invocation is recorded");
  });

  test("says that it is still searching while totals are lower bounds", () => {
    const looking = { ...dashboard, overview: { ...dashboard.overview, complete: false } };
    expect(text(<DashboardContent {...view(looking)} />)).toContain("Still searching for invocations");
    expect(text(<DashboardContent {...view(dashboard)} />)).not.toContain("Still searching");
  });
});

describe("StoreContent", () => {
  test("points out tables of a class that the configuration does not name", () => {
    expect(text(<StoreContent {...view(store)} />)).toContain("a configuration that this monitor cannot see");
  });

  test("says that an empty store has no data and no history", () => {
    expect(text(<StoreContent {...view(store)} />)).toContain("There is no data in this store");
    expect(text(<StoreContent {...view(store)} />)).toContain("no entries");
  });

  test("offers a purge of all data, except in a read-only monitor", () => {
    expect(text(<StoreContent {...view(store)} />)).toContain("Purge all data");
    expect(text(<StoreContent {...{ ...view(store), readOnly: true }} />)).not.toContain("Purge all data …");
  });
});

describe("BrokerContent and QueueContent", () => {
  test("say that the queue is empty, or that the broker has no data", () => {
    expect(text(<BrokerContent {...view(broker)} />)).toContain("The queue is empty");
    expect(text(<BrokerContent {...view({ ...broker, present: false })} />)).toContain("has no data in this store");
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
      ["mail", "consumed", "2", "—", "1", "1"],
      ["adhoc", "not declared", "1", "—", "0", "0"],
      ["late", "not consumed", "9", "—", "0", "not known"],
      ["other", "not known", "0", "—", "0", "0"],
    ]);
    const messages = [queued({ queue_name: "mail", priority: -0.5, place: 2 }), queued({ final: true, place: 3 })];
    const list = dom(<QueueContent {...view(queuePage({ named_queues: true, queue: "mail", queues, messages }))} />);
    const [first, second] = (list.querySelectorAll("table")[1]?.querySelectorAll("tbody tr") ?? []).map(
      (row) => row.text,
    );
    expect(list.querySelector('a[aria-current="page"]')?.text).toBe("mail");
    expect(first).toMatch(/^mail2-0\.5.*i1$/);
    expect([first?.includes("already final"), second?.includes("already final")]).toEqual([false, true]);
    expect(list.text).toContain("Within each queue, highest priority first");
    expect(list.querySelector('a[href="/broker/queue?queue=adhoc"]')?.text).toBe("adhoc");
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
  test("describes an empty orchestrator, with the limits for stuck invocations", () => {
    const words = text(<OrchestratorContent {...view(orchestrator)} />);
    expect(words).toContain("No stuck invocations");
    expect(words).toContain(
      "pending for more than 5 s (max_pending_seconds), checked every 5 minutes (with the settings found here)",
    );
    expect(words).toContain("no heartbeat stored for the last 10 m 00 s (runner_considered_dead_after_minutes)");
    expect(words).toContain("No invocation is recorded as waiting for another one");
    expect(words).toContain("No run is recorded");
    const old = { ...orchestrator, atomic_service_executions: null };
    expect(text(<OrchestratorContent {...view(old)} />)).toContain("This layout does not record them");
  });

  test("says that active runners requeue stuck invocations, or that no runner is active to do so", () => {
    const stuck = { ...orchestrator, recovery: { pending: [invocation({ invocation_id: "i" })], running: [] } };
    expect(text(<OrchestratorContent {...view(stuck)} />)).toContain("No runner is active to put them back");
    const attended = { ...stuck, runners: { ...stuck.runners, active: 1 } };
    const words = text(<OrchestratorContent {...view(attended)} />);
    expect(words).toContain("With the settings found here, an active runner checks for them every 5 minutes");
    expect(words).toContain("Taken by a runner but not started since.");
  });

  test("shows a full list of stuck invocations as a lower bound, above the statuses", () => {
    const rows = Array.from({ length: 100 }, (_, index) => invocation({ invocation_id: `i${index}` }));
    const model = { ...orchestrator, recovery: { pending: rows, running: [] } };
    const words = text(<OrchestratorContent {...view(model)} />);
    expect(words).toContain("100 or more pending for more than 5 s (max_pending_seconds)");
    expect(words).toContain("100+");
    expect(words.indexOf("100 or more")).toBeLessThan(words.indexOf("Invocations by status"));
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

  test("describe a runner that is not active", () => {
    const dead = runnerRow({ active: false });
    expect(text(<RunnerContent {...view({ ...runner, runner: dead })} />)).toContain("dead");
    const external = runnerRow({ active: false, last_heartbeat: null, atomic_service_eligible: null });
    const words = text(<RunnerContent {...view({ ...runner, runner: external, service_runs: null })} />);
    expect(words).toContain("No heartbeat is stored");
    expect(words).toContain("This layout keeps only the last run");
  });

  test("say how far a heartbeat in the future is ahead", () => {
    const ahead = runnerRow({ silent_seconds: -90 });
    expect(text(<RunnerContent {...view({ ...runner, runner: ahead })} />)).toContain("1 m 30 s ahead");
  });
});

describe("StateBackendContent", () => {
  test("says that the state backend has no data and the app is not registered", () => {
    const words = text(<StateBackendContent {...view({ ...stateBackend, present: false })} />);
    expect(words).toContain("has no data in this store");
    expect(words).toContain("The app is not registered here");
  });

  test("shows the load on each server, and no load for files", () => {
    expect(text(<StateBackendContent {...view(stateBackend)} />)).not.toContain("Load caused by this monitor");
    const load = { commands: 213.6, bytes: 400_000, most_commands: 20_000, most_bytes: 32_000_000 };
    const loads = [
      { location: "redis://one/0", ...load },
      { location: "redis://two/0", ...load, commands: 0 },
    ];
    const words = text(<StateBackendContent {...view({ ...stateBackend, loads })} />);
    expect(words).toMatch(
      /redis:\/\/one\/0 ?214 commands and 400 kB a second in the last minute, of at most 20,000 and 32 MB/,
    );
    expect(words).toMatch(/redis:\/\/two\/0 ?0 commands/);
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
    expect(text(<ClientDataContent {...view({ ...clientData, present: false })} />)).toContain(
      "cannot be resolved here",
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
    expect(shown("2026-11-21T00:34:39.919765+00:00")).toMatch(/Oldest.*newest first.*Stored/s);
    expect(shown(null)).toContain("Values, by reference");
    expect(shown(null)).not.toMatch(/Oldest|Newest|newest|Stored/);
  });

  test("keep the reference in the lookup form, and can be cleared", () => {
    const form = dom(<ClientDataHeader {...view(clientData, { reference: ["ab"] })} />, "shop");
    expect(form.querySelector("input[name=reference]")?.getAttribute("value")).toBe("ab");
    expect(form.querySelector("input[name=app]")?.getAttribute("value")).toBe("shop");
    expect(form.querySelector("a.button")?.getAttribute("href")).toBe("/client-data-store/?app=shop");
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
    page: page(),
    active: 0,
    known: 3,
    callers: 0,
    known_capped: false,
    silence: { seconds: 600, told_by: "default" as const, setting_seconds: 600, recovery: null },
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
      ["busy", "Last hour: ran something in 2 of 4 slices of 2 minutes, at most 2 in one"],
      ["idle", "Last hour: ran nothing"],
    ]);
    const drawn = links[0]?.querySelector("svg");
    expect(drawn?.getAttribute("viewBox")).toBe("0 0 4 16");
  });

  test("is left out when nothing is known", () => {
    expect(text(<RunnersContent {...view({ ...list, busy: null })} />)).not.toContain("1 hour");
  });
});
