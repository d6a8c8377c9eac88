/** `monitor tree` on data that real pynenc runs wrote. */
import stringWidth from "fast-string-width";
import { describe, expect, test } from "vitest";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const here = [
  ...["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink"],
  ...["--now", presentOption("kitchen_sink.db")],
];
const ROOT = "b5b33649-501e-46c6-9471-8b5487ed90d3";
const LEAF = "eb425c2c-4164-4643-8c87-ae30ec3cb57c";
const STEP = "4afa48ee-dbd2-489f-a983-92ae6fd69162";

// biome-ignore lint/suspicious/noExplicitAny: looked at member by member
async function json(...args: string[]): Promise<any> {
  const run = await monitor([...here, "tree", ...args, "--json"]);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return JSON.parse(run.stdout);
}

describe("monitor tree", () => {
  test("prints the family from its root, one invocation on each line with its cause", async () => {
    const { code, stdout, stderr } = await monitor([...here, "tree", LEAF]);
    const lines = stdout.trimEnd().split("\n");
    expect([code, lines.length, stderr]).toEqual([0, 13, ""]);
    expect(lines[0]).toMatch(new RegExp(`^tasks\\.root success took \\d.* ${ROOT}$`));
    expect(lines.filter((line) => /^[├└]─ called tasks\.branch success /.test(line))).toHaveLength(3);
    expect(lines.filter((line) => /^[│ ] {2}[├└]─ called tasks\.leaf (?:success|failed) /.test(line))).toHaveLength(9);
    expect(lines.filter((line) => line.endsWith(`${LEAF} (this one)`))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("failed")).map((line) => line.split(/[0-9a-f]{12} /)[1])).toEqual([
      "ValueError: leaf r.2.2 is rotten",
    ]);
  });

  test("accepts the beginning of an id, and prints the event that started the family", async () => {
    const { code, stdout } = await monitor([...here, "tree", STEP.slice(0, 8)]);
    const lines = stdout.trimEnd().split("\n");
    expect([code, lines.filter((line) => / (?:success|failed) took /.test(line)).length]).toEqual([0, 7]);
    expect(lines[0]).toBe("event 21997b6a-c97b-45db-b4a1-5967dde77ad8");
    expect(lines[1]).toMatch(/^[├└]─ event go\.workflow /);
  });

  test("says where children are left out, and expands them with --expand", async () => {
    const cut = await monitor([...here, "tree", ROOT, "--limit", "4"]);
    expect(cut.stdout.match(/\(\d of what it led to left out\)/g)).toHaveLength(3);
    expect(cut.stderr).toContain("--expand");
    const branches = (await json(ROOT, "--limit", "4")).rows.slice(1).map((row: { id: string }) => row.id);
    const family = await json(ROOT, "--limit", "4", "--expand", ...branches);
    expect([family.rows.length, family.truncated, family.expand]).toEqual([13, false, branches]);
    const stranger = await monitor([...here, "tree", ROOT, "--expand", "nobody"]);
    expect([stranger.code, stranger.stderr]).toEqual([0, "One id to expand is not in the family.\n"]);
  });

  test("shows the family as it was at an instant, and says so", async () => {
    const root = (await json(ROOT)).rows[0].invocation;
    const run = await monitor([...here, "tree", ROOT, "--at", root.registered_at, "--json"]);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^As of .*, from the status history\.\n$/);
    const { rows } = JSON.parse(run.stdout);
    expect(rows.map((row: { invocation: { status: string } }) => row.invocation.status)).toEqual(["registered"]);
    const before = new Date(Date.parse(root.registered_at) - 1_000).toISOString();
    const earlier = await monitor([...here, "tree", ROOT, "--at", before]);
    expect([earlier.code, earlier.stdout]).toEqual([3, ""]);
    expect(earlier.stderr).toMatch(/^Invocation ".*" was not registered yet at .*; it was registered at .*\.\n$/);
    expect(earlier.stderr).toContain(`it was registered at ${root.registered_at.slice(0, 23).replace("T", " ")} UTC.`);
    const later = await monitor([...here, "tree", ROOT, "--at", "2999-01-01"]);
    expect([later.code, later.stderr.includes("--at")]).toEqual([2, true]);
  });

  test("exits with 3 for an unknown id and with 2 for a refused option", async () => {
    const unknown = await monitor([...here, "tree", "no-such-id"]);
    expect([unknown.code, unknown.stdout]).toEqual([3, ""]);
    const wrong = await monitor([...here, "tree", ROOT, "--limit", "0"]);
    expect([wrong.code, wrong.stderr.includes("--limit")]).toEqual([2, true]);
  });
});

describe("on a terminal", () => {
  test.each([60, 80])("of %i columns tree, trace and event have no line that is wider", async (columns) => {
    for (const words of [
      ["tree", STEP],
      ["trace", STEP, "--direction", "both"],
      ["event", "21997b6a"],
    ]) {
      const { stdout, stderr } = await monitor([...here, ...words, "--no-color"], { columns });
      const lines = [...stdout.split("\n"), ...stderr.split("\n")];
      expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
    }
  });

  test("trace prints a tree with ids that other commands accept, and JSON where a program reads it", async () => {
    const { stdout } = await monitor([...here, "trace", STEP], { columns: 80 });
    const id = /[0-9a-f]{8}…[0-9a-f]{4}/.exec(stdout)?.[0] ?? "";
    expect((await monitor([...here, "show", id])).code).toBe(0);
    expect(JSON.parse((await monitor([...here, "trace", STEP])).stdout).focus_id).toBe(STEP);
  });
});
