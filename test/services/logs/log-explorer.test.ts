/** What a log names and what a store knows of it; what that asks of the store does not depend on how much the log names. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import type { LogLineReference } from "../../../src/services/logs/log-entries.ts";
import { exploreLog, parseLogInput } from "../../../src/services/logs/log-explorer.ts";
import type { AppReads } from "../../../src/stores/ports.ts";
import { fixturePath } from "../../support/fixtures.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { monitorOf } from "../../support/monitor.ts";

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

/** References of the first entry: where they stand, and what they are. */
async function named(app: OpenedApp, log: string): Promise<[shown: string, reference: string][]> {
  const { entries } = await exploreLog(app, parseLogInput({ log: [log] }));
  return (entries[0]?.references ?? []).map((one: LogLineReference) => [
    (entries[0]?.text ?? "").slice(one.start, one.end),
    `${one.kind} ${one.id} ${one.state}`,
  ]);
}

describe("diagnostics of a runner that was stopped", () => {
  it.each([
    ["kitchen_sink", 1255, "38c45921-6946-4781-803b-43fd74978910", 1],
    ["kitchen_sink", 1266, "38c45921-6946-4781-803b-43fd74978910", 3],
    ["kitchen_sink_023", 1208, "512dae8e-2c7c-4c62-ac4b-f5ac200d909a", 3],
  ] as const)(
    "%s.log line %d: a thread goes by its invocation, and what waits is linked",
    async (name, line, id, waiting) => {
      const monitor = await monitorOf(`${name}.db`, "in process", { app: "kitchen_sink" });
      try {
        const log = readFileSync(fixturePath(`${name}.log`), "utf8").split("\n")[line - 1] ?? "";
        const references = await named(await monitor.workspace.open(), log);
        expect(references.filter(([, reference]) => !reference.endsWith(" known"))).toEqual([]);
        expect(references).toContainEqual([id.slice(0, 8), `invocation ${id} known`]);
        const listed = /waiting \(\d\): (.*?)\\n/.exec(log)?.[1]?.split(", ") ?? [];
        expect(listed).toHaveLength(waiting);
        expect(references.slice(-waiting)).toEqual(listed.map((one) => [one, `invocation ${one} known`]));
      } finally {
        await monitor.close();
      }
    },
  );
});

describe("parts of ids", () => {
  const RUN = "aaaaaaaa-0000-4000-8000-000000000001";
  const line = (text: string) => `2026-01-05 12:00:00+00:00 INFO pynenc.shop ${text}`;

  it("are runners first, then the invocation that the log names in full, else unknown", async () => {
    const text = line(`worker:aaaaaaaa invocation:${RUN}`);
    const app = () => memoryApp().invocation(RUN);
    expect(await named(app().opened, text)).toEqual([
      ["aaaaaaaa", `invocation ${RUN} known`],
      [RUN, `invocation ${RUN} known`],
    ]);
    const runner = "aaaaaaaa-ffff-4000-8000-000000000000";
    expect((await named(app().runner(runner).opened, text))[0]).toEqual(["aaaaaaaa", `runner ${runner} known`]);
    expect(await named(app().opened, line("worker:aaaaaaaa x"))).toEqual([["aaaaaaaa", "runner aaaaaaaa unknown"]]);
    // Two invocations begin like this: nobody knows which.
    const two = line(`worker:aaaaaaaa invocation:${RUN} invocation:${RUN.slice(0, -1)}2`);
    expect((await named(app().opened, two))[0]).toEqual(["aaaaaaaa", "runner aaaaaaaa unknown"]);
  });

  it("in the bracket stay runners", async () => {
    const { entries } = await exploreLog(
      memoryApp().invocation(RUN).opened,
      parseLogInput({ log: [line(`[TR(aaaaaaaa)] invocation:${RUN}`)] }),
    );
    expect(entries[0]?.context?.runners).toEqual([{ cls: "TR", id: "aaaaaaaa", partial: true }]);
    expect(entries[0]?.references[0]).toMatchObject({ kind: "runner", id: "aaaaaaaa", state: "unknown" });
  });
});

describe("an id that stands alone", () => {
  const ID = "bbbbbbbb-0000-4000-8000-000000000001";
  const log = `2026-01-05 12:00:00+00:00 INFO pynenc.shop see ${ID} again`;

  it.each<[string, MemoryApp]>([
    ["invocation", memoryApp().invocation(ID)],
    ["invocation", memoryApp().invocation(ID, { status: null })],
    ["event", memoryApp().event(ID)],
    ["runner", memoryApp().runner(ID)],
    ["runner", memoryApp().heartbeat(ID)],
    ["atomic_service_run", memoryApp().execution(ID)],
    ["invocation", memoryApp().invocation(ID).event(ID)],
  ])("is the %s that the store knows", async (kind, app) => {
    expect(await named(app.opened, log)).toEqual([[ID, `${kind} ${ID} known`]]);
    const { entries, references } = await exploreLog(app.opened, parseLogInput({ log: [log], reference: [ID] }));
    expect(entries).toHaveLength(1);
    expect(references).toMatchObject([{ kind, count: 1, unknown: 0 }]);
  });

  it("is nothing where nobody knows it, and what another line calls it where one does", async () => {
    expect(await named(memoryApp().opened, log)).toEqual([]);
    expect(await named(memoryApp().opened, `${log}\n${log} event:${ID}`)).toEqual([[ID, `event ${ID} unknown`]]);
    const app = memoryApp().invocation("other", { history: [[at(0), "registered"]] });
    expect((await exploreLog(app.opened, parseLogInput({ log: [log] }))).references).toEqual([]);
  });
});

it("counts what each kind of thing is named by, what most lines name first", async () => {
  const ids = ["a", "b", "c"].map((first) => `${first.repeat(8)}-0000-4000-8000-000000000001`);
  const log = [0, 0, 1, 1, 1, 2].map(
    (n) => `2026-01-05 12:00:00+00:00 INFO pynenc.shop event:${ids[n]} event:${ids[n]}`,
  );
  const app = memoryApp().event(ids[1] ?? "");
  const { references } = await exploreLog(app.opened, parseLogInput({ log: [log.join("\n")] }));
  expect(references).toMatchObject([{ kind: "event", count: 3, unknown: 2 }]);
  expect(references[0]?.references.map(({ id, entries }) => [id, entries])).toEqual([
    [ids[1], 3],
    [ids[0], 2],
    [ids[2], 1],
  ]);
});
