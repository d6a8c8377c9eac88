/** `monitor invocations` with a search, on data that real pynenc runs wrote. */
import { beforeAll, describe, expect, test } from "vitest";
import { factsOf } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, type Run, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", KITCHEN);

let here: string[];
beforeAll(() => {
  const fixture = "kitchen_sink.db";
  here = ["--db", ownCopy(fixture, folder), "--app", KITCHEN, "--now", presentOption(fixture)];
});

async function run(args: readonly string[], code = 0): Promise<Run> {
  const done = await monitor([...here, ...args]);
  expect([done.code, done.stderr]).toEqual([code, code === 0 ? "" : expect.stringContaining("not accepted")]);
  return done;
}

async function statusesOf(...args: string[]): Promise<string[]> {
  const { stdout } = await run(["invocations", ...args, "--limit", "1000", "--json"]);
  const { invocations } = JSON.parse(stdout) as { invocations: { status: string; task_id_key: string }[] };
  return invocations.map((row) => row.status);
}

describe("monitor invocations", () => {
  test("lists what had changed until an instant, with the statuses of then, and refuses what only the present knows", async () => {
    const at = ["--at", "2026-11-21T00:35:50"];
    const run = await monitor([...here, "invocations", ...at, "--limit", "1000", "--json"]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const { invocations } = JSON.parse(run.stdout) as { invocations: { status: string; registered_at: string }[] };
    const { statuses } = JSON.parse((await monitor([...here, "status", ...at, "--json"])).stdout);
    const counts: Record<string, number> = {};
    for (const { status } of invocations) counts[status] = (counts[status] ?? 0) + 1;
    expect(counts).toEqual(Object.fromEntries(Object.entries(statuses).filter(([, count]) => count !== 0)));
    const table = await monitor([...here, "invocations", ...at]);
    expect(table.stderr).toContain("As of 2026-11-21 00:35:50.000, from the status history.\n");
    for (const more of [["--status", "failed"], ["--by", "task"], ["--format", "csv"], ["--follow"]]) {
      const refused = await monitor([...here, "invocations", ...at, ...more]);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, "", expect.stringContaining(`${more[0]}: `)]);
    }
  });

  test("accepts a search as several arguments, as one text and as a flag", async () => {
    const failed = facts.statuses.failed ?? 0;
    expect(failed).toBeGreaterThan(0);
    expect(await statusesOf("status:failed")).toEqual(Array(failed).fill("failed"));
    expect(await statusesOf("status:failed,success -task:pynenc.* has:error")).toEqual(Array(failed).fill("failed"));
    const both = await statusesOf("status:failed", "has:error");
    expect(await statusesOf("--query", "status:failed has:error")).toEqual(both);
    expect(await statusesOf("has:error", "--query", "-status:failed")).toEqual([]);
  });

  test("takes an argument with blanks as one value", async () => {
    const { stdout } = await run(["invocations", "error:no such thing anywhere", "--json"]);
    expect(JSON.parse(stdout).filter.query).toEqual(['error:"no such thing anywhere"']);
    const several = await run(["invocations", "status:failed task:tasks.*", "--json"]);
    expect(JSON.parse(several.stdout).filter.query).toEqual(["status:failed", "task:tasks.*"]);
  });

  test("counts matches by status, task or exception", async () => {
    const { stdout } = await monitor([...here, "invocations", "status:failed", "--by", "exception"]);
    const rows = stdout.trimEnd().split("\n").slice(1);
    const total = rows.reduce((sum, row) => sum + Number(/^\S+ +(\d+)/.exec(row)?.[1]), 0);
    expect(total).toBe(facts.statuses.failed);
    const json = JSON.parse((await run(["invocations", "--by", "status", "--json"])).stdout);
    expect(
      Object.fromEntries(
        json.groups.map((group: { value: string; invocations: number }) => [group.value, group.invocations]),
      ),
    ).toEqual(Object.fromEntries(Object.entries(facts.statuses).filter(([, count]) => count > 0)));
    expect((await run(["invocations", "--by", "colour"], 2)).stderr).toContain(
      "expected one of status, task, exception",
    );
    expect((await run(["invocations", "--by", "task", "--limit", "3"], 2)).stderr).toContain("--limit");
  });

  test("prints chosen fields in every format, sorted and up to a limit", async () => {
    const choice = ["--fields", "status,duration_seconds", "--sort", "-duration_seconds", "--limit", "4"];
    const { invocations } = JSON.parse(
      (await monitor([...here, "invocations", "status:success", ...choice, "--json"])).stdout,
    ) as { invocations: { status: string; duration_seconds: number }[] };
    expect(invocations.map((row) => Object.keys(row))).toEqual(Array(4).fill(["status", "duration_seconds"]));
    const durations = invocations.map((row) => row.duration_seconds);
    expect(durations).toEqual(durations.toSorted((a, b) => b - a));
    const table = (await monitor([...here, "invocations", "status:success", ...choice])).stdout.trimEnd().split("\n");
    expect(table.map((line) => line.trim().split(/ +/))).toEqual([
      ["STATUS", "DURATION_SECONDS"],
      ...durations.map((seconds) => ["success", String(seconds)]),
    ]);
    const csv = (await run(["invocations", "status:success", ...choice, "--format", "csv"])).stdout
      .trim()
      .split("\r\n");
    expect(csv).toEqual(["status,duration_seconds", ...durations.map((seconds) => `success,${seconds}`)]);
    const lines = (await run(["invocations", "status:success", ...choice, "--format", "jsonl"])).stdout
      .trim()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(invocations);
    for (const [flag, value] of [
      ["--fields", "colour"],
      ["--sort", "arguments"],
    ] as const)
      expect((await run(["invocations", flag, value], 2)).stderr).toContain(flag);
    expect((await run(["invocations", "--format", "csv", "--page", "2"], 2)).stderr).toContain("--page");
  });

  test("continues after the cursor of an earlier list, and refuses that cursor for another list", async () => {
    const pageOf = async (...args: string[]) => {
      const { stdout } = await run(["invocations", "status:success", "--json", ...args]);
      const { invocations, older } = JSON.parse(stdout) as { invocations: { invocation_id: string }[]; older: string };
      return { ids: invocations.map((row) => row.invocation_id), older };
    };
    const four = await pageOf("--limit", "4");
    const two = await pageOf("--limit", "2");
    const next = await pageOf("--limit", "2", "--after", two.older);
    expect([...two.ids, ...next.ids]).toEqual(four.ids);
    expect(new Set(four.ids).size).toBe(4);
    const after = ["invocations", "--after", two.older];
    for (const other of [
      ["--page", "2"],
      ["--sort", "registered_at"],
      ["--format", "csv"],
      ["--by", "status"],
      ["--follow"],
    ]) {
      const { code, stderr } = await monitor([...here, ...after, ...other]);
      expect([other, code, stderr]).toEqual([other, 2, expect.stringContaining("--after")]);
    }
  });

  test("says which fields a search may have when one is unknown", async () => {
    const { stderr } = await run(["invocations", "stauts:failed"], 2);
    expect(stderr).toContain(
      '--query: "stauts:failed" is not accepted; expected one of the fields status, task, exception, error',
    );
    expect(stderr).toContain("registered_by");
  });
});
