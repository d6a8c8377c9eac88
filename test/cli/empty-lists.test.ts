/** What lists say when they are empty: that there is nothing yet, or that nothing matches what was asked for. */
import { beforeAll, describe, expect, test } from "vitest";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const optionsOf = (db: string) => ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];
const full = optionsOf(ownCopy("kitchen_sink.db", folder));
const empty = optionsOf(ownCopy("kitchen_sink.db", folder));
beforeAll(async () => {
  expect((await monitor([...empty, "purge", "all", "--yes", "-q"])).code).toBe(0);
});

describe("a command that lists", () => {
  test.each([
    ["invocations", "kitchen_sink has no invocations yet."],
    ["events", "No events yet."],
    ["trigger-runs", "No trigger runs yet."],
    ["atomic-service", "No service runs yet."],
    ["triggers", "No triggers registered."],
    ["workflows", "No workflow runs yet."],
    ["workflows --runs", "No workflow runs yet."],
    ["queue", "The queue is empty."],
    ["mute", "Nothing is muted."],
    ["audit", "No actions yet."],
  ])("%s says of an app without data that there is nothing yet", async (line, said) => {
    const home = { PYNENC_MONITOR_STATE_DIR: `${folder}/state` };
    const { code, stdout, stderr } = await monitor([...empty, ...line.split(" ")], { env: home });
    expect([code, stdout, stderr]).toEqual([0, "", `${said}\n`]);
  });

  test.each([
    ["invocations", "No invocation matches the filter."],
    ["events", "No event matches the filter."],
    ["trigger-runs", "No trigger run matches the filter."],
  ])("%s says of a filter that nothing meets that nothing matches", async (command, said) => {
    const { code, stdout, stderr } = await monitor([...full, command, "--until", "2000-01-01"]);
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([0, "", said]);
  });

  test("wait exits with 3 for a search that no invocation matches", async () => {
    const { code, stderr } = await monitor([...full, "wait", "status:success run>5h"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("No invocation matches this search.")]);
  });
});
