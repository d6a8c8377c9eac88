/** What exploring a log asks of a store does not depend on how much the log names. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { exploreLog, parseLogInput } from "../../src/services/log-explorer.ts";
import type { OpenedApp } from "../../src/services/opened-app.ts";
import type { AppReads } from "../../src/stores/ports.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitorOf } from "../support/monitor.ts";

/** The same app, with the names of all port methods that are called. */
function counted(app: OpenedApp): { app: OpenedApp; calls: string[] } {
  const calls: string[] = [];
  const noting = (port: object, name: string) =>
    new Proxy(port, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(method)}`);
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  const noted = (reads: AppReads) =>
    Object.fromEntries(Object.entries(reads).map(([name, port]) => [name, noting(port, name)])) as unknown as AppReads;
  const store: OpenedApp["store"] = Object.create(app.store, {
    read: { value: (fn: (reads: AppReads) => Promise<unknown>) => app.store.read((reads) => fn(noted(reads))) },
  });
  return { app: { ...app, store }, calls };
}

it("calls no port more often for thousands of references than for a few", async () => {
  const monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
  try {
    const log = readFileSync(fixturePath("kitchen_sink.log"), "utf8");
    const few = log
      .split("\n")
      .filter((line) => line.includes("trigger.run.executed"))
      .slice(0, 2)
      .join("\n");
    const unknown = Array.from({ length: 3_000 }, (_, n) => {
      const id = `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`;
      return `2026-11-21 00:34:50+00:00 INFO a [TR(${id.slice(0, 8)})] invocation:${id} event:${id}`;
    });
    const opened = await monitor.workspace.open();
    const callsFor = async (text: string) => {
      const { app, calls } = counted(opened);
      const { references } = await exploreLog(app, parseLogInput({ log: [text] }));
      return { calls: calls.sort(), named: references.reduce((sum, group) => sum + group.count, 0) };
    };
    const small = await callsFor(few);
    const large = await callsFor(`${log}\n${unknown.join("\n")}`);
    expect(large.named).toBeGreaterThan(9_000);
    expect(small.named).toBeLessThan(30);
    // Less often it may be: a window that reaches up to the present needs no look at what came after it.
    const times = (calls: readonly string[], port: string) => calls.filter((call) => call === port).length;
    const more = large.calls.filter((port) => times(large.calls, port) > times(small.calls, port));
    expect(more).toEqual([]);
    expect(small.calls.length).toBeGreaterThan(15);
  } finally {
    await monitor.close();
  }
});
