/** The real store of pynenc 0.4: its queues, messages and runners on pages and as JSON. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrokerOverview } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { Verdict } from "../../src/api/verdicts.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const HTML = { headers: { accept: "text/html" } };
const SNAPSHOT = Date.parse("2026-11-22T01:08:54.708Z") / 1000;
const LATER = Date.parse("2026-11-22T01:09:20Z") / 1000;
let monitor: Monitor;
let later: Monitor;
beforeAll(async () => {
  monitor = await monitorOf("queues_040.db", "in process", { now: SNAPSHOT });
  later = await monitorOf("queues_040.db", "in process", { now: LATER });
});
afterAll(() => Promise.all([monitor.close(), later.close()]));

const health = ({ queues }: Pick<BrokerOverview, "queues">) =>
  queues.map((one) => [one.queue_name, one.waiting, one.finished, one.active_consumers, one.health]);

describe("the broker of a store of pynenc 0.4", () => {
  it("counts for each queue the messages that wait, the stale ones and the runners that take from it", async () => {
    const overview = await monitor.json<BrokerOverview>("/broker/");
    expect([overview.named_queues, overview.messages]).toEqual([true, 29]);
    expect(health(overview)).toEqual([
      ["default", 5, 0, 1, "consuming"],
      ["mail", 10, 0, 1, "consuming"],
      ["reports", 7, 0, 1, "consuming"],
      ["archive", 4, 1, 0, "not_consumed"],
      ["adhoc", 2, 0, 0, "not_configured"],
    ]);
    expect(health(await later.json<BrokerOverview>("/broker/"))[2]).toEqual(["reports", 7, 0, 0, "not_consumed"]);
    // The message that has been there longest is of an invocation that succeeded.
    const oldest = "2026-11-22T01:08:51.47";
    expect(overview.oldest_queued_at?.startsWith(oldest)).toBe(true);
    expect(overview.next.map((row) => [row.queue_name, row.place, row.priority, row.task_id_key])).toEqual([
      ["adhoc", 1, 1, "shop_tasks.adhoc_fix"],
      ["archive", 2, 0, "shop_tasks.archive_order"],
      ["default", 1, 10, "shop_tasks.order_flow"],
      ["mail", 1, 90, "shop_tasks.urgent_mail"],
      ["reports", 1, 100, "shop_tasks.board_report"],
    ]);
    const fields = overview.settings.map(({ field, value }) => [field, value]);
    expect(fields).toContainEqual(["broker.queues", "default, mail, reports, archive"]);
    expect(fields).toContainEqual([
      "priority_rules",
      "shop_tasks.urgent_*: 90, shop_tasks.*_mail: 1, pynenc.core_tasks.*: 100",
    ]);
  });

  it("shows the queues on its pages", async () => {
    const text = async (path: string) => (await monitor.get(path, HTML)).text();
    const broker = await text("/broker/");
    expect(broker).not.toContain("mark-good");
    for (const words of ["no consumer", "not declared", "Purge all queues"]) expect(broker).toContain(words);
    const contains = async (path: string, words: string) =>
      expect([path, (await text(path)).includes(words)]).toEqual([path, true]);
    await contains("/broker/queue?queue=archive", "left over");
    await contains("/broker/queue?queue=nobody", "No message is in queue nobody");
    await contains("/broker/purge?queue=mail", "<title>Purge queue mail");
    const form = parse(await text("/broker/purge?queue=mail"));
    expect(form.querySelectorAll("#card-rows tbody tr").length).toBeGreaterThan(0);
    const back = form.querySelectorAll(".trail a, .confirm-form a.quiet").map((link) => link.getAttribute("href"));
    expect(back).toEqual(Array(2).fill(expect.stringMatching(/^\/broker\/queue\?queue=mail/)));
    await contains("/", "without a consumer");
    expect((await monitor.post("/broker/purge", { queue: "" })).status).toBe(400);
    expect(await text("/runners/?show=all")).toContain("every declared queue");
  });

  it("names on the dashboard and in the status the messages that no runner takes", async () => {
    const sentences = (verdicts: readonly Verdict[]) => verdicts.map(({ sentence }) => sentence);
    const { verdicts, overview } = await monitor.json<Dashboard>("/");
    expect(sentences(verdicts)).toEqual([
      "4 messages waiting in queue archive without a consumer",
      "2 messages waiting in queue adhoc, not declared in broker.queues",
    ]);
    expect(health(overview)).toHaveLength(5);
    const after = await later.json<Dashboard>("/");
    expect(sentences(after.verdicts)).toContain("11 messages waiting in 2 queues without a consumer");
    expect(after.verdicts.find(({ sentence }) => sentence.startsWith("11"))?.detail).toContain(
      "reports (7), archive (4)",
    );
  });
});
