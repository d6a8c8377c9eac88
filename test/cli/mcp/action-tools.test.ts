/** Tokens of previews: each does what was previewed, once, while it holds. */
import { describe, expect, it } from "vitest";
import type { ActionOutcome } from "../../../src/api/actions.ts";
import { ACTION_TOOLS, type ActionTool, Confirmations } from "../../../src/cli/mcp/action-tools.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const record = <Outcome extends ActionOutcome>(_action: string, act: () => Promise<Outcome>) => act();

function tool(name: string): ActionTool {
  const found = ACTION_TOOLS.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

function world() {
  const app = memoryApp().runner("r1");
  for (const id of ["a", "b"])
    app.invocation(id, {
      history: [
        [at(0), "registered"],
        [at(1), "running"],
        [at(2), "failed"],
      ],
    });
  let now = 0;
  const confirmations = new Confirmations(() => now);
  return {
    app,
    confirmations,
    pass: (milliseconds: number) => (now += milliseconds),
    count: () => app.rows((rows) => rows.statuses.length),
  };
}

describe("a token", () => {
  it("does its change once", async () => {
    const { app, confirmations, count } = world();
    const { token } = await confirmations.preview(tool("rerun"), app.opened, { invocation_id: "a" });
    expect(count()).toBe(2);
    expect(await confirmations.confirm(token ?? "", app.opened, record)).toMatchObject({ invocation_id: "a" });
    expect(count()).toBe(3);
    await expect(confirmations.confirm(token ?? "", app.opened, record)).rejects.toThrow("already used");
    expect(count()).toBe(3);
  });

  it("holds five minutes", async () => {
    const { app, confirmations, count, pass } = world();
    const preview = () => confirmations.preview(tool("rerun"), app.opened, { invocation_id: "a" });
    const [late, soon] = [await preview(), await preview()];
    expect(late.expires_in_seconds).toBe(300);
    pass(300_000);
    await confirmations.confirm(soon.token ?? "", app.opened, record);
    pass(1);
    await expect(confirmations.confirm(late.token ?? "", app.opened, record)).rejects.toThrow("expired");
    expect(count()).toBe(3);
  });

  it("is not given where the change would be refused", async () => {
    const { confirmations } = world();
    const app = memoryApp({ readOnly: true }).invocation("a", { history: [[at(0), "failed"]] });
    const { token, preview } = await confirmations.preview(tool("purge"), app.opened, { target: "all" });
    expect([token, preview]).toEqual([null, expect.objectContaining({ refused: expect.any(String) })]);
  });

  it.each([
    ["rerun", { invocation_id: "a" }],
    ["rerun_matching", { query: "status:failed" }],
    ["purge", { target: "orchestrator" }],
  ])("of %s does nothing where something else would be done by then", async (name, given) => {
    const { app, confirmations } = world();
    const { token } = await confirmations.preview(tool(name), app.opened, given);
    app.change((rows) => {
      for (const row of rows.statuses.filter((one) => one.invocation_id === "a"))
        Object.assign(row, { status: "success", status_timestamp: at(9) });
    });
    app.invocation("c", { history: [[at(3), "failed"]] });
    const before = app.rows((rows) => JSON.stringify(rows.statuses));
    await expect(confirmations.confirm(token ?? "", app.opened, record)).rejects.toThrow("no longer");
    expect(app.rows((rows) => JSON.stringify(rows.statuses))).toBe(before);
  });

  it("is one of the latest twenty", async () => {
    const { app, confirmations } = world();
    const tokens: string[] = [];
    for (let n = 0; n < 21; n++) {
      const { token } = await confirmations.preview(tool("rerun"), app.opened, { invocation_id: "b" });
      tokens.push(token ?? "");
    }
    expect(new Set(tokens).size).toBe(21);
    await expect(confirmations.confirm(tokens[0] ?? "", app.opened, record)).rejects.toThrow();
    await confirmations.confirm(tokens[20] ?? "", app.opened, record);
  });
});
