/** `monitor timeline` on data that real pynenc runs wrote. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { factsOf } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, type Run, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const facts = factsOf("kitchen_sink.db", "kitchen_sink");

let here: string[];
beforeAll(() => {
  const db = ownCopy("kitchen_sink.db", folder);
  here = ["timeline", "--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];
});

async function run(args: readonly string[], code = 0): Promise<Run> {
  const done = await monitor([...here, ...args]);
  expect(done.stdout + done.stderr).not.toContain("\u001b");
  expect({ code: done.code, stderr: done.code === code ? "" : done.stderr }).toEqual({ code, stderr: "" });
  return done;
}

describe("monitor timeline", () => {
  test("prints lanes with their bars under a time axis", async () => {
    const { stdout } = await run(["--since", "2026-11-21T00:34:35", "--until", "2026-11-21T00:35:00", "--open", "*"]);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("2026-11-21 00:34:35.000 to 2026-11-21 00:35:00.000 UTC");
    expect(lines[1]?.trim()).toMatch(/^00:34:35 .*00:34:40 /);
    expect(stdout).toMatch(/^ExternalRunner@vm-30360 +·/m);
    expect(stdout).toMatch(/^ThreadRunner b6276e23 .*█████/m);
    // Where rows are left out, they are of single points.
    const first = lines.findIndex((line) => line.startsWith("ThreadRunner b6276e23"));
    const rows = lines.slice(
      first,
      lines.findIndex((line, n) => n > first && line.includes("more rows")),
    );
    const barred = rows.map((line) => line.includes("█"));
    expect(barred).toEqual(barred.toSorted((one, other) => Number(other) - Number(one)));
    expect(barred[0]).toBe(true);
  });

  test("opens the lane of a runner by the short id that it prints", async () => {
    const window = ["--since", "2026-11-21T00:34:35", "--until", "2026-11-21T00:35:00"];
    const [closed, opened] = [await run(window), await run([...window, "--open", "b6276e23"])];
    const laneIn = ({ stdout }: Run) => /^ThreadRunner b6276e23 .*(?:\n {20}.*)*/m.exec(stdout)?.[0] ?? "";
    expect([laneIn(closed).includes("█████"), laneIn(opened).includes("█████")]).toEqual([false, true]);
    // What the columns of a closed lane count is in the legend.
    expect(closed.stdout).toContain("▁▂▃▄▅▆▇█ how many ran at a time, few to many");
  });

  test("prints for one runner its own lane, without those of other runners that worked on the same invocations", async () => {
    const window = ["--since", "2026-11-21T00:34:35", "--until", "2026-11-21T00:35:00"];
    const lanesOf = ({ stdout }: Run) =>
      stdout
        .split("\n")
        .slice(2, stdout.split("\n").indexOf(""))
        .filter((line) => /^\s{0,4}\S/.test(line));
    expect(lanesOf(await run(window)).length).toBeGreaterThan(1);
    expect(lanesOf(await run([...window, "--runner", "b6276e23"]))).toEqual([
      expect.stringMatching(/^ThreadRunner b6276e23 /),
    ]);
  });

  test("writes the name of a function into its bar where it fits, else behind it", async () => {
    const window = ["--since", "2026-11-21T00:34:44", "--until", "2026-11-21T00:34:50", "--open", "*"];
    const { stdout } = await run(window);
    const names = new Set(Object.keys(facts.tasks).map((task) => task.split(".").at(-1)));
    const inside = [...stdout.matchAll(/[█▒░]([a-z_]{3,})[█▒░✓×↻]/g)].map(([, name]) => name);
    const behind = [...stdout.matchAll(/[█▒░·✓×↻] ([a-z_]{3,})(?= |$)/gm)].map(([, name]) => name);
    const legend = ["running", "resumed", "pending", "paused", "other", "success", "failed", "retry"];
    const told = [...inside, ...behind].filter((name) => !legend.includes(name ?? ""));
    expect([inside.length > 0, told.length > inside.length]).toEqual([true, true]);
    expect(told.filter((name) => !names.has(name))).toEqual([]);
  });

  test("shows the window as it was at an instant, and says so", async () => {
    const window = ["--since", "2026-11-21T00:34:35", "--until", "2026-11-21T00:35:00", "--open", "*"];
    const then = await run([...window, "--at", "2026-11-21T00:34:45", "--json"]);
    const found = JSON.parse(then.stdout);
    expect(found.at).toBe("2026-11-21T00:34:45.000000+00:00");
    const last = found.invocations.flatMap(
      (one: { entries: { timestamp: string }[] }) => one.entries.at(-1)?.timestamp,
    );
    expect(last.length).toBeGreaterThan(5);
    expect(last.filter((at: string) => at > found.at)).toEqual([]);
    const lines = await run([...window, "--at", "2026-11-21T00:34:45"]);
    expect(lines.stderr).toContain("As of 2026-11-21 00:34:45.000, from the status history.");
    const refused = await run([...window, "--at", "2026-11-21T00:34:45", "--status", "failed"], 2);
    expect(refused.stderr).toContain("--status");
  });

  test("ends with a legend of exactly the marks and statuses that are drawn", async () => {
    const window = ["--since", "2026-11-21T00:34:35", "--until", "2026-11-21T00:35:00", "--open", "*"];
    const { stdout } = await run(window);
    const [drawing = "", legend = ""] = stdout.trimEnd().split(/\n\n(?=[^\n]*running)/);
    const marks = new Map(
      [...(legend.split("\n")[0] ?? "").matchAll(/(\S) (running|resumed|pending|paused|other status change)/g)].map(
        ([, mark = "", word = ""]) => [word, mark],
      ),
    );
    expect(marks.get("running")).toBe("█");
    expect(marks.get("other status change")).toBe("·");
    for (const [word, mark] of [
      ["pending", "▒"],
      ["paused", "░"],
    ] as const) {
      expect([word, marks.has(word)]).toEqual([word, drawing.includes(mark)]);
    }
    const statuses = (legend.split("\n")[1] ?? "").split(/ {3}/);
    // Without colours a status has a mark of its own, which the drawing has too.
    expect(statuses).toEqual(expect.arrayContaining(["× failed", "✓ success"]));
    for (const mark of "×✓↻")
      expect([mark, statuses.some((one) => one.startsWith(mark))]).toEqual([mark, drawing.includes(mark)]);
    const coloured = await monitor([...here, ...window, "--color", "always"]);
    expect(coloured.stdout).not.toMatch(/[×✓↻]/);
    const quiet = await run(["--since", "2026-11-20", "--until", "2026-11-20T01:00"]);
    expect(quiet.stdout).not.toContain("status change");
  });

  test("prints JSON of the last hour with --json, filtered", async () => {
    const { stdout } = await run(["--since", "1h", "--task", "tasks.add", "--json"]);
    const { invocations, filter, preset } = JSON.parse(stdout);
    expect([invocations.length, filter.task_id_key, preset]).toEqual([facts.tasks["tasks.add"], "tasks.add", null]);
  });

  test("takes the window of the invocations that are named with --id", async () => {
    const [one] = JSON.parse((await run(["--since", "1h", "--json"])).stdout).invocations;
    const { invocations } = JSON.parse((await run(["--id", one.invocation_id, "--json"])).stdout);
    expect(invocations.map((each: { invocation_id: string }) => each.invocation_id)).toEqual([one.invocation_id]);
  });

  test.each([
    ["timeline.svg", /^<\?xml[\s\S]*<\/svg>\n$/],
    ["timeline.trace.json", /^\{"displayTimeUnit":"ms","traceEvents":\[/],
    ["timeline.json", /^\{"schema_version":2,"start":"2026-/],
  ])("writes the file %s", async (name, content) => {
    const path = join(folder, name);
    const { stdout, stderr } = await run(["--since", "15m", "--out", path]);
    expect([stdout, stderr.includes(path)]).toEqual(["", true]);
    expect(readFileSync(path, "utf8")).toMatch(content);
  });

  test("replaces a file only with --force", async () => {
    const path = join(folder, "kept.json");
    writeFileSync(path, "mine");
    expect((await run(["--since", "15m", "--out", path], 2)).stderr).toContain("it exists; --force replaces it");
    expect(readFileSync(path, "utf8")).toBe("mine");
    await run(["--since", "15m", "-o", path, "--force"]);
    expect(readFileSync(path, "utf8")).toMatch(/^\{"schema_version":2,/);
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("has lanes of tasks with --group task, those with the most failures first", async () => {
    const { stdout } = await run(["--since", "1h", "--group", "task"]);
    const lanes = stdout.split("\n").flatMap((line) => /^(?:tasks|pynenc)\S+/.exec(line) ?? []);
    const { invocations } = JSON.parse((await run(["--since", "1h", "--group", "task", "--json"])).stdout);
    const failures = (task: string) =>
      invocations.filter(
        (one: { task_id_key: string; entries: { status: string }[] }) =>
          one.task_id_key === task && one.entries.some(({ status }) => status === "failed" || status === "killed"),
      ).length;
    expect(lanes.length).toBeGreaterThan(10);
    expect(failures(lanes[0] ?? "")).toBeGreaterThan(0);
    expect(failures(lanes.at(-1) ?? "")).toBe(0);
  });

  test("says when something was recorded if the window is empty", async () => {
    const { stderr } = await run(["--since", "2026-11-20", "--until", "2026-11-20T01:00"]);
    expect(stderr).toContain("Nothing in this window. The latest change was at 2026-11-21 00:37:09.");
  });

  test.each([
    [["--since", "someday"], "--since"],
    [["--out", "timeline.pdf"], "must end in .svg"],
    [["--out", join("no", "such", "folder", "x.svg")], "could not be written: no such file or directory (ENOENT)"],
    [["--out", "-", "--format", "svg", "--json"], "name a file"],
    [["--limit", "0"], "--limit"],
    [["--group", "host"], "--group"],
  ])("exits with 2 for %j", async (args, words) => {
    expect((await run(args, 2)).stderr).toContain(words);
  });
});
