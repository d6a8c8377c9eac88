/** What is wrong in a recorded app: half of the charges fail, every flaky call does, naps take seven times as long, and one hangs. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveConfiguration } from "../../../src/config/options.ts";
import { Workspace } from "../../../src/services/app/workspace.ts";
import { rollupsOfCommand } from "../../../src/services/rollups/rollup-source.ts";
import { appVerdicts } from "../../../src/services/verdicts/app-verdicts.ts";
import { why } from "../../../src/services/why/why.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";

const folder = temporaryFolder();
const NAP = "9da399b7-8e29-40f9-bb3d-2d12f8b16781";
let path = "";
beforeAll(() => {
  path = copyFixture("cases/slow_023.db", folder.path);
});
afterAll(() => folder.remove());

async function lookAt<T>(
  now: string,
  look: (app: Awaited<ReturnType<Workspace["openOnly"]>>) => Promise<T>,
): Promise<T> {
  const configuration = resolveConfiguration({ flags: { db: path, now }, env: {}, cwd: folder.path });
  const options = {
    configuration,
    env: {},
    cwd: folder.path,
    threads: 0,
    rollups: rollupsOfCommand(null),
    clock: () => 0,
  };
  const workspace = await Workspace.connect(options);
  try {
    return await look(await workspace.openOnly());
  } finally {
    await workspace.close();
  }
}

/** However long the machine takes to read the figures. */
const verdictsOf = (now: string) =>
  lookAt(now, async (app) => (await app.store.read(await appVerdicts(app, 60_000))).verdicts);

const SINCE: Readonly<Record<string, string>> = {
  retries_exhausted: "2026-11-27T07:05:41.564",
  failure_rate_up: "2026-11-27T07:05:17.687",
  slow_run: "2026-11-27T07:05:17.314",
  task_slower: "2026-11-27T07:05:27.187",
};

test.each([
  ["2026-11-27T07:06:30Z", 4],
  // The runner of the nap that hangs counts as silent by then: that is another verdict.
  ["2026-11-27T07:06:59Z", 3],
  ["2026-11-27T07:21:10Z", 3],
])("at %s each of %d verdicts has lasted since the row with which its cause began", async (now, count) => {
  const verdicts = await verdictsOf(now);
  const found = verdicts.filter(({ code }) => code in SINCE);
  expect(found.length).toBe(count);
  for (const { code, since } of found) expect([code, since?.slice(0, 23)]).toEqual([code, SINCE[code]]);
});

test("14 failures of 14 runs after 12 successes have a verdict, and so have naps of 1.5 s after naps of 226 ms", async () => {
  const verdicts = await verdictsOf("2026-11-27T07:06:30Z");
  expect(verdicts.map(({ code, sentence }) => [code, sentence])).toEqual([
    [
      "retries_exhausted",
      "shop.flaky fails more often than before, despite retries: 100 % in the last hour, 0 % in the week before",
    ],
    ["failure_rate_up", "shop.charge fails more often than before: 50 % in the last hour, 5.0 % in the week before"],
    ["slow_run", "1 invocation of shop.nap has been running for 1 min 12 s, usually at most 389 ms"],
    ["task_slower", "shop.nap takes 6.7× as long as before: 1.51 s in the last hour, 226 ms in the week before"],
  ]);
});

test("the hanging nap and each task have their verdicts in why", async () => {
  const codes = await lookAt("2026-11-27T07:06:30Z", async (app) => {
    const found: Record<string, (string | undefined)[]> = {};
    for (const id of [NAP, "shop.nap", "shop.charge", "shop.flaky", "shop.every_minute"]) {
      const { verdict, others } = await why(app, { id: [id] }, 60_000);
      found[id] = [verdict?.code, ...others.map(({ code }) => code)];
    }
    return found;
  });
  expect(codes).toEqual({
    [NAP]: ["slow_run", "in_progress"],
    "shop.nap": ["slow_run", "task_slower", "task_ended_well"],
    "shop.charge": ["failure_rate_up", "task_failed"],
    "shop.flaky": ["retries_exhausted", "task_failed"],
    "shop.every_minute": ["task_ended_well"],
  });
});
