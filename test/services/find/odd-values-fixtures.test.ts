/** Text with backslashes, quotes, line breaks and composed letters is found as it is, by every search. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { find } from "../../../src/services/find/find.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";
import { type Monitor, monitorAt } from "../../support/monitor.ts";

const PATH = "aaaa0004-0000-4000-8000-000000000004";
const QUOTES = "aaaa0005-0000-4000-8000-000000000005";
const ACCENT = "aaaa0002-0000-4000-8000-000000000002";
const named = (n: number) => `cccc${String(n).padStart(4, "0")}-0000-4000-8000-000000000000`;

const found = async (app: OpenedApp, q: string) => {
  const { invocations } = await listInvocations(app, await readInvocationInput(app, { q: [q] }));
  return invocations.map((row) => row.invocation_id).sort();
};

describe("a search in the rows of a recorded app", () => {
  let monitor: Monitor;
  let app: OpenedApp;
  const folder = temporaryFolder();

  beforeAll(async () => {
    const path = copyFixture("cases/odd_values.db", folder.path);
    monitor = await monitorAt(path, "in process", { now: Date.parse("2026-11-22T01:08:54Z") / 1000 });
    app = await monitor.workspace.openOnly();
  });
  afterAll(async () => {
    await monitor.close();
    folder.remove();
  });

  it.each<[string, string[]]>([
    ["C:\\Users", [PATH]],
    ['"C:\\Users"', [PATH]],
    ["arg:C:\\Users\\x\\a.py", [PATH]],
    ["arg.path=C:\\Users\\x\\a.py", [PATH]],
    ['arg:"C:\\\\\\\\Users"', [PATH]],
    ["arg:a\\b", [named(2)]],
    ['arg:"a \\"quoted\\""', [QUOTES]],
    ['arg:"\\t=1"', [QUOTES]],
    ['arg:"\t=1"', [QUOTES]],
    ["arg:café", [ACCENT]],
    ["arg:cafe\u0301", [ACCENT]],
    ["CAFE\u0301", [ACCENT]],
    ["arg.name=é", [named(11)]],
    ["arg.name=e\u0301", [named(11)]],
    ["arg.big=356686000032329832", ["aaaa0001-0000-4000-8000-000000000001"]],
    ["arg.flt=1.0", ["aaaa0001-0000-4000-8000-000000000001"]],
    ['arg.name="a  b"', [named(8)]],
    ["x:y", []],
  ])("for %s finds what contains exactly this", async (q, ids) => {
    expect(await found(app, q)).toEqual(ids);
  });

  it.each<[string, string]>([
    ["C:\\Users", "1 invocation with this text in the arguments"],
    ["C:\\Users\\x\\a.py", "1 invocation with this text in the arguments"],
    ['a "quoted"', "1 invocation with this text in the arguments"],
    ["cafe\u0301", "1 invocation with this text in the arguments"],
    ["http://x", "1 invocation with this text in the arguments"],
  ])("for %s with find leads to the invocation that contains it", async (q, label) => {
    const { matches } = await find(app, { q: [q] }, []);
    expect(matches.map((one) => one.label)).toEqual([label]);
    expect(await found(app, matches[0]?.id ?? "")).toHaveLength(1);
  });

  it("for an id finds it composed and decomposed", async () => {
    for (const form of ["NFC", "NFD"]) {
      const { matches } = await find(app, { q: ["Zażółć".normalize(form)] }, []);
      expect([form, matches.map(({ kind, id }) => [kind, id.normalize()])]).toEqual([form, [["invocation", "Zażółć"]]]);
    }
  });
});

describe("a search in values of every form", () => {
  const shop = memoryApp()
    .invocation("nested", { arguments: { order: '{"files": ["C:\\\\temp\\\\new"], "note": "say \\"hi\\"\\nbye"}' } })
    .invocation("instance", { arguments: { at: '{"py/object": "shop.Path", "path": "D:\\\\data", "n": "it\'s"}' } })
    .invocation("raw", { arguments: { text: "no JSON: E:\\logs" } })
    .invocation("number", { arguments: { n: "[1.0, 356686000032329832]" } });

  it.each<[string, string[]]>([
    ["arg:C:\\temp\\new", ["nested"]],
    ["arg.order.files.0=C:\\temp\\new", ["nested"]],
    ['"say \\"hi\\"\nbye"', ["nested"]],
    ['arg:"\\"note\\": \\"say"', ["nested"]],
    ["D:\\data", ["instance"]],
    ["it's", ["instance"]],
    ["E:\\logs", ["raw"]],
    ["arg.n=[1.0,356686000032329832]", []],
    ['arg.n="[1.0,356686000032329832]"', ["number"]],
  ])("for %s finds the right invocation", async (q, ids) => {
    expect(await found(shop.opened, q)).toEqual(ids);
  });

  it("for a task name finds it composed and decomposed", async () => {
    const named = memoryApp().invocation("a", { task: "shop.größe" });
    const { matches } = await find(named.opened, { q: ["gro\u0308ße"] }, []);
    expect(matches.map(({ kind, id }) => [kind, id])).toEqual([["task", "shop.größe"]]);
  });
});
