/** `monitor events`, `event` and `trace` on data that real pynenc runs wrote. */
import { beforeAll, describe, expect, test } from "vitest";
import { FACTS, type FixtureName, factsOf } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, type Run, sharedFolder } from "./monitor.ts";

interface TraceFacts {
  invocations: string[];
  events: string[];
  trigger_runs: string[];
}

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", KITCHEN);
const TRACES = (FACTS["kitchen_sink.db"][KITCHEN] as unknown as { traces: Record<string, TraceFacts> }).traces;
const BIG_ORDER = "c0baec27-3325-4d0f-8485-a0cb205c8e46";
const AUDITED = "c991e525-bc32-49b9-969e-d9459281cf9b";

function options(fixture: FixtureName): string[] {
  return ["--db", ownCopy(fixture, folder), "--app", KITCHEN, "--now", presentOption(fixture)];
}

let here: string[];
beforeAll(() => {
  here = options("kitchen_sink.db");
});

async function run(args: readonly string[], code = 0): Promise<Run> {
  const done = await monitor([...here, ...args]);
  expect(done.stdout + done.stderr).not.toContain("\u001b");
  expect({ code: done.code, stderr: done.code === code ? "" : done.stderr }).toEqual({ code, stderr: "" });
  return done;
}

// biome-ignore lint/suspicious/noExplicitAny: documents of several shapes, looked at member by member
async function json(args: readonly string[]): Promise<any> {
  return JSON.parse((await run([...args, "--json"])).stdout);
}

describe("monitor events", () => {
  test("prints a page as JSON, and passes every flag on to the filter", async () => {
    const { events, page } = await json(["events", "--matched", "yes", "--limit", "4"]);
    expect([events.length, page.total, page.has_next]).toEqual([4, facts.events_matched, true]);
    const { filter, page: other } = await json([
      ...["events", "--code", "or.left", "--since", "2026-11-21", "--until", "2026-11-22"],
      ...["--matched", "all", "--triggered", "yes", "--page", "2"],
    ]);
    expect(other).toMatchObject({ number: 2, total: 1 });
    expect(filter).toEqual({
      event_code: "or.left",
      from: "2026-11-21T00:00:00.000000+00:00",
      to: "2026-11-22T00:00:00.000000+00:00",
      matched: "all",
      triggered: "yes",
    });
  });

  test("prints a page as text", async () => {
    const { stdout, stderr } = await run(["events", "--limit", "3", "--page", "2"]);
    expect(stdout).toMatch(/^EVENT +EVENT CODE +TIME +CONDITIONS MET +INVOCATIONS STARTED +EMITTER INVOCATION\n/);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stderr).toBe(`Events 4 to 6 of ${facts.events}. Next: --page 3\n`);
    const unknown = await run(["events", "--code", "none"], 3);
    expect(unknown.stderr).toMatch(/^No event code "none" is known\. Known: and\.left, .*order\.created\.\n$/);
  });

  test("exports all events as CSV and as JSON lines", async () => {
    const csv = (await run(["events", "--format", "csv", "--triggered", "yes"])).stdout.trimEnd().split("\r\n");
    expect(csv).toHaveLength(1 + (facts.events_triggered ?? 0));
    const lines = (await run(["events", "--format", "jsonl"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).event_id).sort()).toEqual(Object.keys(TRACES).sort());
  });

  test.each([
    [["--matched", "maybe"], "--matched", "all, yes, no"],
    [["--limit", "500"], "--limit", "1 to 200"],
    [["--since", "soon"], "--since", "ISO 8601"],
    [["--code", ""], "--code", "must not be empty"],
    [["--format", "xml"], "--format", "table, csv, jsonl"],
    [["--format", "csv", "--page", "2"], "--page", "every matching row"],
    [["--format", "csv", "--json"], "--format", "one document"],
  ])("refuses %j and names the flag and what is accepted", async (args, flag, accepted) => {
    const { stderr, stdout } = await run(["events", ...args], 2);
    expect(stdout + stderr).toContain(flag);
    expect(stdout + stderr).toContain(accepted);
  });
});

describe("monitor event", () => {
  test("prints an event as JSON and as text", async () => {
    expect(await json(["event", BIG_ORDER])).toMatchObject({
      event_id: BIG_ORDER,
      event_code: "order.created",
      matched: true,
    });
    const { stdout } = await run(["event", BIG_ORDER]);
    expect(stdout).toMatch(/^order\.created\n/);
    expect(stdout).toContain('note = "<b>big</b>"');
    expect(stdout).toMatch(/event order\.created accepted by tasks\._is_big +yes/);
    expect(stdout).toMatch(/event order\.created with vip = true +no/);
    expect(stdout).toMatch(/^Invocations started \(2\)$/m);
    expect(stdout).toMatch(/^ {2}│ {2}└─ starts invocation tasks\.on_order success /m);
    const audited = (await run(["event", AUDITED])).stdout;
    expect(audited).toMatch(/^What led to it\n {2}event order\.created /m);
    expect(audited).toContain("(from client data)");
  });

  test("exits with 3 for an unknown id", async () => {
    expect((await run(["event", "nope"], 3)).stderr).toContain('No event "nope" in this store.');
  });
});

describe("monitor trace", () => {
  test("prints a tree with each node once, for ids of any kind", async () => {
    const chain = TRACES[BIG_ORDER];
    if (chain === undefined) throw new Error("the facts have no such event");
    const { stdout } = await run(["trace", BIG_ORDER, "--format", "tree"]);
    const ids = [...chain.events, ...chain.invocations, ...chain.trigger_runs];
    expect(stdout.trimEnd().split("\n")).toHaveLength(ids.length);
    for (const id of ids) expect(stdout.split(id)).toHaveLength(2);
    const [invocation = "", run_id = ""] = [chain.invocations[0], chain.trigger_runs[0]];
    for (const id of [invocation, run_id]) {
      const up = (await run(["trace", id, "--format", "tree", "--direction", "up"])).stdout.split("\n");
      expect(up[0]).toContain(BIG_ORDER);
      expect(up.at(-2)).toContain(id);
    }
  });

  test("prints text for Mermaid and Graphviz", async () => {
    expect((await run(["trace", BIG_ORDER, "--format", "mermaid"])).stdout).toMatch(
      /^flowchart TD\n {2}n0\(\["event order\.created/,
    );
    expect((await run(["trace", BIG_ORDER, "--format", "DOT"])).stdout).toMatch(
      /^digraph trace \{\n(?: {2}n.*;\n)+\}\n$/,
    );
  });

  test("says on stderr that it stopped at the limit", async () => {
    const { stdout, stderr } = await run(["trace", BIG_ORDER, "--limit", "2", "--format", "tree"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(stderr).toContain("stopped at 2 nodes");
  });

  test.each([
    [["nope"], 3, "event, invocation or trigger run"],
    [[BIG_ORDER, "--format", "svg"], 2, "json, tree, mermaid, dot"],
    [[BIG_ORDER, "--direction", "left"], 2, "down, up, both"],
    [[BIG_ORDER, "--limit", "0"], 2, "1 to 20000"],
    [[BIG_ORDER, "--format", "tree", "--json"], 2, "one document"],
  ])("with %j exits with %i", async (args, code, words) => {
    const { stdout, stderr } = await run(["trace", ...args], code);
    expect(stdout + stderr).toContain(words);
  });
});

test("monitor events and monitor event say that a layout records no events", async () => {
  const old = options("kitchen_sink_023.db");
  const list = await monitor([...old, "events"]);
  expect([list.code, list.stdout]).toEqual([0, ""]);
  expect(list.stderr).toContain("since 0.2.4");
  const one = await monitor([...old, "event", "x"]);
  expect([one.code, one.stderr.includes("since 0.2.4")]).toEqual([3, true]);
});
