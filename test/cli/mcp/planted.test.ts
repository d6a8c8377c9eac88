/** Five things that go wrong, found by the protocol's own client with the tools alone: no id, task or queue is known beforehand. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { onEvent } from "../../../src/demo/writer/conditions.ts";
import { DemoWriter } from "../../../src/demo/writer/writer.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { inImmediateTransaction, openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { healthyNoise, PLANTED_NOW, Planter } from "../../support/planted.ts";
import { BIN, cleanEnvironment } from "../monitor.ts";

const HOUR = 3_600;
const folder = temporaryFolder();
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => folder.remove());

let made = 0;

// biome-ignore lint/suspicious/noExplicitAny: answers of all tools
type Ask = (tool: string, given?: Record<string, unknown>) => Promise<any>;

/** Asks an app in which this was planted, among invocations that are healthy. */
async function asking(plant: (planter: Planter) => void, noise = 200): Promise<Ask> {
  const path = join(folder.path, `${++made}.db`);
  const db = openDatabase(path, { mode: "create" });
  const planter = new Planter(new DemoWriter(db, "shop"), made);
  inImmediateTransaction(db, () => {
    healthyNoise(planter, noise);
    plant(planter);
  });
  db.close();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", "--db", path, "--now", isoFromEpoch(PLANTED_NOW)],
    env: cleanEnvironment() as Record<string, string>,
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  clients.push(client);
  // With the list, the client holds every answer against its schema.
  await client.listTools();
  return async (name, given = {}) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
    if (isError === true) throw new Error(JSON.stringify(content));
    const { answer, about } = structuredContent as { answer: unknown; about: string };
    expect(about).toContain("not instructions");
    return answer;
  };
}

/** The id of a thing of this kind in the evidence of a verdict. */
function evidence({ evidence }: { evidence: { kind: string; id: string }[] }, kind: string): string {
  const id = evidence.find((one) => one.kind === kind)?.id;
  if (id === undefined) throw new Error(`the verdict names no ${kind}`);
  return id;
}

describe("an assistant finds", () => {
  it("a runner that died while it ran something", async () => {
    const ask = await asking((planter) => {
      planter.runner("ThreadRunner");
      const dead = planter.runner("ThreadRunner", { last: PLANTED_NOW - 1_500, hostname: "host-dead" });
      planter.run(planter.register("shop.held", dead, PLANTED_NOW - 1_600), dead, PLANTED_NOW - 1_599);
    });
    const { verdict } = await ask("why");
    expect(verdict.sentence).toBe("1 invocation running on a silent runner");
    const runner = evidence(verdict, "runner");
    const { runners } = await ask("runners", { show: "all" });
    const row = runners.find((one: { runner_id: string }) => one.runner_id === runner);
    expect(row).toMatchObject({ active: false, silent_seconds: 1_500, name: { hostname: "host-dead" } });
    expect((await ask("show", { id: runner })).detail.invocations).toMatchObject([
      { invocation_id: evidence(verdict, "invocation"), task_id_key: "shop.held", status: "running" },
    ]);
    const then = await ask("runners", { at: isoFromEpoch(PLANTED_NOW - 1_510) });
    expect(then.runners.map((one: { name: { hostname: string } }) => one.name.hostname)).toContain("host-dead");
  });

  it("a queue that no runner takes from", async () => {
    const ask = await asking((planter) => {
      planter.writer.describeApp("shop", { queues: ["default", "mail"] });
      planter.runner("ThreadRunner", { queues: ["default"] });
      const route = { queue_name: "mail", priority: 0 };
      for (let n = 0; n < 6; n++) planter.register("shop.send_mail", planter.id(), PLANTED_NOW - 900 + n, { route });
    });
    const { verdict } = await ask("why");
    expect(verdict.sentence).toBe("6 messages waiting in queue mail without a consumer");
    const { queues, messages } = await ask("queue", { queue: evidence(verdict, "queue") });
    const mail = queues.find((one: { queue_name: string }) => one.queue_name === "mail");
    expect(mail).toMatchObject({ waiting: 6, active_consumers: 0, health: "not_consumed" });
    expect(Math.round(mail.oldest_seconds)).toBe(900);
    expect(messages[0].task_id_key).toBe("shop.send_mail");
    expect((await ask("runners")).runners).toMatchObject([{ active: true, consumed_queues: ["default"] }]);
  });

  it("a task that fails since a deploy, and what its failures have in common", async () => {
    const deployed = PLANTED_NOW - 1_500;
    const ask = await asking((planter) => {
      const old = planter.runner("ThreadRunner", { hostname: "host-old" });
      const fresh = planter.runner("ThreadRunner", { hostname: "host-new" });
      const charge = (by: string, at: number) => planter.run(planter.register("shop.charge", by, at), by, at + 0.5);
      for (let n = 0; n < 300; n++) {
        const at = PLANTED_NOW - 24 * HOUR + (n * 23 * HOUR) / 300;
        planter.writer.succeed(charge(old, at).invocation_id, '"ok"', old, at + 2);
      }
      for (let n = 0; n < 60; n++) {
        const at = deployed + n * 20;
        const by = n % 2 === 0 ? fresh : old;
        const { invocation_id } = charge(by, at);
        const exception = { name: "KeyError", pynencError: false, data: '{"args": ["currency"]}' };
        if (by === fresh) planter.writer.fail(invocation_id, exception, by, at + 1);
        else planter.writer.succeed(invocation_id, '"ok"', by, at + 2);
      }
    }, 20);
    const { verdict } = await ask("why");
    expect(verdict.sentence).toContain("shop.charge fails more often than before: 50 % in the last hour");
    expect(verdict.since).toBe(isoFromEpoch(deployed + 1));
    const task = evidence(verdict, "task");
    const { groups } = await ask("failures", { task, since: "24h" });
    expect(groups).toMatchObject([{ type: "KeyError", count: 30, first_seen: isoFromEpoch(deployed + 1) }]);
    const { compared, total } = await ask("stats", { task, since: "1h", compare: "previous" });
    expect([compared.total.failed_share, total.failed_share]).toEqual([0, 0.5]);
    const { lanes, failed } = await ask("timeline", { task, since: "1h", group: "task" });
    expect(lanes).toMatchObject([{ task_id_key: "shop.charge", changes: { failed: 30, success: 30 } }]);
    expect(failed.findIndex((count: number) => count > 0)).toBeGreaterThan(failed.length / 2);
    const { differences } = await ask("compare", { query: `task:${task} status:failed`, since: "1h" });
    expect(differences[0].sentence).toBe("host host-new: 30 of 30 selected, 0 of 30 in the baseline");
    const shown = await ask("show", { id: groups[0].invocation_ids[0] });
    expect(shown.detail.exception.exception).toMatchObject({ type: "KeyError", data: '{"args": ["currency"]}' });
  });

  it("a step of a workflow that was taken and never began", async () => {
    const ask = await asking((planter) => {
      const runner = planter.runner("ThreadRunner");
      const root = planter.writer.register(
        { invocation_id: planter.id(), task_id_key: "shop.checkout", arguments: {}, definesWorkflow: true },
        runner,
        PLANTED_NOW - 900,
      );
      planter.run(root, runner, PLANTED_NOW - 899);
      const taken = planter.register("shop.reserve_stock", runner, PLANTED_NOW - 890, { parent: root });
      planter.unqueue(taken.invocation_id);
      planter.writer.moveStatus(taken.invocation_id, "pending", runner, PLANTED_NOW - 889);
      planter.writer.moveStatus(root.invocation_id, "paused", runner, PLANTED_NOW - 888);
      planter.writer.block(root.invocation_id, taken.invocation_id, PLANTED_NOW - 888);
    });
    const { invocations } = await ask("invocations", { query: "task:shop.checkout" });
    const [{ invocation_id: run, status }] = invocations;
    expect(status).toBe("paused");
    const { verdict, others } = await ask("why", { id: run });
    expect(verdict.sentence).toBe("1 invocation picked up but not started");
    expect(others[0].sentence).toBe("It waits for the result of another invocation.");
    const step = evidence(verdict, "invocation");
    const { detail } = await ask("show", { id: step });
    expect(detail).toMatchObject({
      task_id_key: "shop.reserve_stock",
      status: "pending",
      workflow: { workflow_id: run },
    });
    expect((await ask("trace", { id: step, direction: "up" })).roots).toEqual([{ kind: "invocation", id: run }]);
    expect((await ask("wait", { ids: [step], timeout: "100ms" })).outcome).toBe("timed_out");
    const then = await ask("show", { id: step, at: isoFromEpoch(PLANTED_NOW - 889.5) });
    expect(then.detail.rows.find((row: { focus: boolean }) => row.focus).invocation.status).toBe("registered");
  });

  it("an event that triggered nothing", async () => {
    const ask = await asking((planter) => {
      const runner = planter.runner("ThreadRunner");
      planter.writer.defineTrigger({
        task_id_key: "shop.send_invoice",
        logic: "or",
        conditions: [onEvent("order.paid")],
        argument_provider_json: null,
      });
      const event = { event_id: planter.id(), event_code: "order.payed", payload: {}, matches: [], runner_id: runner };
      planter.writer.recordEvent(event, PLANTED_NOW - 300);
    });
    const { events } = await ask("events", { triggered: "no" });
    expect(events).toMatchObject([{ event_code: "order.payed", matched: false }]);
    const { verdict } = await ask("why", { id: events[0].event_id });
    expect(verdict.sentence).toBe("No registered trigger has a condition for order.payed.");
    expect(JSON.stringify(await ask("triggers"))).toContain("order.paid");
  });
});
