/** Every page that there is, by an address that has something to show. */

import type { ClientDataOverview } from "../../src/services/client-data.ts";
import type { Dashboard } from "../../src/services/dashboard.ts";
import type { InvocationList } from "../../src/services/invocations.ts";
import type { RunnerList } from "../../src/services/runners.ts";
import type { TaskList } from "../../src/services/tasks.ts";
import type { WorkflowRunList } from "../../src/services/workflows.ts";
import { NAV_ENTRIES } from "../../templates/layout/nav-entries.ts";
import { createLinks } from "../../templates/links.ts";
import type { Monitor } from "../support/monitor.ts";

export interface PageAddress {
  name: string;
  path: string;
  /** 200 unless told otherwise. */
  status?: number;
  /** A page listed before, with other data. */
  variant?: true;
}

/** Pages of the active app: each page once, the invocation page once for each status that occurs. */
export async function pagesOf(monitor: Monitor): Promise<PageAddress[]> {
  const links = createLinks(null);
  const pages: PageAddress[] = [];
  const add = (name: string, path: string | undefined, more: Pick<PageAddress, "status" | "variant"> = {}) => {
    if (path !== undefined) pages.push({ name, path, ...more });
  };
  const variant = true;
  const map = <Value>(value: Value | undefined, link: (value: Value) => string) =>
    value === undefined ? undefined : link(value);

  for (const entry of NAV_ENTRIES) add(entry.label, entry.href(links));
  add("queue", links.queue());
  add("runners, all", links.runners({ show: "all" }), { variant });
  add("workflow runs", links.workflowRuns());
  add("invocations, filtered", links.invocations({ status: ["failed", "success"], time_range: "1h", limit: 5 }));
  add("invocations, none", links.invocations({ id_prefix: "no such id" }), { variant });
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
  add("call", map(invocations.find((row) => row.status === "success")?.call_id_key ?? undefined, links.call));

  const { tasks } = await monitor.json<TaskList>("/tasks/");
  add("task", map(tasks.find((task) => !task.core)?.task_id_key, links.task));
  add("core task", map(tasks.find((task) => task.core)?.task_id_key, links.task), { variant });
  const { runners } = await monitor.json<RunnerList>("/runners/?show=all");
  add("runner, active", map(runners.find((runner) => runner.active)?.runner_id, links.runner));
  add("runner, silent", map(runners.find((runner) => !runner.active)?.runner_id, links.runner), { variant });
  const { runs } = await monitor.json<WorkflowRunList>("/workflows/runs");
  add("workflow run", map(runs.find((run) => run.data_rows > 0)?.workflow_id, links.workflowRun));
  add("workflow type", map(runs[0]?.workflow_type_key, links.workflowType));
  const { rows } = await monitor.json<ClientDataOverview>("/client-data-store/");
  add("client value", map(rows[0]?.data_key, links.clientValue));

  add("no such invocation", links.invocation("no-such-id"), { status: 404 });
  add("no such page", "/no/such/page", { status: 404 });
  add("bad parameters", links.invocations({ page: "x", start_date: "yesterday" }), { status: 400 });
  return pages;
}
