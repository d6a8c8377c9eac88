import { createHash } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import type { Trace } from "../../../src/api/causes.ts";
import type { InvocationDetail, InvocationList } from "../../../src/api/invocations.ts";
import { detail, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE } from "../world.ts";

/** Texts that hardly compress: so many digits are several chunks. */
const digits = (name: string, length: number) =>
  `${name}-${Array.from({ length: Math.ceil(length / 128) }, (_, i) => createHash("sha512").update(`${name}${i}`).digest("hex")).join("")}`.slice(
    0,
    length,
  );

/** pynenc keeps what is longer than 1,024 characters among the client data, and the rest beside the call. */
const STATED = digits("ORD", 700);
const REFERRED = digits("bad", 1_100);

scenario(
  {
    story: "Arguments, results and exceptions in several chunks, and an event that starts a task",
    app: "triggered",
    core: "mongodb",
    // pynenc's own is 15 MB.
    settings: { ...RECOVERY_ONCE, PYNENC__CHUNK_THRESHOLD: "250" },
    only: [["mongodb", "0.3.1"]],
  },
  (world) => {
    let stated = "";
    let referred = "";
    let event = "";
    let started = "";

    beforeAll(async () => {
      const { truth } = world();
      world().runner({ threads: 2 });
      await world().recovered();
      stated = await world().call("source", { order: STATED });
      referred = await world().call("source", { order: REFERRED });
      event = await world().emit("order.created", { order: "ORD-1", region: "us" });
      started = String((await truth.until({ what: "returns", task: "on_event" })).invocation);
      for (const id of [stated, started]) await world().untilStatus(id, "success");
      await world().untilStatus(referred, "failed");
      for (const task of ["on_status", "on_exception"]) {
        const { invocation } = await truth.until({ what: "returns", task });
        await world().untilStatus(String(invocation), "success");
      }
    });

    const shown = (id: string) => world().monitor.http<InvocationDetail>(`/invocations/${id}`);

    it("arguments, results and messages are shown as the tasks had them", async () => {
      for (const [id, order] of [
        [stated, STATED],
        [referred, REFERRED],
      ] as const) {
        expect(world().truth.all({ what: "begins", invocation: id })[0]?.kwargs).toEqual({ order });
        const value = (await shown(id)).arguments?.[0]?.value;
        expect(JSON.parse((value?.resolved ?? value?.stored)?.text ?? "")).toBe(order);
      }
      expect(JSON.parse((await shown(stated)).result?.stored.text ?? "")).toBe(STATED);
      expect((await shown(referred)).exception?.exception.message).toBe(`${REFERRED} cannot be shipped`);
    });

    it("a search for the end of an argument finds its call", async () => {
      for (const [id, order] of [
        [stated, STATED],
        [referred, REFERRED],
      ] as const) {
        const { invocations } = await world().monitor.json<InvocationList>("invocations", `arg:${order.slice(-40)}`);
        expect(invocations.map(({ invocation_id }) => invocation_id)).toEqual([id]);
      }
    });

    it("monitor why says the message of the exception, the same everywhere", async () => {
      const { verdict } = await whyEverywhere(world().monitor, referred);
      expect(verdict).toMatchObject({ code: "failed", severity: "error" });
      expect(verdict?.sentence).toContain(`ValueError: ${REFERRED.slice(0, 20)}`);
    });

    it("each history has the four statuses that the call went through", async () => {
      const path = async (id: string) => (await detail(world().monitor, id)).history.map(({ status }) => status);
      expect(await path(stated)).toEqual(["registered", "pending", "running", "success"]);
      expect(await path(referred)).toEqual(["registered", "pending", "running", "failed"]);
    });

    it("the trace of the event leads over one trigger run to the call that really began", async () => {
      const trace = await world().monitor.json<Trace>("trace", event);
      expect(trace.invocations.map(({ invocation_id }) => invocation_id)).toEqual([started]);
      expect(trace.trigger_runs.map((run) => run.triggered_invocation_id)).toEqual([started]);
    });
  },
);
