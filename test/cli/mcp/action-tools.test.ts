/** Tokens of previews: each does what was previewed, once, while it holds. */
import { describe, expect, it } from "vitest";
import type { ActionOutcome, PurgePreview } from "../../../src/api/actions.ts";
import { ACTION_TOOLS, type ActionTool, Confirmations } from "../../../src/cli/mcp/action-tools.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import type { MemoryRows } from "../../support/memory-app/rows.ts";

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

describe("a confirmation token", () => {
  it("makes its change once", async () => {
    const { app, confirmations, count } = world();
    const { token } = await confirmations.preview(tool("rerun"), app.opened, { invocation_id: "a" });
    expect(count()).toBe(2);
    expect(await confirmations.confirm(token ?? "", app.opened, record)).toMatchObject({ invocation_id: "a" });
    expect(count()).toBe(3);
    await expect(confirmations.confirm(token ?? "", app.opened, record)).rejects.toThrow("already used");
    expect(count()).toBe(3);
  });

  it("is valid for five minutes", async () => {
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

  it("is not given for a change that would be refused", async () => {
    const { confirmations } = world();
    const app = memoryApp({ readOnly: true }).invocation("a", { history: [[at(0), "failed"]] });
    const { token, preview } = await confirmations.preview(tool("purge"), app.opened, { target: "all" });
    expect([token, preview]).toEqual([null, expect.objectContaining({ refused: expect.any(String) })]);
  });

  it.each([
    ["rerun", { invocation_id: "a" }],
    ["rerun_matching", { query: "status:failed" }],
    ["purge", { target: "orchestrator" }],
  ])("of %s is refused when the change would no longer be the previewed one", async (name, given) => {
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

  const shop = () => {
    const { app, confirmations } = world();
    app
      .message("a")
      .message("b", at(1))
      .value("one")
      .event("e1", { timestamp: at(1) });
    return { app, confirmations };
  };

  it.each<[string, string, (rows: MemoryRows) => void]>([
    [
      "broker",
      "a message was taken and another one put",
      ({ messages }) => {
        const [first] = messages.splice(0, 1);
        if (first !== undefined) messages.push({ ...first, invocation_id: "new" });
      },
    ],
    [
      "orchestrator",
      "an invocation was forgotten and another one registered",
      ({ statuses }) => {
        for (const row of statuses.filter((one) => one.invocation_id === "a")) row.invocation_id = "new";
      },
    ],
    [
      "state-backend",
      "a history entry was removed and another one written",
      ({ history }) => {
        const entry = history.pop();
        if (entry !== undefined) history.push({ ...entry, status: "success", written_at: at(99) });
      },
    ],
    [
      "client-data-store",
      "a value was replaced by another one",
      ({ values }) => {
        for (const row of values) Object.assign(row, { data_key: `${row.data_key}x`, created_at: at(99) });
      },
    ],
    [
      "triggers",
      "an event was removed and another one emitted",
      ({ events }) => {
        for (const row of events) Object.assign(row, { event_id: "new", timestamp: at(99) });
      },
    ],
    [
      "all",
      "an event was removed and another one emitted",
      ({ events }) => {
        for (const row of events) Object.assign(row, { event_id: "new", timestamp: at(99) });
      },
    ],
  ])("of a purge of %s is refused when the counts are equal but %s", async (target, _, change) => {
    const { app, confirmations } = shop();
    const first = await confirmations.preview(tool("purge"), app.opened, { target });
    const second = await confirmations.preview(tool("purge"), app.opened, { target });
    app.change(change);
    const before = app.rows((rows) => JSON.stringify(rows));
    await expect(confirmations.confirm(first.token ?? "", app.opened, record)).rejects.toThrow("no longer");
    expect(app.rows((rows) => JSON.stringify(rows))).toBe(before);
    const { preview } = await confirmations.preview(tool("purge"), app.opened, { target });
    expect((preview as PurgePreview).counts).toEqual((second.preview as PurgePreview).counts);
  });

  it.each(["broker", "orchestrator", "state-backend", "client-data-store", "triggers", "all"])(
    "of a purge of %s is accepted when its rows are the same as before",
    async (target) => {
      const { app, confirmations } = shop();
      const { token } = await confirmations.preview(tool("purge"), app.opened, { target });
      expect(await confirmations.confirm(token ?? "", app.opened, record)).toMatchObject({ success: true, target });
    },
  );

  it("is forgotten after twenty newer ones", async () => {
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
