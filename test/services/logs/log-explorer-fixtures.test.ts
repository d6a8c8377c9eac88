/** References in recorded logs, and the number of reads to look them up. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { exploreLog, parseLogInput } from "../../../src/services/logs/log-explorer.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { fixturePath } from "../../support/fixtures.ts";
import { named } from "../../support/logs.ts";
import { monitorOf, testMonitor } from "../../support/monitor.ts";

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

it("the log explorer makes as many reads for thousands of references as for a few", async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }));
  const log = readFileSync(fixturePath("kitchen_sink.log"), "utf8");
  // One that failed too, with its exception in the client data store: the timeline beside it tells that.
  const failed = "46531ca0-27dd-4ab6-bbb8-dde22453141d";
  const few = [
    ...log
      .split("\n")
      .filter((line) => line.includes("trigger.run.executed"))
      .slice(0, 2),
    `2026-11-21 00:34:50+00:00 INFO a invocation:${failed}`,
  ].join("\n");
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
});

describe("the diagnostics of a stopped runner in a log", () => {
  it.each([
    ["kitchen_sink", 1255, "38c45921-6946-4781-803b-43fd74978910", 1],
    ["kitchen_sink", 1266, "38c45921-6946-4781-803b-43fd74978910", 3],
    ["kitchen_sink_023", 1208, "512dae8e-2c7c-4c62-ac4b-f5ac200d909a", 3],
  ] as const)(
    "in %s.log line %d have a thread linked by its invocation, and links to what waits",
    async (name, line, id, waiting) => {
      const monitor = await testMonitor(monitorOf(`${name}.db`, "in process", { app: "kitchen_sink" }));
      const log = readFileSync(fixturePath(`${name}.log`), "utf8").split("\n")[line - 1] ?? "";
      const references = await named(await monitor.workspace.open(), log);
      expect(references.filter(([, reference]) => !reference.endsWith(" known"))).toEqual([]);
      expect(references).toContainEqual([id.slice(0, 8), `invocation ${id} known`]);
      const listed = /waiting \(\d\): (.*?)\\n/.exec(log)?.[1]?.split(", ") ?? [];
      expect(listed).toHaveLength(waiting);
      expect(references.slice(-waiting)).toEqual(listed.map((one) => [one, `invocation ${one} known`]));
    },
  );
});
