/** The history of an invocation in the form of pynenc's own monitor. */
import { expect, it } from "vitest";
import { invocationHistoryApi } from "../../../src/http/legacy/invocation-history.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

it("the legacy history names each runner and its parent runner, as far as their contexts are stored", async () => {
  const app = memoryApp()
    .context("parent-0123456789", { runner_cls: "MultiThreadRunner", hostname: "web", pid: 7, thread_id: 8 })
    .context("child-0123456789", {
      runner_cls: "ThreadRunner",
      parent_ctx_id: "parent-0123456789",
      hostname: "web",
      pid: 9,
      thread_id: null,
    })
    .invocation("a", {
      history: [
        [at(0), "registered", "nobody"],
        [at(1), "pending", "parent-0123456789"],
        [at(3), "running", "child-0123456789"],
      ],
    });
  const [registered, pending, running] = await invocationHistoryApi(app.opened, "a");
  expect(registered).toMatchObject({
    runner_context_summary: "N/A",
    runner_id: "nobody",
    runner_cls: null,
    parent_runner_id: null,
    since_previous_seconds: null,
  });
  expect(pending).toMatchObject({
    runner_context_summary: "MultiThreadRunner(parent-)",
    hostname: "web",
    pid: "7",
    thread_id: "8",
    parent_runner_cls: null,
    since_previous_seconds: 1,
  });
  expect(running).toMatchObject({
    runner_context_summary: "MultiThreadRunner(parent-).ThreadRunner[child-0]",
    runner_cls: "ThreadRunner",
    pid: "9",
    thread_id: null,
    parent_runner_cls: "MultiThreadRunner",
    parent_runner_id: "parent-0123456789",
    parent_hostname: "web",
    parent_pid: "7",
    parent_thread_id: "8",
    since_previous_seconds: 2,
  });
});
