import { beforeAll, describe, expect, it } from "vitest";
import { appVerdicts, comesToSay, detail, epoch, named, type Verdict, why, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE } from "../world.ts";

interface Preview {
  requeued: number;
  refused: string | null;
  candidates: { invocation: { invocation_id: string }; refusal: { kind: string; reason: string } | null }[];
}

scenario(
  {
    story: "Messages are lost while a runner is there",
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let lost = "";
    let lostToo: string[] = [];
    let kept = "";
    let busy = "";

    const begun = (id: string) => world().truth.all({ what: "begins", invocation: id }).length;

    /** A call that is taken after everything in the queue has been taken. */
    const untilAllIsTaken = async () => world().untilStatus(await world().call("ok", { order: "last" }), "success");

    beforeAll(async () => {
      ({ held: busy } = await world().busyRunner("first", { threads: 1 }));
      lost = await world().call("ok", { order: "ORD-1" });
      lostToo = [await world().call("ok", { order: "ORD-2" }), await world().call("ok", { order: "ORD-3" })];
      kept = await world().call("held", { name: "second" });
      const gone = [await world().loseMessage(), await world().loseMessage(), await world().loseMessage()];
      expect(gone).toEqual([lost, ...lostToo]);
    });

    describe("in the first minute after the loss", () => {
      it("the details of an invocation say that its message is not in the queue, and there is no verdict yet", async () => {
        const { monitor } = world();
        expect(await detail(monitor, lost)).toMatchObject({ status: "registered", queued: false, requeueable: false });
        expect((await why(monitor, lost)).verdict?.code).toBe("waits_for_runner");
        expect(await appVerdicts(monitor)).toEqual([]);
      });

      it("monitor why says that the message is not in the queue", async () => {
        expect(await world().monitor.text("why", lost)).toMatch(/(message is not in|missing from) the queue/);
      });

      it("monitor requeue refuses the invocation, because its message may still be on its way", async () => {
        const { monitor } = world();
        const answer = await monitor.run(["requeue", lost, "--yes"]);
        expect(answer.code).toBe(5);
        expect(answer.stderr).toContain("its status must be at least 60 s old");
        expect((await detail(monitor, lost)).queued).toBe(false);
      });

      it("monitor queue lists the one message that is left", async () => {
        const { messages } = await world().monitor.json<{ messages: { invocation_id: string }[] }>("queue");
        expect(messages.map(({ invocation_id }) => invocation_id)).toEqual([kept]);
      });
    });

    describe("a minute after the loss", () => {
      let verdict: Verdict;

      beforeAll(async () => {
        const { monitor, truth } = world();
        verdict = await comesToSay(monitor, "waiting_in_no_queue");
        while (verdict.count < 3) verdict = await comesToSay(monitor, "waiting_in_no_queue");
        truth.note("is said", { code: verdict.code });
      });

      it("a verdict says that exactly the three lost invocations are in no queue since they were registered", () => {
        const { truth } = world();
        expect(verdict).toMatchObject({ severity: "error", count: 3 });
        expect(verdict.sentence).toBe("3 invocations waiting, but missing from the queue");
        expect(named(verdict).sort()).toEqual([lost, ...lostToo].sort());
        const registered = truth.all({ what: "calls", id: lost }).at(0)?.at ?? 0;
        // A call returns after it is stored: some seconds on a busy machine.
        expect(epoch(verdict.since)).toBeLessThanOrEqual(registered);
        expect(epoch(verdict.since)).toBeGreaterThan(registered - 10);
      });

      it("there is no other verdict about the runner or the queue", async () => {
        expect((await appVerdicts(world().monitor)).map(({ code }) => code)).toEqual(["waiting_in_no_queue"]);
      });

      it("status, doctor and check have the verdict, and doctor and check exit with 1", async () => {
        const { monitor } = world();
        expect(await monitor.text("status")).toContain("3 invocations waiting, but missing from the queue");
        for (const command of ["doctor", "check"]) {
          const { code, stdout } = await monitor.run([command]);
          expect(code).toBe(1);
          expect(stdout).toContain("3 invocations waiting, but missing from the queue");
        }
      });

      it("monitor why has the verdict on each lost invocation, as do HTTP and an assistant", async () => {
        const { monitor } = world();
        expect((await whyEverywhere(monitor, lost)).verdict?.code).toBe("waiting_in_no_queue");
        for (const id of lostToo) {
          expect((await why(monitor, id)).verdict?.code).toBe("waiting_in_no_queue");
        }
      });

      it("monitor why has no such verdict on the invocation whose message is there, nor on the running one", async () => {
        const { monitor } = world();
        expect((await why(monitor, kept)).verdict?.code).toBe("waits_for_runner");
        expect((await why(monitor, busy)).verdict?.code).toBe("in_progress");
      });

      it("the page of a lost invocation has the verdict and offers to put the message back", async () => {
        const page = await world().monitor.page(`/invocations/${lost}`);
        expect(page).toContain("waiting, but missing from the queue");
        expect(page).toContain("Requeue");
        expect(await world().monitor.text("invocation", lost)).toContain(
          "missing from the queue, so no runner takes it",
        );
      });

      it("monitor requeue refuses invocations that are not lost, each with its own reason, and adds nothing", async () => {
        const { monitor } = world();
        const waiting = await monitor.run(["requeue", kept, "--yes"]);
        expect(waiting.code).toBe(5);
        expect(waiting.stderr).toContain("its message is in the queue");
        const running = await monitor.run(["requeue", busy, "--yes"]);
        expect(running.code).toBe(5);
        expect(running.stderr).toContain("its status is running");
        const { messages } = await monitor.json<{ messages: object[] }>("queue");
        expect(messages).toHaveLength(1);
      });

      it("the requeue form shows the same preview as the command, and changes nothing", async () => {
        const { monitor } = world();
        const form = await monitor.http<Preview>(`/invocations/${lost}/requeue`);
        expect(form).toMatchObject({ requeued: 1, refused: null });
        expect((await monitor.json<Preview>("requeue", lost, "--dry-run")).candidates).toEqual(form.candidates);
        expect((await detail(monitor, lost)).queued).toBe(false);
      });

      it("monitor requeue exits with 3 for an unknown id", async () => {
        const { code } = await world().monitor.run(["requeue", "00000000-0000-4000-8000-000000000000", "--yes"]);
        expect(code).toBe(3);
      });

      it("the preview of monitor requeue says what would be put back, and changes nothing", async () => {
        const { monitor } = world();
        const before = await detail(monitor, lost);
        const preview = await monitor.json<Preview>("requeue", lost, kept, "--dry-run");
        expect(preview).toMatchObject({ requeued: 1, refused: null });
        const refusals = preview.candidates.map(({ invocation, refusal }) => [invocation.invocation_id, refusal?.kind]);
        expect(Object.fromEntries(refusals)).toEqual({ [lost]: undefined, [kept]: "queued" });
        expect(await detail(monitor, lost)).toMatchObject({ queued: false, history: before.history });
      });
    });

    describe("after the message of one invocation is put back", () => {
      let before: unknown;

      beforeAll(async () => {
        const { monitor } = world();
        before = (await detail(monitor, lost)).history;
        const { status, outcome } = await monitor.post(`/invocations/${lost}/requeue`);
        expect(status).toBe(200);
        expect(outcome).toMatchObject({ success: true, invocation_ids: [lost], refused: [] });
        world().truth.note("requeues on the page", { id: lost });
      });

      it("the new message is after the existing one, and the status and history of the invocation are unchanged", async () => {
        const { monitor } = world();
        const { messages } = await monitor.json<{ messages: { invocation_id: string }[] }>("queue");
        expect(messages.map(({ invocation_id }) => invocation_id)).toEqual([kept, lost]);
        expect(await detail(monitor, lost)).toMatchObject({ status: "registered", queued: true, history: before });
      });

      it("a second requeue is refused, so that there is one message", async () => {
        const { monitor } = world();
        const again = await monitor.run(["requeue", lost, "--yes"]);
        expect(again.code).toBe(5);
        expect(again.stderr).toContain("its message is in the queue");
        expect((await monitor.post(`/invocations/${lost}/requeue`)).status).toBe(409);
        const { messages } = await monitor.json<{ messages: object[] }>("queue");
        expect(messages).toHaveLength(2);
      });

      it("the verdict still names the other two invocations", async () => {
        const [verdict] = await appVerdicts(world().monitor);
        expect(verdict?.sentence).toBe("2 invocations waiting, but missing from the queue");
        expect(named(verdict as Verdict).sort()).toEqual([...lostToo].sort());
      });

      it("the runner executes the invocation once", async () => {
        const { truth } = world();
        expect(begun(lost)).toBe(0);
        truth.open("first");
        truth.open("second");
        await world().untilStatus(lost, "success");
        await untilAllIsTaken();
        expect(begun(lost)).toBe(1);
        expect(lostToo.map(begun)).toEqual([0, 0]);
      });
    });

    describe("after the messages of the other two are put back", () => {
      beforeAll(async () => {
        const { monitor } = world();
        const outcome = await monitor.json<{ invocation_ids: string[]; refused: unknown[] }>(
          ...["requeue", ...lostToo, lost, "--yes"],
        );
        world().truth.note("requeues", { outcome });
        expect([...outcome.invocation_ids].sort()).toEqual([...lostToo].sort());
        expect(outcome.refused).toMatchObject([{ invocation_id: lost, kind: "not_waiting" }]);
        await Promise.all(lostToo.map((id) => world().untilStatus(id, "success")));
        await untilAllIsTaken();
      });

      it("the runner executes each of them once, and no other invocation again", () => {
        expect([lost, ...lostToo, kept, busy].map(begun)).toEqual([1, 1, 1, 1, 1]);
      });

      it("monitor requeue refuses all of them, because they are final", async () => {
        const answer = await world().monitor.run(["requeue", lost, ...lostToo, "--yes"]);
        expect(answer.code).toBe(5);
        expect(answer.stderr).toContain("final");
      });

      it("there is no verdict any more, and doctor and check exit with 0", async () => {
        const { monitor } = world();
        expect(await appVerdicts(monitor)).toEqual([]);
        expect(await monitor.text("why")).toContain("Nothing looks wrong");
        expect((await monitor.run(["doctor"])).code).toBe(0);
        expect((await monitor.run(["check"])).code).toBe(0);
      });

      it("the record of actions lists both requeues, newest first, and the one that the page refused", async () => {
        const requeues = await recorded();
        expect(requeues.filter(({ outcome }) => outcome === "done").map(({ via }) => via)).toEqual(["cli", "server"]);
        const refused = requeues.filter(({ outcome, via }) => outcome === "refused" && via === "server");
        expect(refused).toHaveLength(1);
        expect(refused[0]?.message).toContain("its message is in the queue");
      });

      it("the record of actions lists what was refused on the terminal", async () => {
        const refused = (await recorded()).filter(({ outcome, via }) => outcome === "refused" && via === "cli");
        // In the first minute, of the one that waits, of the one that runs, of the one put back, and of all when they were final.
        expect(refused).toHaveLength(5);
      });

      async function recorded() {
        const { entries } = await world().monitor.json<{
          entries: { action: string; outcome: string; via: string; message: string }[];
        }>("audit");
        return entries.filter(({ action }) => action === "requeue");
      }
    });
  },
);
