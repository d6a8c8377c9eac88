/** The names of runners, as shown beside what they did. */
import { describe, expect, it } from "vitest";
import { runnerNames } from "../../../src/services/model/runner-names.ts";
import { counting } from "../../support/counting.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const app = memoryApp()
  .context("grandparent")
  .context("process", { runner_cls: "MultiThreadRunner", pid: 7, parent_ctx_id: "grandparent" })
  .context("thread", { hostname: "β", thread_id: 9, parent_ctx_id: "process" })
  .context("orphan", { parent_ctx_id: "gone" });

const missing = (runner_id: string) => ({
  runner_id,
  context_missing: true,
  runner_cls: null,
  hostname: null,
  pid: null,
  thread_id: null,
  parent: null,
});

describe("names of runners", () => {
  it("consist of class, host, process and thread, and those of the parent, but not of the grandparent", async () => {
    const names = await app.store.read((reads) => runnerNames(reads, ["thread"]));
    expect([...names]).toEqual([
      [
        "thread",
        {
          runner_id: "thread",
          context_missing: false,
          runner_cls: "ThreadRunner",
          hostname: "β",
          pid: 100,
          thread_id: 9,
          parent: {
            runner_id: "process",
            context_missing: false,
            runner_cls: "MultiThreadRunner",
            hostname: "host",
            pid: 7,
            thread_id: 1,
            parent: null,
          },
        },
      ],
    ]);
  });

  it("mark a missing context, also of a parent", async () => {
    const names = await app.store.read((reads) => runnerNames(reads, ["gone", "orphan"]));
    expect(names.get("gone")).toEqual(missing("gone"));
    expect(names.get("orphan")).toMatchObject({ context_missing: false, parent: missing("gone") });
  });

  it("are read in two steps, whatever their number, each runner once", async () => {
    const { store, calls } = counting(app.store);
    const names = await store.read((reads) => runnerNames(reads, ["thread", "orphan", "thread", "process"]));
    expect([[...names.keys()], calls()]).toEqual([["thread", "orphan", "process"], 2]);
  });
});
