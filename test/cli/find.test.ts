/** `monitor find`: one match with its page and its command, several as a table, no match with exit code 3. */
import { describe, expect, test } from "vitest";
import { FindAnswer } from "../../src/api/find.ts";
import { copyFixture } from "../support/fixtures.ts";
import { monitor, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const db = copyFixture("kitchen_sink.db", folder);
const here = ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];

async function firstId(): Promise<string> {
  const { stdout } = await monitor([...here, "invocations", "--limit", "1", "--json"]);
  return (JSON.parse(stdout) as { invocations: { invocation_id: string }[] }).invocations[0]?.invocation_id ?? "";
}

describe("monitor find", () => {
  test("prints the only match with its address and the command that shows it", async () => {
    const id = await firstId();
    const { code, stdout } = await monitor([...here, "find", `${id.slice(0, 8)}...${id.slice(-4)}`]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Invocation +${id}$`, "m"));
    expect(stdout).toMatch(new RegExp(`^Address +/invocations/${id}\\?app=kitchen_sink$`, "m"));
    expect(stdout).toMatch(new RegExp(`^Show it +monitor invocation ${id} --app kitchen_sink$`, "m"));
    const shown = await monitor([...here, "invocation", id.slice(0, 8).toUpperCase()]);
    expect([shown.code, shown.stdout.includes(id)]).toEqual([0, true]);
  });

  test("names the workflow run that an invocation defines, with the command that shows it", async () => {
    const { stdout: runs } = await monitor([...here, "workflows", "--runs", "--json"]);
    const [run] = (JSON.parse(runs) as { runs: { workflow_id: string }[] }).runs;
    const { stdout } = await monitor([...here, "find", run?.workflow_id ?? ""]);
    expect(stdout).toContain(`Workflow run  monitor workflow ${run?.workflow_id} --app kitchen_sink\n`);
  });

  test("says that a time of day that is still to come is yesterday's", async () => {
    const now = ["--db", db, "--app", "kitchen_sink", "--now", "2026-11-21T10:15:00Z"];
    const [later, earlier] = [
      await monitor([...now, "failures", "--since", "10:20"]),
      await monitor([...now, "failures", "--since", "10:10"]),
    ];
    expect(later.stderr).toContain("--since 10:20: that is later than now today, so yesterday's is meant.");
    expect(earlier.stderr).not.toContain("yesterday");
  });

  test("prints several matches as a table, and as one document with --json", async () => {
    const { code, stdout, stderr } = await monitor([...here, "find", "tasks."]);
    expect([code, stdout.split("\n")[0]]).toEqual([0, expect.stringMatching(/^KIND +ID OR NAME/)]);
    expect(stderr).toMatch(/\d+ matches\.\n {2}monitor task tasks\.\w+/);
    const json = await monitor([...here, "find", "tasks.", "--json"]);
    const answer = FindAnswer.parse(JSON.parse(json.stdout));
    expect(stdout.trimEnd().split("\n")).toHaveLength(answer.matches.length + 1);
  });

  test("prints what was looked for when nothing matches, and exits with 3", async () => {
    const none = await monitor([...here, "find", "no", "such", "thing"]);
    expect([none.code, none.stdout]).toEqual([3, ""]);
    expect(none.stderr).toContain('Nothing in this app matches "no such thing". Searched for:');
    const json = await monitor([...here, "find", "no-such-thing", "--json"]);
    expect([json.code, FindAnswer.parse(JSON.parse(json.stdout)).matches]).toEqual([3, []]);
  });

  test("lists the candidates when a flag's value has several matches, under the name of the flag", async () => {
    const refused = await monitor([...here, "invocations", "--call", "no_args"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^--call: "no_args" is not accepted/);
    expect(refused.stderr).toMatch(/^ {2}call {2}tasks\.\w+:no_args/m);
  });
});
