/** What scripts ask of commands that print rows: ids alone, chosen members, and the new ids of an action. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { describe, expect, test } from "vitest";
import { WrittenFile } from "../../src/api/written-file.ts";
import { QUESTIONS } from "../../src/questions/all.ts";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const db = ownCopy("kitchen_sink.db", folder);
const here = ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];

async function lines(...words: string[]): Promise<string[]> {
  const { code, stdout } = await monitor([...here, ...words]);
  expect([words, code]).toEqual([words, 0]);
  return stdout.split("\n").slice(0, -1);
}

/** How each list is asked for, so that it has rows. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  find: ["tasks."],
  runners: ["--all"],
  stats: ["--since", "1d"],
  failures: ["--since", "1d"],
  wait: ["status:failed"],
  compare: ["status:failed"],
  tree: ["bc0a5257-16d0-4223-9705-a5a6e837686b"],
};
/** These rows have no ids, or need actions first. */
const NOT_HERE = ["audit", "doctor", "config", "logs"];
const LISTS = QUESTIONS.filter(({ name, command }) => command?.rows !== undefined && !NOT_HERE.includes(name));

describe("a command with rows", () => {
  test.each(LISTS.map(({ name, command }) => [name, command] as const))(
    "%s prints ids and chosen members",
    async (name, command) => {
      const words = [name, ...(ASKED[name] ?? [])];
      const [rows] = command?.rows ?? [];
      const field = rows?.id[0] ?? "sentence";
      const table = await lines(...words, "--fields", field);
      if (table.length > 0) expect(table[0]).toBe(field.toUpperCase());
      const unknown = await monitor([...here, ...words, "--fields", "no_such_member"]);
      expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(`--fields: "no_such_member"`)]);
      if (rows?.id.length === 0) return;
      const ids = await lines(...words, "--format", "ids");
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.filter((id) => id.trim() === "")).toEqual([]);
      if (name !== "failures" && name !== "find") expect(table.slice(1)).toEqual(ids);
    },
  );

  test("prints with --json the answer with rows of these members alone", async () => {
    const { stdout } = await monitor([...here, "tasks", "--fields", "task_id_key,triggers", "--json"]);
    const { tasks, total } = JSON.parse(stdout);
    expect([tasks.length, Object.keys(tasks[0])]).toEqual([total, ["task_id_key", "triggers"]]);
  });

  test("prints of the settings and of what doctor found these members alone", async () => {
    const settings = await lines("config", "--fields", "field,value");
    expect(settings[0]?.split(/\s{2,}/)).toEqual(["FIELD", "VALUE"]);
    expect(settings.length).toBeGreaterThan(30);
    const { code, stdout } = await monitor([...here.slice(0, 4), "doctor", "--fields", "code,severity", "--json"]);
    const { verdicts } = JSON.parse(stdout);
    expect([code, Object.keys(verdicts[0])]).toEqual([1, ["code", "severity"]]);
    const ids = await monitor([...here.slice(0, 4), "doctor", "--format", "ids"]);
    expect(ids.stdout.trimEnd().split("\n")).toEqual(verdicts.map((one: { code: string }) => one.code));
  });

  test.each([
    ["tasks", "--format", "csv"],
    ["tasks", "--format", "ids", "--json"],
    ["tasks", "--format", "ids", "--fields", "task_id_key"],
    ["invocations", "--format", "ids", "--fields", "status"],
    ["events", "--format", "csv", "--fields", "event_id"],
  ])("refuses %s %s %s", async (...words) => {
    expect(await monitor([...here, ...words])).toMatchObject({ code: 2, stdout: "" });
  });

  test("prints all invocations and events that match as ids, not one page", async () => {
    const { page } = JSON.parse((await monitor([...here, "invocations", "--limit", "1", "--json"])).stdout);
    expect(page.total).toBeGreaterThan(50);
    expect(await lines("invocations", "--format", "ids")).toHaveLength(page.total);
    expect(await lines("invocations", "--format", "ids", "--limit", "3")).toHaveLength(3);
  });
});

describe("--quiet", () => {
  test("prints of a rerun the new ids and nothing else", async () => {
    const own = ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink", ...here.slice(4)];
    const [id = "", other = ""] = await lines("invocations", "status:failed", "--format", "ids");
    const one = await monitor([...own, "rerun", id, "--yes", "-q"]);
    expect([one.code, one.stderr]).toEqual([0, ""]);
    const several = await monitor([...own, "rerun", id, other, "--yes", "-q", "--force"]);
    const made = `${one.stdout}${several.stdout}`.trimEnd().split("\n");
    expect(made).toHaveLength(3);
    for (const each of made) expect((await monitor([...own, "show", each])).code).toBe(0);
  });
});

describe("export, bundle and timeline with --json", () => {
  test.each([
    ["export", "csv", ["status:failed", "--format", "csv"]],
    ["bundle", "html", ["status:failed"]],
    ["timeline", "svg", ["--format", "svg"]],
  ])("%s prints one document about the file, and is refused without one", async (command, format, more) => {
    const path = `${folder}/written.${format}`;
    const words = [...here, command, ...more, "--json"];
    const { code, stdout, stderr } = await monitor([...words, "-o", path]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(WrittenFile.parse(JSON.parse(stdout))).toMatchObject({ path, format });
    for (const out of [[], ["-o", "-"]]) {
      const refused = await monitor([...words, ...out]);
      expect([refused.code, refused.stdout, JSON.parse(refused.stderr).exit_code]).toEqual([2, "", 2]);
    }
  });
});

describe("--web", () => {
  test("prints the address of the page of the same question where there is no browser", async () => {
    const web = async (...words: string[]) => {
      const run = await monitor([...here, ...words, "--web"]);
      return [
        run.code,
        run.stdout
          .trim()
          .replace(/[?&]app=kitchen_sink$/, "")
          .replace("http://127.0.0.1:8000", ""),
      ];
    };
    expect(await web("invocations", "status:failed", "--limit", "5")).toEqual([
      0,
      "/invocations/?q=status%3Afailed&limit=5",
    ]);
    expect(await web("task", "add")).toEqual([0, "/tasks/tasks.add"]);
    expect(await web("show", "tasks.add")).toEqual([0, "/tasks/tasks.add"]);
    expect(await web("show", "nothing-like-it")).toEqual([0, "/search?q=nothing-like-it"]);
    expect(await web("why", "queue", "mail")).toEqual([0, "/why?id=queue+mail"]);
    expect(await web("diff", "abcd", "ef01")).toEqual([0, "/diff?a=abcd&b=ef01"]);
    expect((await monitor([...here, "doctor", "--web"])).code).toBe(2);
    expect((await monitor(["completion", "bash", "--web"])).code).toBe(2);
  });

  test.each([
    ["Nothing listens", null],
    ["Something other than a monitor answers", "<p>A page of another program</p>"],
    ["", '{"status":"ok","store":"app.db"}'],
  ])("says whether a monitor is there, after the address: %j", async (words, answer) => {
    const server = createServer((_request, response) => response.end(answer));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const stop = () => new Promise((resolve) => server.close(resolve));
    if (answer === null) await stop();
    const { code, stdout, stderr } = await monitor([...here, "status", "--web"], {
      env: { PYNENC_MONITOR_PORT: String(port) },
    });
    if (answer !== null) await stop();
    const root = `http://127.0.0.1:${port}`;
    expect([code, stdout.startsWith(`${root}/`)]).toEqual([0, true]);
    expect(stderr).toBe(words === "" ? "" : `${words} at ${root}. To start a monitor: monitor serve\n`);
  });

  test("says that something listens but does not answer", async () => {
    const server = createSocketServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await monitor([...here, "status", "--web"], {
      env: { PYNENC_MONITOR_PORT: String(port) },
    });
    server.close();
    expect([code, stderr]).toEqual([
      0,
      `Something listens but does not answer at http://127.0.0.1:${port}. To start a monitor: monitor serve\n`,
    ]);
  });
});

test.each([
  ["invocations", "--call", "no-such-call"],
  ["trigger-runs", "--trigger", "no-such-trigger"],
  ["compare", "task:no-such-task"],
  ["wait", "task:no-such-task"],
  ["timeline", "--id", "no-such-id"],
  ["invocations", "id:no-such-id"],
  ["export", "--format", "csv", "id:no-such-id"],
  ["rerun", "--id-prefix", "no-such-id", "--yes"],
  ["mute", "stuck_pending", "--id", "no-such-id", "--yes"],
  ["unmute", "stuck_pending", "--id", "no-such-id", "--yes"],
])("%s %s exits with 3, because the name occurs nowhere", async (...words) => {
  const { code, stdout, stderr } = await monitor([...here, ...words]);
  expect([code, stdout, stderr]).toEqual([3, "", expect.stringContaining("no-such-")]);
});
