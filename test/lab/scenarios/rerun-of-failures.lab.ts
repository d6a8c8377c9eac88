import { beforeAll, describe, expect, it } from "vitest";
import type { InvocationList } from "../../../src/api/invocations.ts";
import type { RerunManyOutcome, RerunManyPreview } from "../../../src/api/reruns.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE } from "../world.ts";

const BAD = ["bad-1", "bad-2", "bad-3"];
const GOOD = ["good-1", "good-2"];
const FAILED = "status:failed task:families.*";

type Row = InvocationList["invocations"][number];

scenario(
  {
    story: "Failed families are run again by a filter while a runner works",
    app: "families",
    settings: RECOVERY_ONCE,
    core: "sqlite and mongodb",
    also: [
      ["sqlite", "0.2.3"],
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const tops = new Map<string, string>();
    let before: Row[] = [];
    let preview: RerunManyPreview;

    const rows = async (query = "task:families.*") =>
      (await world().monitor.json<InvocationList>("invocations", query, "--limit", "200")).invocations;
    /** The orders with which a task began, in order. */
    const began = (task: string) =>
      world()
        .truth.all({ what: "begins", task })
        .map(({ args, kwargs }) => (kwargs as { order?: string }).order ?? (args as string[])[0] ?? "");

    beforeAll(async () => {
      world().runner({ threads: 4 });
      await world().recovered();
      for (const order of [...BAD, ...GOOD]) {
        tops.set(order, await world().call("buys", { order }));
        await world().untilStatus(tops.get(order) ?? "", BAD.includes(order) ? "failed" : "success");
      }
      before = await rows();
      preview = await world().monitor.json<RerunManyPreview>("rerun", "--query", FAILED, "--dry-run");
    });

    it("the preview matches every failure, and takes the topmost of each family", () => {
      expect(preview.taken + preview.matches_below).toBe(2 * BAD.length);
      expect(preview).toMatchObject({
        taken: BAD.length,
        registered: BAD.length,
        refusals: [],
        left_out: 0,
        refused: null,
      });
      expect(preview.calls.map(({ invocation_id }) => invocation_id).sort()).toEqual(
        BAD.map((order) => tops.get(order)).sort(),
      );
      // Each calls `reserves` and `pays` again.
      expect(preview.calls.every(({ led_to }) => led_to === 2)).toBe(true);
    });

    it("the preview groups the calls by task and exception, and shows their arguments", () => {
      expect(preview.groups).toMatchObject([{ task_id_key: "families.buys", registered: BAD.length, refused: 0 }]);
      expect(preview.groups[0]?.exception_type).toContain("CardDeclined");
      const shown = preview.calls.map(({ arguments_line }) => arguments_line ?? "");
      for (const order of BAD) expect(shown.some((line) => line.includes(order))).toBe(true);
    });

    it("HTTP and the terminal preview the same numbers", async () => {
      const http = await world().monitor.http<RerunManyPreview>(`/invocations/rerun?q=${encodeURIComponent(FAILED)}`);
      expect(http).toMatchObject({ taken: preview.taken, called_again: preview.called_again });
      const { code, stdout } = await world().monitor.run(["rerun", "--query", FAILED, "--dry-run"]);
      expect(code).toBe(0);
      expect(stdout).toContain("families.buys");
    });

    it("the preview changes no row and runs no task", async () => {
      expect(await rows()).toEqual(before);
      expect(began("buys")).toHaveLength(BAD.length + GOOD.length);
    });

    it("the preview with --all takes every match, also those that others called", async () => {
      const all = await world().monitor.json<RerunManyPreview>("rerun", "--query", FAILED, "--all", "--dry-run");
      expect(all).toMatchObject({ taken: 2 * BAD.length, registered: 2 * BAD.length, matches_below: 0 });
      // Those at the top call again what is registered as well.
      expect(all.called_again).toBe(2 * BAD.length);
    });

    it("the preview of a single rerun shows the arguments of the call, and the calls below it", async () => {
      const { stdout } = await world().monitor.run(["rerun", tops.get("bad-1") ?? "", "--dry-run"]);
      expect(stdout).toContain("bad-1");
      expect(stdout).toContain("2 calls below");
      expect(stdout).toContain("1 of families.reserves");
    });

    describe("after the rerun", () => {
      let outcome: RerunManyOutcome;
      let mark: Record<string, number>;

      beforeAll(async () => {
        mark = { buys: began("buys").length, reserves: began("reserves").length, pays: began("pays").length };
        outcome = await world().monitor.json<RerunManyOutcome>("rerun", "--query", FAILED, "--yes");
        world().truth.note("runs again", { ids: outcome.new_invocation_ids });
        for (const id of outcome.new_invocation_ids) await world().untilStatus(id, "failed");
      });

      /** What began of a task since then. */
      const again = (task: string) => began(task).slice(mark[task]);

      it("as many calls are registered as the preview shows", () => {
        expect(outcome).toMatchObject({
          taken: preview.taken,
          registered: preview.registered,
          refusals: [],
          stopped: null,
        });
        expect(outcome.new_invocation_ids).toHaveLength(BAD.length);
        expect(outcome.unqueued_invocation_ids).toEqual([]);
      });

      it("runners have run each member of the failed families exactly once, and no other call", () => {
        for (const task of ["buys", "reserves", "pays"]) expect(again(task).sort()).toEqual(BAD);
        for (const id of outcome.new_invocation_ids) {
          expect(world().truth.all({ what: "begins", invocation: id })).toHaveLength(1);
        }
      });

      it("the preview and the outcome count every call that ran again below the registered ones", () => {
        const really = again("buys").length + again("reserves").length + again("pays").length;
        expect([preview.called_again, outcome.called_again]).toEqual([really - BAD.length, really - BAD.length]);
      });

      it("the preview lists first the task that had succeeded and runs again", async () => {
        const { stdout } = await world().monitor.run(["rerun", "--query", FAILED, "--dry-run"]);
        expect(again("reserves")).toHaveLength(BAD.length);
        expect(preview.called_again_by_task).toEqual([
          { task_id_key: "families.reserves", calls: BAD.length, succeeded: BAD.length },
          { task_id_key: "families.pays", calls: BAD.length, succeeded: 0 },
        ]);
        expect(stdout).toMatch(/had succeeded: \d+ of families\.reserves\./);
      });

      it("the rows of the earlier invocations are unchanged", async () => {
        const earlier = new Set(before.map(({ invocation_id }) => invocation_id));
        const now = await rows();
        expect(now.filter(({ invocation_id }) => earlier.has(invocation_id))).toEqual(before);
        expect(now).toHaveLength(before.length + 3 * BAD.length);
      });

      it("the new invocations have no parent, and children of their own", async () => {
        const now = await rows();
        for (const id of outcome.new_invocation_ids) {
          expect(now.find(({ invocation_id }) => invocation_id === id)?.parent_invocation_id).toBeNull();
          const children = now.filter(({ parent_invocation_id }) => parent_invocation_id === id);
          expect(children.map(({ task_id_key }) => task_id_key).sort()).toEqual(["families.pays", "families.reserves"]);
        }
      });

      it("monitor why names the same deepest failure for a new invocation as for the old one", async () => {
        const { monitor } = world();
        const [id = ""] = outcome.new_invocation_ids;
        const { verdict } = await monitor.json<WhyAnswer>("why", id);
        expect(verdict?.code).toBe("failed_below");
        const [deepest] = verdict?.evidence ?? [];
        const row = (await rows()).find(({ invocation_id }) => invocation_id === deepest?.id);
        expect(row).toMatchObject({ task_id_key: "families.pays", parent_invocation_id: id });
      });

      it("the record of actions has the rerun with its counts", async () => {
        const { entries } = await world().monitor.json<{
          entries: { action: string; outcome: string; counters: object }[];
        }>("audit");
        expect(entries[0]).toMatchObject({ outcome: "done", counters: { registered: BAD.length } });
      });
    });
  },
);
