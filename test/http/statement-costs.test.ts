import { writeFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { main } from "../../src/cli/program.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { presentOf } from "../support/fixtures.ts";
import { monitorOf } from "../support/monitor.ts";
import { countStatements, sum } from "../support/statements.ts";

it("measures", { timeout: 200_000 }, async () => {
  let present = presentOf("kitchen_sink.db");
  vi.spyOn(Date, "now").mockImplementation(() => (present += 0.0001) * 1000);
  const monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink", now: undefined } as never);
  const first = async (status: string) =>
    (await monitor.json<{ invocations: { invocation_id: string }[] }>(`/invocations/?status=${status}`)).invocations[0]
      ?.invocation_id ?? "";
  const ids = Object.fromEntries(
    await Promise.all(
      ["success", "failed", "registered", "running", "paused", "pending"].map(
        async (s) => [s, await first(s)] as const,
      ),
    ),
  );
  const { runs } = await monitor.json<{ runs: { workflow_id: string; data_rows: number }[] }>("/workflows/runs");
  const { runners } = await monitor.json<{ runners: { runner_id: string }[] }>("/runners/");
  const { tasks } = await monitor.json<{ tasks: { task_id_key: string; core: boolean }[] }>("/tasks/");
  const { events } = await monitor.json<{ events: { event_id: string }[] }>("/events/");
  const run = runs.find((one) => one.data_rows > 0)?.workflow_id;
  const pages: Record<string, string> = {
    "/": "/",
    list: "/invocations/?limit=50",
    ...Object.fromEntries(Object.entries(ids).map(([s, id]) => [`invocation ${s}`, `/invocations/${id}`])),
    why: "/why",
    ...Object.fromEntries(Object.entries(ids).map(([s, id]) => [`why ${s}`, `/why?id=${id}`])),
    queue: "/broker/queue",
    "workflow run": `/workflows/runs/${run}`,
    tasks: "/tasks/",
    task: `/tasks/${tasks.find((t) => !t.core)?.task_id_key}`,
    runners: "/runners/",
    runner: `/runners/${runners[0]?.runner_id}`,
    event: `/events/${events[0]?.event_id}`,
    failures: "/failures/",
    orchestrator: "/orchestrator/",
    timeline: "/timeline",
    metrics: "/metrics",
  };
  const counter = countStatements();
  const lines: string[] = [];
  const db = openDatabase(monitor.path, { mode: "write" } as never);
  let change = 1;
  for (const [name, path] of Object.entries(pages)) {
    const ask = async () => {
      const r = await monitor.get(path, { headers: { accept: "text/html" } });
      if (r.status !== 200) lines.push(`   ${name} ${r.status}`);
      await r.text();
    };
    await ask();
    db.exec(`PRAGMA user_version = ${change++}`);
    counter.taken();
    await ask();
    const cold = counter.taken();
    await ask();
    const warm = counter.taken();
    lines.push(`${name.padEnd(24)} cold ${String(sum(cold)).padStart(4)}  warm ${String(sum(warm)).padStart(4)}`);
    if (process.env.DETAIL?.split(",").includes(name))
      for (const [what, counts] of [
        ["cold", cold],
        ["warm", warm],
      ] as const)
        lines.push(
          `   ${what}: ${[...counts]
            .sort((a, b) => b[1] - a[1])
            .map(([m, n]) => `${m} ${n}`)
            .join(", ")}`,
        );
  }
  const cli = async (name: string, ...argv: string[]) => {
    const written: unknown[] = [];
    const write = process.stdout.write;
    process.stdout.write = ((text: unknown) => (written.push(text), true)) as never;
    counter.taken();
    try {
      await main([
        "--db",
        monitor.path,
        "--app",
        "kitchen_sink",
        "--now",
        new Date(monitor.workspace.now() * 1000).toISOString(),
        ...argv,
        "--json",
      ]);
    } finally {
      process.stdout.write = write;
    }
    const counts = counter.taken();
    lines.push(`cli ${name.padEnd(20)} ${String(sum(counts)).padStart(4)}`);
    if (process.env.DETAIL?.split(",").includes(`cli ${name}`))
      lines.push(
        `   ${[...counts]
          .sort((a, b) => b[1] - a[1])
          .map(([m, n]) => `${m} ${n}`)
          .join(", ")}`,
      );
  };
  await cli("why", "why");
  for (const [s, id] of Object.entries(ids)) if (id) await cli(`why ${s}`, "why", id);
  await cli("status", "status");
  for (const [s, id] of Object.entries(ids)) if (id) await cli(`show ${s}`, "show", id);
  await cli("invocations", "invocations", "--limit", "50");
  counter.stop();
  db.close();
  await monitor.close();
  writeFileSync(process.env.OUT ?? "/tmp/costs/out.txt", `${lines.join("\n")}\n`);
  expect(lines.length).toBeGreaterThan(5);
});
