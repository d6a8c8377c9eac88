/** `monitor compare`, on data that real pynenc runs wrote. */
import { beforeAll, expect, test } from "vitest";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
let here: string[];
beforeAll(() => {
  const fixture = "kitchen_sink.db";
  here = ["--db", ownCopy(fixture, folder), "--app", "kitchen_sink", "--now", presentOption(fixture)];
});

async function lines(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await monitor([...here, "compare", ...args]);
  expect([code, stderr.includes("not accepted")]).toEqual([0, false]);
  return [...stdout.trimEnd().split("\n"), ...stderr.trimEnd().split("\n")].map((line) =>
    line.replace(/ {2,}/g, " | "),
  );
}

test("monitor compare prints both sides, then the differences, the greatest one first", async () => {
  const printed = await lines("has:parent");
  const {
    here: selection,
    there,
    differences,
    medians,
  } = JSON.parse((await monitor([...here, "compare", "has:parent", "--json"])).stdout);
  expect(printed.slice(0, 6)).toEqual([
    `Selected | ${selection.compared} invocations, has:parent`,
    `Baseline | ${there.compared} invocations, all others`,
    expect.stringMatching(
      new RegExp(
        `^Running, median \\| .+ \\(p95 .+\\) in ${medians[0].here.count} of ${selection.compared} selected, .+ in ${medians[0].there.count} of ${there.compared} in the baseline$`,
      ),
    ),
    expect.stringMatching(/^Waiting, median \| .+ selected, .+ in the baseline$/),
    "Not compared | parent task",
    "",
  ]);
  expect(printed[6]).toBe("DIFFERENCE | WHAT | HERE | THERE | ALSO THE SAME | SEARCH");
  expect(differences.length).toBeGreaterThan(1);
  for (const [i, { values, query, here: side }] of differences.entries()) {
    expect(printed[7 + i]).toContain(`| ${values[0].words} | ${side.count} of ${side.total},`);
    expect(printed[7 + i]?.endsWith(query ?? "–")).toBe(true);
  }
  const least = differences.map((one: { at_least: number }) => one.at_least);
  expect(least).toEqual(least.toSorted((a: number, b: number) => b - a));
  expect(printed.join(" ")).toMatch(
    /Only significant differences are listed\. Compared \d+ values and [\d,]+ pairs of values\./,
  );
  const [first] = await lines("has:parent", "--limit", "1");
  expect(first).toBe(printed[0]);
  expect((await lines("has:parent", "--limit", "1")).join(" ")).toContain(
    `The largest 1 of ${differences.length} are listed; --limit lists more.`,
  );
});

test("monitor compare --since compares with the preceding range, and takes the selection from flags and terms", async () => {
  const printed = await lines("--since", "1h");
  expect(printed[1]).toContain("the range before");
  const one = JSON.parse(
    (await monitor([...here, "compare", "--status", "failed", "task:tasks.*", "--with", "task:tasks.*", "--json"]))
      .stdout,
  );
  expect([one.with, one.left_out, one.here.filter.statuses, one.here.filter.query]).toEqual([
    "task:tasks.*",
    ["status", "exception"],
    ["failed"],
    ["task:tasks.*"],
  ]);
  expect(await lines()).toEqual([
    "Choose what to compare with all others: enter a search, or choose a time range.",
    "",
  ]);
});

test.each([
  [["--with", "before"], "--with"],
  [["status:failed", "--with", "statsu:x"], "one of the fields"],
  [["status:failed", "--limit", "0"], "--limit"],
  [["status:failed", "--with", " "], "--with"],
])("monitor compare exits with 2 for %j", async (args, words) => {
  const { code, stdout, stderr } = await monitor([...here, "compare", ...args]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
});

test("monitor compare refuses a word as baseline that is neither one of its own nor found", async () => {
  const { code, stderr } = await monitor([...here, "compare", "has:parent", "--with", "foo"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--with: "foo" is not accepted; expected rest, before,')]);
});
