/** Requeue over HTTP: page, form and script, of one invocation and of several. */
import { parse } from "node-html-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RequeueOutcome, RequeuePreview } from "../../src/api/actions.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { changes, contentsOf } from "../support/contents.ts";
import { presentOf } from "../support/fixtures.ts";
import { type Monitor, monitorOf, testMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const QUEUE = `${tablePrefix(APP)}__broker_message_queue`;
const FORM = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };

describe("requeue", () => {
  let monitor: Monitor;
  /** Registered, the newest first; their messages are gone. */
  let ids: string[];
  beforeEach(async () => {
    // An hour after the data ends, so that nothing in it has changed a moment ago.
    monitor = await monitorOf("kitchen_sink.db", "over a socket", {
      alone: APP,
      now: presentOf("kitchen_sink.db") + 3_600,
    });
    expect((await monitor.post("/broker/purge")).status).toBe(200);
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=registered");
    ids = invocations.map((row) => row.invocation_id);
    expect(ids).toHaveLength(6);
  });
  afterEach(() => monitor.close());

  it("puts the message of an invocation back once", async () => {
    const [id = ""] = ids;
    const page = parse(await monitor.text(`/invocations/${id}`));
    expect(page.querySelector(`a[href="/invocations/${id}/requeue"]`)?.text).toContain("Requeue");
    expect(page.querySelector("main")?.text).toContain("missing from the queue");
    const preview = await monitor.json<RequeuePreview>(`/invocations/${id}/requeue`);
    expect(preview).toMatchObject({ app_id: APP, requeued: 1, refused: null, location: monitor.path });
    const before = contentsOf(monitor.path);
    const done = await monitor.post(`/invocations/${id}/requeue`);
    expect([done.status, await done.json()]).toEqual([
      200,
      expect.objectContaining({ success: true, action: "requeue", invocation_ids: [id], refused: [] }),
    ]);
    expect(changes(before, contentsOf(monitor.path))).toEqual({ [QUEUE]: 1 });
    expect(await monitor.json<InvocationDetail>(`/invocations/${id}`)).toMatchObject({
      status: "registered",
      queued: true,
      requeueable: false,
    });
    expect(await monitor.text(`/invocations/${id}`)).not.toContain("Requeue");
    const again = await monitor.post(`/invocations/${id}/requeue`);
    expect([again.status, ((await again.json()) as { detail: string }).detail]).toEqual([
      409,
      "No message can be put into the queue: its message is in the queue.",
    ]);
    expect((await monitor.json<RequeuePreview>(`/invocations/${id}/requeue`)).refused).toContain("is in the queue");
    expect(changes(before, contentsOf(monitor.path))).toEqual({ [QUEUE]: 1 });
  });

  it("has a form that leads back to the invocation", async () => {
    const [id = ""] = ids;
    const form = parse(await monitor.text(`/invocations/${id}/requeue`)).querySelector("form.confirm-form");
    expect(form?.getAttribute("action")).toBe(`/invocations/${id}/requeue`);
    expect(form?.querySelector("input[name=app_id]")?.getAttribute("value")).toBe(APP);
    const done = await monitor.post(`/invocations/${id}/requeue`, undefined, FORM);
    expect([done.status, done.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^/invocations/${id}\\?done=`)),
    ]);
    const next = parse(await monitor.text(done.headers.get("location") ?? ""));
    expect(next.querySelector(".notice-info")?.text).toContain("Put the message of");
  });

  it("is offered by the verdict for all its invocations, and puts their messages back in the order they waited", async () => {
    const dashboard = parse(await monitor.text("/"));
    const href = dashboard.querySelectorAll(".verdict-action").find((link) => link.text.startsWith("Requeue"));
    const target = href?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "";
    expect(target).toContain(`inv_ids=${ids[0]}`);
    const asked = parse(await monitor.text(target));
    const fields = asked.querySelectorAll("form.confirm-form input[name=inv_ids]");
    // Another one waits for the oldest, so that a runner takes it without a message.
    expect(fields.map((field) => field.getAttribute("value"))).toEqual(ids.slice(0, -1));
    expect(asked.querySelectorAll("main tbody tr")).toHaveLength(5);
    const before = contentsOf(monitor.path);
    const body = { inv_ids: [...ids, "nobody"] };
    const done = (await (await monitor.post("/invocations/requeue", body)).json()) as RequeueOutcome;
    expect(done.invocation_ids).toEqual([...ids].reverse());
    expect(done.refused.map((one) => [one.invocation_id, one.kind])).toEqual([["nobody", "unknown"]]);
    expect(changes(before, contentsOf(monitor.path))).toEqual({ [QUEUE]: 6 });
    const queue = await monitor.json<{ messages: { invocation_id: string }[] }>("/broker/queue");
    expect(queue.messages.map((message) => message.invocation_id)).toEqual([...ids].reverse());
    expect(await monitor.text("/")).not.toContain("in no queue");
  });

  it("refuses invocations that need no message, and changes nothing", async () => {
    const before = contentsOf(monitor.path);
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=success&limit=1");
    const over = invocations[0]?.invocation_id ?? "";
    const answers = [
      [`/invocations/${over}/requeue`, 409, "it is final: its status is success"],
      ["/invocations/none/requeue", 404, "No invocation"],
      ["/invocations/requeue", 400, "inv_ids"],
      ["/invocations/requeue?inv_ids=none,no-one", 404, "none"],
      [`/invocations/${over}/requeue?dry_run=1`, 400, "dry_run"],
    ] as const;
    for (const [target, status, words] of answers) {
      const answer = await monitor.post(target);
      expect([target, answer.status, await answer.text()]).toEqual([target, status, expect.stringContaining(words)]);
    }
    const other = await monitor.post(`/invocations/${ids[0]}/requeue`, { app_id: "other" });
    expect(other.status).toBe(409);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });
});

it("a read-only monitor offers no requeue", async () => {
  const monitor = await testMonitor(
    monitorOf("kitchen_sink.db", "in process", {
      app: APP,
      readOnly: true,
      now: presentOf("kitchen_sink.db") + 3_600,
    }),
  );
  const { invocations } = await monitor.json<InvocationList>("/invocations/?status=registered&limit=1");
  const target = `/invocations/${invocations[0]?.invocation_id}`;
  expect(await monitor.text(target)).not.toContain(`${target}/requeue`);
  const page = parse(await monitor.text(`${target}/requeue`));
  expect(page.querySelector("main")?.text).toContain("read-only");
  expect(page.querySelectorAll("main form[method=post]")).toHaveLength(0);
  expect((await monitor.post(`${target}/requeue`)).status).toBe(403);
});
