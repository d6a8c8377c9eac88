import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { PurgeOutcome, PurgePreview } from "../../../src/api/actions.ts";
import type { StatusReport } from "../../../src/api/health.ts";
import type { InvocationList } from "../../../src/api/invocations.ts";
import type { RerunOutcome } from "../../../src/api/reruns.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { epoch } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { type LabRunner, RECOVERY_ONCE, type World } from "../world.ts";

const CALLS = 3;

interface Situation {
  runner: LabRunner;
  /** Runs, until the lab opens the gate. */
  held: string;
  /** Wait behind it, oldest first. */
  waiting: string[];
}

/** A runner with one slot that is busy, and calls that wait for it. */
async function busyRunner(world: World): Promise<Situation> {
  const { runner, held } = await world.busyRunner("gate", { threads: 1 });
  const waiting: string[] = [];
  for (let number = 1; number <= CALLS; number += 1) waiting.push(await world.call("ok", { order: `ORD-${number}` }));
  return { runner, held, waiting };
}

interface Purged {
  preview: PurgePreview;
  outcome: PurgeOutcome;
}

/** Previews a purge, then does it. */
async function purge(world: World, ...args: readonly string[]): Promise<Purged> {
  const preview = await world.monitor.json<PurgePreview>("purge", ...args, "--dry-run");
  const outcome = await world.monitor.json<PurgeOutcome>("purge", ...args, "--yes");
  world.truth.note("purges with the monitor", { args });
  return { preview, outcome };
}

/** Rows by table. A runner writes a run of the atomic service every few seconds, also between the preview and the purge. */
function rows(counts: PurgePreview["counts"]): Record<string, number> {
  return Object.fromEntries(
    counts
      .filter(({ name }) => !name.startsWith("atomic_service_"))
      .map(({ component, name, rows: many }) => [`${component} ${name}`, many]),
  );
}

/** How many of these calls have a message. */
async function queued(world: World, ids: readonly string[]): Promise<number> {
  const { messages } = await world.monitor.json<{ messages: { invocation_id: string }[] }>("queue");
  return messages.filter(({ invocation_id }) => ids.includes(invocation_id)).length;
}

async function codes(world: World, ...args: readonly string[]): Promise<string[]> {
  const { verdict, others } = await world.monitor.json<WhyAnswer>("why", ...args);
  return [verdict, ...others].flatMap((one) => one?.code ?? []);
}

const SETTINGS = { settings: RECOVERY_ONCE };

scenario(
  {
    story: "The queue is purged with the monitor while a runner works, and its messages are put back",
    ...SETTINGS,
    also: [
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let situation: Situation;
    let purged: Purged;

    beforeAll(async () => {
      situation = await busyRunner(world());
      purged = await purge(world(), "broker");
    });

    it("the purge deletes exactly the waiting messages, as its preview shows", () => {
      expect(purged.preview).toMatchObject({ total: CALLS, target: "broker", empties_queue: true, refused: null });
      expect(purged.outcome).toMatchObject({ deleted: CALLS, success: true, swept_messages: 0 });
      expect(rows(purged.outcome.rows)).toEqual(rows(purged.preview.counts));
    });

    it("the preview says which calls stay behind, and that a runner is active", () => {
      expect(purged.preview.consequences.join(" ")).toContain(`${CALLS} invocations wait for a runner`);
      expect(purged.preview.consequences.join(" ")).toContain("can make new ones for them");
      expect(purged.preview.runners_alive.count).toBe(1);
    });

    it("monitor why says of a call without a message that it is in no queue", async () => {
      const { verdict } = await world().monitor.json<WhyAnswer>("why", situation.waiting[0] ?? "");
      expect(`${verdict?.sentence} ${verdict?.detail}`).toMatch(/not in the queue|missing from the queue/);
    });

    it("the running call succeeds, and the runner stays alive", async () => {
      world().truth.open("gate");
      await world().untilStatus(situation.held, "success");
      const after = await world().call("ok", { order: "later" });
      await world().untilStatus(after, "success");
      const began = world().truth.all({ what: "begins", task: "ok" });
      expect(began.map(({ invocation }) => invocation)).toEqual([after]);
      const { verdict } = await world().monitor.json<WhyAnswer>("why", situation.held);
      expect(verdict?.code).toBe("ended_well");
    });

    it("the record of actions has the purge with its count", async () => {
      const { entries } = await world().monitor.json<{
        entries: { action: string; outcome: string; message: string; counters: { deleted?: number } }[];
      }>("audit");
      expect(entries).toMatchObject([{ action: "purge broker", outcome: "done", counters: { deleted: CALLS } }]);
    });

    describe("after a minute", () => {
      beforeAll(async () => {
        // It says so only of what has waited for a minute.
        while (!(await codes(world())).includes("waiting_in_no_queue")) await sleep(2_000);
      });

      it("a verdict names exactly the calls that wait in no queue, since the oldest was called", async () => {
        const { monitor, truth } = world();
        const { verdict, others } = await monitor.json<WhyAnswer>("why");
        expect(verdict).toMatchObject({ code: "waiting_in_no_queue", severity: "error", count: CALLS });
        expect(verdict?.evidence.map(({ id }) => id).sort()).toEqual([...situation.waiting].sort());
        expect(others).toEqual([]);
        const called = truth.made(situation.waiting[0] ?? "");
        expect(epoch(verdict?.since)).toBeGreaterThanOrEqual(called.from);
        expect(epoch(verdict?.since)).toBeLessThanOrEqual(called.to);
        expect((await monitor.run(["check"])).code).toBe(1);
        expect((await monitor.tool<WhyAnswer>("why")).verdict).toEqual(verdict);
      });

      it("monitor why has the verdict on such a call, and its page offers to put its message back", async () => {
        const [id = ""] = situation.waiting;
        const { verdict } = await world().monitor.json<WhyAnswer>("why", id);
        expect(verdict?.code).toBe("waiting_in_no_queue");
        expect(await world().monitor.page(`/invocations/${id}`)).toContain("Requeue");
      });

      it("monitor requeue puts back what its preview shows, and the runner runs each call exactly once", async () => {
        const { monitor, truth } = world();
        const preview = await monitor.json<{ requeued: number }>("requeue", ...situation.waiting, "--dry-run");
        expect(preview.requeued).toBe(CALLS);
        const outcome = await monitor.json<{ invocation_ids: string[] }>("requeue", ...situation.waiting, "--yes");
        expect([...outcome.invocation_ids].sort()).toEqual([...situation.waiting].sort());
        for (const id of situation.waiting) await world().untilStatus(id, "success");
        for (const id of situation.waiting) expect(truth.all({ what: "begins", invocation: id })).toHaveLength(1);
        expect((await monitor.json<WhyAnswer>("why")).verdict).toBeNull();
      });
    });
  },
);

scenario(
  {
    story: "The orchestrator is purged with the monitor, and its messages stay",
    ...SETTINGS,
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let situation: Situation;
    let purged: Purged;

    beforeAll(async () => {
      situation = await busyRunner(world());
      purged = await purge(world(), "orchestrator");
    });

    it("the purge deletes exactly what its preview shows, and no message", async () => {
      expect(rows(purged.outcome.rows)).toEqual(rows(purged.preview.counts));
      expect(purged.preview).toMatchObject({ stranded_messages: CALLS, empties_queue: false });
      expect(rows(purged.outcome.rows)).not.toHaveProperty("broker message_queue");
      expect((await world().monitor.json<StatusReport>("status")).queue.messages).toBe(CALLS);
    });

    it("the preview warns of the messages, and of the running call", () => {
      const said = purged.preview.consequences.join(" ");
      expect(said).toContain(`${CALLS} messages stay in the queue for invocations without a status`);
      expect(said).toContain("A ThreadRunner that takes one stops");
      expect(said).toContain("1 invocation under way (running) can no longer end");
    });

    it("every call is still listed, by the last entry of its history", async () => {
      const { invocations } = await world().monitor.json<InvocationList>("invocations", "task:work.*");
      const statuses = Object.fromEntries(invocations.map(({ invocation_id, status }) => [invocation_id, status]));
      expect(statuses).toEqual({
        [situation.held]: "running",
        ...Object.fromEntries(situation.waiting.map((id) => [id, "registered"])),
      });
      expect((await world().monitor.json<StatusReport>("status")).forgotten_invocations).toBeGreaterThanOrEqual(4);
    });

    it("a verdict names the messages whose invocations have no status", async () => {
      const { monitor } = world();
      const { verdicts } = await monitor.json<StatusReport>("status");
      const verdict = verdicts.find(({ code }) => code === "message_without_invocation");
      expect(verdict?.count).toBe(CALLS);
      expect(verdict?.evidence.map(({ id }) => id).sort()).toEqual([...situation.waiting].sort());
      expect(verdict?.next.map(({ command }) => command)).toContain("monitor purge broker");
    });

    it("monitor requeue refuses these calls with the reason", async () => {
      const { code, stderr, stdout } = await world().monitor.run(["requeue", ...situation.waiting, "--yes"]);
      expect(code).toBe(5);
      expect(stdout + stderr).toContain("no status is stored");
    });

    it("the runner ends with the first of these messages, as the preview says", async () => {
      world().truth.open("gate");
      await situation.runner.ended;
      expect(world().truth.all({ what: "returns", task: "held" })).toHaveLength(1);
      expect(world().truth.all({ what: "begins", task: "ok" })).toEqual([]);
      expect(await queued(world(), situation.waiting)).toBe(CALLS - 1);
    });

    describe("without any runner", () => {
      beforeAll(async () => {
        // Its last heartbeat would count as alive for some seconds.
        await world().purge("orchestrator");
      });

      // "No active runner" would be true too, but its advice would do harm until the queue is purged.
      it("the first verdict is about messages without a status, and no verdict suggests to start a runner", async () => {
        const { verdicts, runners } = await world().monitor.json<StatusReport>("status");
        expect(runners.active).toBe(0);
        expect(verdicts[0]?.code).toBe("message_without_invocation");
        // The call whose message the runner took before it ended has none any more.
        expect(["left_behind", undefined]).toContain(verdicts[1]?.code);
        expect(verdicts).toHaveLength(verdicts[1] === undefined ? 1 : 2);
        expect(verdicts.flatMap(({ next }) => next.map(({ command }) => command)).join()).not.toContain("runner start");
      });

      it("monitor why has the verdict about messages without a status first", async () => {
        const { verdict } = await world().monitor.json<WhyAnswer>("why");
        expect(verdict?.code).toBe("message_without_invocation");
      });

      it("a runner that is started nevertheless ends and runs nothing", async () => {
        const victim = world().runner({ threads: 1 });
        await victim.ended;
        expect(world().truth.all({ what: "begins", task: "ok" })).toEqual([]);
        expect(await queued(world(), situation.waiting)).toBeLessThan(CALLS - 1);
      });
    });

    describe("after the queue was purged too, as the verdict suggests", () => {
      beforeAll(async () => {
        await purge(world(), "broker");
      });

      it("no message is left", async () => {
        const { queue } = await world().monitor.json<StatusReport>("status");
        expect(queue.messages).toBe(0);
        expect(await codes(world())).not.toContain("message_without_invocation");
      });

      it("a verdict names the calls that never ran and are in no queue", async () => {
        const { verdict, others } = await world().monitor.json<WhyAnswer>("why");
        const named = [verdict, ...others].flatMap((one) => one?.evidence.map(({ id }) => id) ?? []);
        expect(named).toEqual(expect.arrayContaining(situation.waiting));
      });

      it("monitor why says first of such a call that it was left behind", async () => {
        const { verdict, others } = await world().monitor.json<WhyAnswer>("why", situation.waiting[0] ?? "");
        expect(verdict?.code).toBe("left_behind");
        expect(others.map(({ sentence }) => sentence).join()).toContain("Its last recorded status is registered");
      });

      it("a rerun registers each call as its preview shows, and a runner runs it exactly once", async () => {
        const { monitor, truth } = world();
        const again: string[] = [];
        for (const id of situation.waiting) {
          const outcome = await monitor.json<RerunOutcome>("rerun", id, "--yes");
          expect(outcome.invocation_id).toBe(id);
          again.push(outcome.new_invocation_id);
        }
        world().runner({ threads: 1 });
        for (const id of again) await world().untilStatus(id, "success");
        const began = truth.all({ what: "begins", task: "ok" });
        expect(began.map(({ invocation }) => invocation)).toEqual(again);
        expect(began.map(({ kwargs }) => kwargs)).toEqual([1, 2, 3].map((number) => ({ order: `ORD-${number}` })));
      });
    });
  },
);

scenario(
  {
    story: "The orchestrator is purged with the monitor together with the queue, while a runner works",
    ...SETTINGS,
    also: [
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let situation: Situation;
    let purged: Purged;

    beforeAll(async () => {
      situation = await busyRunner(world());
      purged = await purge(world(), "orchestrator", "--empty-queue");
      world().truth.open("gate");
      await world().truth.until({ what: "returns", task: "held" });
    });

    it("the purge deletes the messages too, as its preview shows", async () => {
      expect(purged.preview).toMatchObject({ empties_queue: true, stranded_messages: 0 });
      expect(rows(purged.outcome.rows)).toEqual(rows(purged.preview.counts));
      expect(purged.outcome.rows.filter(({ component }) => component === "broker")).toMatchObject([{ rows: CALLS }]);
    });

    it("the runner stays alive, and runs the next call", async () => {
      const id = await world().call("ok", { order: "later" });
      await world().untilStatus(id, "success");
      expect(world().truth.all({ what: "begins", task: "ok" })).toMatchObject([{ invocation: id }]);
    });

    it("the running call keeps its last status, although its task has returned", async () => {
      const { verdict } = await world().monitor.json<WhyAnswer>("why", situation.held);
      expect(verdict?.code).toBe("status_not_known");
      expect(verdict?.sentence).toContain("Its last recorded status is running");
    });

    it("no verdict is about messages", async () => {
      const said = await codes(world());
      expect(said).not.toContain("message_without_invocation");
      expect(said).not.toContain("unconsumed_queue");
      expect((await world().monitor.json<StatusReport>("status")).queue.messages).toBe(0);
    });

    it("a verdict names the calls that never ran and are in no queue", async () => {
      const { verdict, others } = await world().monitor.json<WhyAnswer>("why");
      const named = [verdict, ...others].flatMap((one) => one?.evidence.map(({ id }) => id) ?? []);
      expect(named).toEqual(expect.arrayContaining(situation.waiting));
    });
  },
);

scenario(
  {
    story: "The state backend is purged with the monitor, and its messages stay",
    ...SETTINGS,
    also: [
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let situation: Situation;
    let purged: Purged;

    beforeAll(async () => {
      situation = await busyRunner(world());
      purged = await purge(world(), "state-backend");
    });

    it("the purge deletes exactly what its preview shows, and keeps the app's registration", async () => {
      expect(rows(purged.outcome.rows)).toEqual(rows(purged.preview.counts));
      expect(purged.preview.stranded_messages).toBe(CALLS);
      expect(purged.preview.stays.join(" ")).toContain("app_info");
      expect(await world().monitor.text("apps")).toContain("lab");
    });

    it("every call keeps its status and its message", async () => {
      const { statuses, queue } = await world().monitor.json<StatusReport>("status");
      expect(statuses).toMatchObject({ registered: CALLS, running: 1 });
      expect(queue.messages).toBe(CALLS);
    });

    it("a call without a history has a page, and monitor why works on it", async () => {
      const [id = ""] = situation.waiting;
      const { subject, verdict, others } = await world().monitor.json<WhyAnswer>("why", id);
      expect(subject).toMatchObject({ kind: "invocation", id });
      expect(verdict?.code).toBe("message_without_invocation");
      expect(others.map(({ code }) => code)).toContain("waits_for_runner");
      expect(await world().monitor.page(`/invocations/${id}`)).toContain("registered");
    });

    it("a verdict names the messages with which a runner would end", async () => {
      const { verdict } = await world().monitor.json<WhyAnswer>("why");
      expect(verdict?.evidence.map(({ id }) => id)).toEqual(expect.arrayContaining(situation.waiting));
    });

    it("the runner ends with the first of these messages, as the preview says", async () => {
      expect(purged.preview.consequences.join(" ")).toContain("A ThreadRunner that takes one stops");
      world().truth.open("gate");
      await situation.runner.ended;
      expect(world().truth.all({ what: "returns", task: "held" })).toHaveLength(1);
      expect(world().truth.all({ what: "begins", task: "ok" })).toEqual([]);
    });
  },
);

scenario(
  {
    story: "The triggers are purged with the monitor while a runner works",
    ...SETTINGS,
    core: true,
    also: [
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let purged: Purged;

    beforeAll(async () => {
      await busyRunner(world());
      purged = await purge(world(), "triggers");
    });

    it("the purge deletes exactly what its preview shows", () => {
      expect(rows(purged.outcome.rows)).toEqual(rows(purged.preview.counts));
      expect(purged.outcome.deleted).toBeGreaterThan(0);
      expect(purged.preview.consequences.join(" ")).toContain("Until runners restart, nothing is triggered");
    });

    it("the only verdict says that no trigger is registered", async () => {
      const { monitor } = world();
      const { verdict, others } = await monitor.json<WhyAnswer>("why");
      expect(verdict).toMatchObject({ code: "no_triggers", severity: "warning" });
      expect(verdict?.sentence).toBe("No trigger is registered, although 1 runner is active");
      expect(others).toEqual([]);
      expect(await monitor.text("triggers")).not.toContain("recover_pending_invocations");
    });

    it("monitor check exits with 0, because only errors fail it, and monitor doctor exits with 1 for the warning", async () => {
      const { monitor } = world();
      expect(await monitor.run(["check"])).toMatchObject({ code: 0 });
      expect(await monitor.run(["doctor"])).toMatchObject({ code: 1 });
      expect(await monitor.run(["doctor", "--fail-on", "error"])).toMatchObject({ code: 0 });
    });

    it("each call still runs exactly once", async () => {
      world().truth.open("gate");
      await world().truth.until({ what: "returns", task: "ok" }, CALLS);
      expect(world().truth.all({ what: "begins", task: "ok" })).toHaveLength(CALLS);
    });

    it("the verdict is gone once another runner has started, as it suggests", async () => {
      world().runner({ threads: 1 });
      const end = performance.now() + 60_000;
      while ((await codes(world())).includes("no_triggers") && performance.now() < end) await sleep(500);
      expect(await codes(world())).toEqual([]);
      expect(await world().monitor.text("triggers")).toContain("recover_pending_invocations");
    });
  },
);

for (const by of ["the monitor", "pynenc itself"] as const) {
  scenario(
    {
      story: `Everything is purged by ${by} while a runner works`,
      ...SETTINGS,
      // On Redis the app is found from its other keys.
      also: [
        ["sqlite", "0.2.3"],
        ...(by === "the monitor"
          ? ([
              ["redis", "0.3.1"],
              ["mongodb", "0.3.1"],
            ] as const)
          : []),
      ],
    },
    (world) => {
      // pynenc removes the app's registration too, and says nothing more of the app until it starts again.
      const app = by === "the monitor" ? [] : ["--app", "lab"];
      let situation: Situation;
      let preview: PurgePreview;
      let outcome: PurgeOutcome | null = null;

      beforeAll(async () => {
        situation = await busyRunner(world());
        if (by === "the monitor") ({ preview, outcome } = await purge(world(), "all"));
        else {
          preview = await world().monitor.json<PurgePreview>("purge", "all", "--dry-run");
          await world().purge("all");
        }
      });

      it("the preview counts the waiting messages, the calls and the definitions", () => {
        const definitions = preview.counts.find(
          ({ component, name }) => component === "state_backend" && /^invocations?$/.test(name),
        );
        expect(definitions?.rows).toBeGreaterThanOrEqual(CALLS + 1);
        const messages = preview.counts.filter(({ component }) => component === "broker");
        expect(messages.reduce((sum, { rows: many }) => sum + many, 0)).toBe(CALLS);
        if (outcome !== null) expect(rows(outcome.rows)).toEqual(rows(preview.counts));
      });

      it("no call is left, and monitor why and show exit with 3 for one", async () => {
        const { monitor } = world();
        const { invocations } = await monitor.json<InvocationList>("invocations", ...app);
        expect(invocations).toEqual([]);
        expect((await monitor.run(["why", situation.held, ...app])).code).toBe(3);
        expect((await monitor.run(["show", situation.waiting[0] ?? "", ...app])).code).toBe(3);
        const { queue, statuses } = await monitor.json<StatusReport>("status", ...app);
        expect(queue.messages).toBe(0);
        expect(Object.values(statuses).every((count) => count === 0)).toBe(true);
      });

      it("the waiting calls never run, and the runner outlives the running one", async () => {
        const { truth } = world();
        truth.open("gate");
        await truth.until({ what: "returns", task: "held" });
        const id = await world().call("ok", { order: "later" });
        await world().untilStatus(id, "success");
        expect(truth.all({ what: "begins", task: "ok" }).map(({ invocation }) => invocation)).toEqual([id]);
        const { verdict } = await world().monitor.json<WhyAnswer>("why", id, ...app);
        expect(verdict?.code).toBe("ended_well");
      });

      it("the only verdict is that no trigger is registered", async () => {
        expect(await codes(world(), ...app)).toEqual(["no_triggers"]);
        expect((await world().monitor.run(["check", ...app])).code).toBe(0);
      });

      const found = "the app, which has a live runner, is found without its name";
      const finding = async () => {
        const { code, stderr } = await world().monitor.run(["status"]);
        expect(stderr).not.toContain("holds no pynenc app");
        expect(code).toBe(0);
      };
      it(found, finding);

      it("monitor invocations lists the later call and no earlier one", async () => {
        const { invocations } = await world().monitor.json<InvocationList>("invocations", ...app);
        expect(invocations.map(({ task_id_key, status }) => [task_id_key, status])).toEqual([["work.ok", "success"]]);
      });
    },
  );
}
