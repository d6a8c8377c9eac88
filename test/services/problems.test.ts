/** What keeps an app from getting on, and what does not. */
import { describe, expect, it } from "vitest";
import { findProblems, type Problem } from "../../src/services/problems.ts";
import { at, type MemoryApp, memoryApp } from "../support/memory-app/memory-app.ts";

const problems = (app: MemoryApp): Promise<Problem[]> => app.store.read((reads) => findProblems(app.opened, reads));
const kinds = async (app: MemoryApp) => (await problems(app)).map(({ kind, severity }) => `${severity} ${kind}`);

describe("the queue", () => {
  it("is a problem when it holds messages and no runner is active", async () => {
    const app = memoryApp({ now: at(3_600) })
      .invocation("a")
      .message("a")
      .invocation("b")
      .message("b");
    const [problem] = await problems(app);
    expect(problem).toMatchObject({ kind: "unconsumed_queue", severity: "error", count: 2 });
    expect(problem?.title).toBe("2 messages in the queue and no active runner");
    app.runner("dead", { last: at(0) });
    expect(await kinds(app)).toEqual(["error unconsumed_queue"]);
  });

  it("is none when it is empty, or a runner is there to take its young messages", async () => {
    const app = memoryApp();
    expect(await problems(app)).toEqual([]);
    app
      .invocation("a")
      .message("a", at(0))
      .runner("r1", { last: at(50) });
    expect(await problems(app)).toEqual([]);
  });

  it("is worth a look when its oldest message has waited long although a runner is active", async () => {
    const app = memoryApp({ now: at(300) }).runner("r1", { last: at(300) });
    app.invocation("a").message("a", at(0)).message("a", at(299));
    expect(await problems(app)).toEqual([]);
    app.now = at(900);
    app.change((rows) => {
      for (const beat of rows.heartbeats) beat.last_heartbeat = at(900);
    });
    const [problem] = await problems(app);
    expect(problem).toMatchObject({ kind: "unconsumed_queue", severity: "warning", count: 2 });
    expect(problem?.title).toBe("The oldest message has waited for 15 min");
  });
});
