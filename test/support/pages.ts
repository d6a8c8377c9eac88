import type { ClientDataOverview } from "../../src/api/components.ts";
import type { EventList } from "../../src/api/events.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationList } from "../../src/api/invocations.ts";
import type { AtomicTimeline, RunnerList } from "../../src/api/runners.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import type { TriggerRunList } from "../../src/api/trigger-runs.ts";
import type { TriggerList } from "../../src/api/triggers.ts";
import type { WorkflowRunList } from "../../src/api/workflows.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";

/** Every page that there is, by an address that has something to show. */

import { createLinks } from "../../src/presentation/links.ts";
import { NAV_ENTRIES } from "../../src/presentation/nav-entries.ts";
import type { Monitor } from "./monitor.ts";

export interface PageAddress {
  name: string;
  path: string;
  /** 200 unless told otherwise. */
  status?: number;
  /** A page listed before, with other data. */
  variant?: true;
  /** It asks for something first: it has a form and does not renew itself. */
  asks?: true;
}

/** Pages of the navigation that ask for something first. */
const ASKING: ReadonlySet<string> = new Set(["log_explorer", "compare"]);

const LINKS = createLinks(null);
const ACTIONS = {
  "purge all": LINKS.purge(),
  "purge broker": LINKS.purgeBroker(),
  "purge orchestrator": LINKS.purgeOrchestrator(),
  "purge state backend": LINKS.purgeStateBackend(),
  "purge client data": LINKS.purgeClientData(),
  "purge triggers": LINKS.purgeTriggers(),
  "auto-purge orchestrator": LINKS.autoPurgeOrchestrator(),
  "auto-purge events": LINKS.autoPurgeEvents(),
};

/** Pages of the active app: each page once, the invocation page once for each status that occurs. */
export async function pagesOf(monitor: Monitor): Promise<PageAddress[]> {
  const links = LINKS;
  const pages: PageAddress[] = [];
  const add = (name: string, path: string | undefined, more: Pick<PageAddress, "status" | "variant" | "asks"> = {}) => {
    if (path !== undefined) pages.push({ name, path, ...more });
  };
  const variant = true;
  const map = <Value>(value: Value | undefined, link: (value: Value) => string) =>
    value === undefined ? undefined : link(value);

  add("Apps", links.apps());
  for (const entry of NAV_ENTRIES) add(entry.label, links[entry.link](), ASKING.has(entry.key) ? { asks: true } : {});
  add("queue", links.queue());
  add("runners, all", links.runners({ show: "all" }), { variant });
  add("workflow runs", links.workflowRuns());
  add("invocations, filtered", links.invocations({ status: ["failed", "success"], range: "1h", limit: 5 }));
  add("invocations, none", links.invocations({ id_prefix: "no such id" }), { variant });
  add("compare, differences", links.compare({ q: "has:parent" }), { variant, asks: true });
  add("compare, none", links.compare({ id_prefix: "no such id" }), { variant, asks: true });
  add("invocations, a search that walks", links.invocations({ q: "has:error -task:pynenc.*" }), { variant });
  add("why", links.why());
  add("search", links.search({ q: "o" }));
  add("search, nothing", links.search({ q: "no such thing" }));
  add("timeline, most of it counted", links.timeline({ range: "1w", limit: 5 }), { variant });
  add("timeline, empty", links.timeline({ from: "2020-01-01", to: "2020-01-02" }), { variant });
  add("invocations, past the end", links.invocations({ page: 9_999 }), { variant });

  const { statuses } = await monitor.json<Dashboard>("/");
  for (const { status, count } of statuses) {
    if (count === 0) continue;
    const { invocations } = await monitor.json<InvocationList>(links.invocations({ status, limit: 1 }));
    add(
      `invocation ${status}`,
      map(invocations[0]?.invocation_id, links.invocation),
      status === "failed" ? {} : { variant },
    );
  }
  const { invocations } = await monitor.json<InvocationList>(links.invocations({ limit: 1000 }));
  add("invocation in a workflow", map(invocations.find((row) => row.workflow_id)?.invocation_id, links.invocation), {
    variant,
  });
  const called = invocations.find((row) => row.parent_invocation_id !== null)?.invocation_id;
  add("why, one that failed", map(invocations.find((row) => row.status === "failed")?.invocation_id, links.why), {
    variant,
  });
  add(
    "side by side",
    map(called, (id) => links.diff({ a: id, b: invocations[0]?.invocation_id ?? id })),
  );
  add("family over time", map(called, links.family));
  add(
    "family, cut",
    map(called, (id) => links.family(id, { limit: 2 })),
    { variant },
  );
  add("call", map(invocations.find((row) => row.status === "success")?.call_id_key ?? undefined, links.call));

  const { tasks } = await monitor.json<TaskList>("/tasks/");
  add("task", map(tasks.find((task) => !task.core)?.task_id_key, links.task));
  add("core task", map(tasks.find((task) => task.core)?.task_id_key, links.task), { variant });
  const { runners } = await monitor.json<RunnerList>("/runners/?show=all");
  add("runner, active", map(runners.find((runner) => runner.active)?.runner_id, links.runner));
  add("runner, silent", map(runners.find((runner) => !runner.active)?.runner_id, links.runner), { variant });
  add("atomic service", links.atomicTimeline());
  add("atomic service by its other address", links.atomicScheduling(), { variant });
  const { executions } = await monitor.json<AtomicTimeline>(links.atomicTimeline());
  add("service run", map(executions[0]?.atomic_service_run_id, links.atomicRun));
  const { runs } = await monitor.json<WorkflowRunList>("/workflows/runs");
  add("workflow run", map(runs.find((run) => (run.data_rows ?? 0) > 0)?.workflow_id, links.workflowRun));
  add("workflow type", map(runs[0]?.workflow_type_key, links.workflowType));
  const { events } = await monitor.json<EventList>("/events/?limit=200");
  add("event", map(events.find((event) => event.triggered)?.event_id, links.event));
  add("event, emitted by an invocation", map(events.find((event) => event.emitted_by_task_id)?.event_id, links.event), {
    variant,
  });
  add("events, none", links.events({ event_code: "no such code" }), { variant });
  const { trigger_runs } = await monitor.json<TriggerRunList>("/trigger-runs/");
  add("trigger run", map(trigger_runs[0]?.trigger_run_id, links.triggerRun));
  const { tasks: triggered } = await monitor.json<TriggerList>("/triggers/");
  const trigger = triggered[0]?.triggers[0];
  add("trigger", map(trigger?.trigger_id, links.trigger));
  add("condition", map(trigger?.conditions[0]?.condition_id, links.condition));
  const app = (await monitor.workspace.open()).app_id;
  add("valid condition", map(pendingCondition(monitor.path, app), links.validCondition));
  const { rows } = await monitor.json<ClientDataOverview>("/client-data-store/");
  add("client value", map(rows[0]?.data_key, links.clientValue));

  for (const [name, path] of Object.entries(ACTIONS)) add(name, path, { asks: true });
  add("auto-purge events, other values", `${links.autoPurgeEvents()}?event_max_records=3`, { variant, asks: true });
  add("rerun", map(invocations[0]?.invocation_id, links.rerun), { asks: true });
  add("requeue", map(invocations[0]?.invocation_id, links.requeue), { asks: true });
  add("requeue many", links.requeueMany({ inv_ids: invocations.slice(0, 3).map((row) => row.invocation_id) }), {
    variant,
    asks: true,
  });
  add("rerun many", links.rerunMany({ status: ["failed"] }), { asks: true });

  add(
    "log explorer, with lines",
    `${links.logExplorer()}?${new URLSearchParams({ log: lines(invocations, events) })}`,
    { variant, asks: true },
  );
  add("mute", links.mute({ code: "unconsumed_queue" }), { asks: true });
  add("unmute", links.unmute({ code: "unconsumed_queue" }), { asks: true });
  add("no such invocation", links.invocation("no-such-id"), { status: 404 });
  add("no such page", "/no/such/page", { status: 404 });
  add("bad parameters", links.invocations({ page: "x", from: "someday" }), { status: 400 });
  return pages;
}

/** A short log about some of what is there and something that is not. */
function lines(invocations: InvocationList["invocations"], events: EventList["events"]): string {
  const [first] = invocations;
  return [
    `${first?.registered_at?.replace("T", " ")} INFO pynenc.app [TR(b6276e23)] invocation:${first?.invocation_id} status:running`,
    `2026-11-21 00:34:40 ERROR pynenc.app [TR(b6276e23)] event:${events[0]?.event_id} runner:nobody`,
    "Traceback (most recent call last):",
  ].join("\n");
}

/**
 * A valid condition that waits for its trigger. No page lists them, since they are gone in a moment while a runner is alive; a file is asked for one,
 * a server is not.
 */
function pendingCondition(path: string, appId: string): string | undefined {
  if (path === "") return undefined;
  const db = openDatabase(path, { mode: "read" });
  try {
    const table = `"${tablePrefix(appId)}__trg_valid_conditions"`;
    return db.prepare(`SELECT valid_condition_id FROM ${table} LIMIT 1`).value() as string | undefined;
  } finally {
    db.close();
  }
}
