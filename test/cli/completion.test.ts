/** What shells offer while a command line is typed: from the program, and from the store that the line names. Never an error. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyFixture, factsOf } from "../support/fixtures.ts";
import { BIN, cleanEnvironment, monitor, ownMonitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const db = copyFixture("kitchen_sink.db", folder);
const store = ["--db", db, "--app", "kitchen_sink"];

/** A failed invocation of that store. */
const FAILED_ID = "bc0a5257-16d0-4223-9705-a5a6e837686b";

/** Of a shell whose lines lead to that store. */
const inShell = () => ({
  ...cleanEnvironment(),
  HOME: folder,
  PYNENC_MONITOR_DB: db,
  PYNENC_MONITOR_APP: "kitchen_sink",
});

/** On a busy machine the program may give up, as it should. */
const AGAIN = { retry: 10 };

function installed(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).error === undefined;
}

async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await monitor(["complete", "--", ...words], { cwd: folder });
  expect([words, code, stderr]).toEqual([words, 0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("monitor complete offers", () => {
  test.each([
    [["invo"], ["invocation", "invocations"]],
    [
      ["help", "runn"],
      ["runner", "runners"],
    ],
    [["compl"], ["completion"]],
    [
      ["invocations", "--stat"],
      ["--state-dir", "--status", "--status-mode"],
    ],
    [
      ["invocations", "--by", ""],
      ["exception", "status", "task"],
    ],
    [["invocations", "--by=ta"], ["--by=task"]],
    [["trace", "--format", "m"], ["mermaid"]],
    [
      ["timeline", "--group", ""],
      ["cause", "runner", "task"],
    ],
    [
      ["stats", "--sort", ""],
      ["busy", "failed", "finished", "name", "p95", "wait"],
    ],
    [["stats", "--by", "h"], ["host"]],
    [["failures", "--by", "g"], ["group"]],
    [["top", "--sort", "b"], ["busy"]],
    [["top", "--range", "2"], ["24h"]],
    [
      ["tasks", "--sort", ""],
      ["failing", "name"],
    ],
    [["wait", "--for", "s"], ["success"]],
    [
      ["export", "--format", "p"],
      ["parquet", "perfetto"],
    ],
    [["events", "--sort", ""], []],
    [["invocations", "--fields", "status,ta"], ["status,task_id_key"]],
    [
      ["completion", ""],
      ["bash", "fish", "zsh"],
    ],
    [["invocations", "has:e"], ["has:error"]],
    [["invocations", "-stat"], []],
    [["invocations", "sta"], ["status:"]],
    [["logs", ""], []],
    [["no-such-command", ""], []],
    [["invocations", "--limit", ""], []],
    [[], ["apps"]],
  ])("for %j the matching words", async (words, expected) => {
    expect((await offered(...words)).slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  test("statuses and tasks of the store that the line names", async () => {
    const statuses = await offered("invocations", ...store, "--status", "");
    expect(statuses).toEqual(expect.arrayContaining(["failed", "success", "concurrency_controlled_final"]));
    const tasks = await offered(...store, "task", "");
    expect(tasks).toEqual(Object.keys(factsOf("kitchen_sink.db", "kitchen_sink").tasks).sort());
    const [first = ""] = tasks;
    expect(await offered("invocations", ...store, `--task=${first.slice(0, -1)}`)).toContain(`--task=${first}`);
    expect(await offered("invocations", ...store, `status:failed,succ`)).toEqual(["status:failed,success"]);
    expect(await offered("invocations", ...store, `task:${first.slice(0, -1)}`)).toContain(`task:${first}`);
    expect(await offered("--db", db, "--app", "kitchen_")).toEqual(["kitchen_sink"]);
  });

  test("ids, newest first, which zsh and fish show with task and status", async () => {
    const { stdout } = await monitor(["invocations", ...store, "--limit", "3", "--json"]);
    const rows: { invocation_id: string; task_id_key: string; status: string }[] = JSON.parse(stdout).invocations;
    const ids = rows.map((row) => row.invocation_id);
    for (const command of ["why", "show", "invocation", "rerun", "tree"])
      expect([command, (await offered(command, ...store, "")).slice(0, 3)]).toEqual([command, ids]);
    const [first] = rows;
    const beginning = first?.invocation_id.slice(0, 8) ?? "";
    expect(await offered("wait", ...store, beginning)).toContain(first?.invocation_id);
    const shown = await monitor(["complete", "--described", "--", ...store, "why", beginning], { cwd: folder });
    expect(shown.stdout).toContain(`${first?.invocation_id}\t${first?.task_id_key} ${first?.status}\n`);
    expect(await offered("tasks", "--fields", "task_id_key,tri")).toEqual(["task_id_key,triggers"]);
    expect((await offered("invocations", ...store, "--runner", "")).length).toBeGreaterThan(0);
    expect((await offered("event", ...store, "")).length).toBeGreaterThan(0);
  });

  test("nothing when the store cannot be reached", async () => {
    expect(await offered("invocations", "--db", "no-such-file.db", "--task", "")).toEqual([]);
    // It may still be connecting when nobody waits any longer, and then ends the process: one of its own.
    const unreachable = ["complete", "--", "invocations", "--url", "redis://127.0.0.1:1/0", "--task", ""];
    expect(await ownMonitor(unreachable, { cwd: folder })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await offered("invocations", "--url", "not a url", "--task", "")).toEqual([]);
  });
});

describe("completion of the command line", () => {
  test(
    "in bash completes ids and values, and replaces only the text after the last colon or equals sign",
    AGAIN,
    async () => {
      const { stdout } = await monitor(["completion", "bash"]);
      const script = `${stdout}
monitor() { "${process.execPath}" "${BIN}" "$@"; }
offer() { COMP_LINE="$1" COMP_POINT=\${#1}; _monitor_complete; printf '%s ' "\${COMPREPLY[@]}"; echo; }
offer "monitor invocations --by=ta"
offer "monitor invocations has:e"
offer "monitor doct"
offer "monitor completion "
offer "monitor logs "
offer "monitor tree bc0a52"
offer "monitor invocations --task tasks.ad"
`;
      const run = spawnSync("bash", ["-c", script], { encoding: "utf8", cwd: folder, env: inShell() });
      expect(run.stderr).toBe("");
      expect(run.stdout.split("\n").map((line) => line.trim())).toEqual([
        "task",
        "error",
        "doctor",
        "bash fish zsh",
        "",
        FAILED_ID,
        "tasks.add",
        "",
      ]);
    },
  );

  describe.skipIf(!installed("fish"))(`in fish${installed("fish") ? "" : " (skipped: fish is not installed)"}`, () => {
    test(
      "completes words, ids and values, offers files where the program offers nothing, and prints no errors",
      AGAIN,
      async () => {
        const { stdout } = await monitor(["completion", "fish"]);
        const lines = [
          "invocations --by=ta",
          "invocations has:e",
          "doct",
          "completion ",
          "logs no-such-file",
          "tree bc0a52",
        ];
        lines.push("invocations --task tasks.ad");
        const asked = lines.map((line) => `echo "> ${line}"\ncomplete -C "monitor ${line}"`).join("\n");
        const script = `function monitor; "${process.execPath}" "${BIN}" $argv; end\n${stdout}\n${asked}\n`;
        const run = spawnSync("fish", ["--no-config", "-c", script], {
          encoding: "utf8",
          cwd: folder,
          env: inShell(),
        });
        expect(run.stderr).toBe("");
        const replies = new Map(
          run.stdout
            .split(/^> /m)
            .slice(1)
            .map((part) => {
              const [line = "", ...found] = part.split("\n");
              return [line, found.filter((text) => text !== "")];
            }),
        );
        expect(replies.get("invocations --by=ta")).toEqual(["--by=task"]);
        expect(replies.get("invocations has:e")).toEqual(["has:error"]);
        expect(replies.get("doct")).toEqual(["doctor"]);
        expect(replies.get("completion ")?.sort()).toEqual(["bash", "fish", "zsh"]);
        expect(replies.get("logs no-such-file")).toEqual([]);
        const [id = "", ...others] = replies.get("tree bc0a52") ?? [];
        expect([id.startsWith(`${FAILED_ID}\ttasks.`), others]).toEqual([true, []]);
        expect(replies.get("invocations --task tasks.ad")).toEqual(["tasks.add"]);
      },
    );
  });

  describe.skipIf(!installed("zsh"))(`in zsh${installed("zsh") ? "" : " (skipped: zsh is not installed)"}`, () => {
    test("completes the typed word, an id and a value on the tab key", AGAIN, async () => {
      const { stdout } = await monitor(["completion", "zsh"]);
      const file = join(folder, "completion.zsh");
      // A shell on a terminal of its own. A key is bound to a widget that tells what stands on its line.
      const setUp = [
        "autoload -U compinit; compinit -D -u",
        `monitor() { "${process.execPath}" "${BIN}" "$@" }`,
        stdout,
        'tell() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N tell; bindkey "^X" tell',
        "PS1=",
      ];
      writeFileSync(file, setUp.join("\n"));
      const script = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source '${file}'; print READ''Y"
wait_for() { local text="" piece; while [[ "$text" != *$1* ]]; do zpty -r shell piece || return 1; text+="$piece"; done; print -r -- "$text" }
wait_for READY >/dev/null
for line in "monitor invocations --by=ta" "monitor invocations has:e" "monitor doct" "monitor completion z" "monitor invocations sta" "monitor tree bc0a52" "monitor invocations --task tasks.ad"; do
  zpty -w -n shell "$line"$'\\t\\x18'
  wait_for '>>'
done
zpty -d shell
`;
      const run = spawnSync("zsh", ["-f", "-c", script], {
        encoding: "utf8",
        cwd: folder,
        env: { ...inShell(), TERM: "dumb" },
      });
      const lines = [...run.stdout.matchAll(/<<(.*?)>>/g)].map(([, line = ""]) => line);
      expect([run.stderr, lines]).toEqual([
        "",
        [
          "monitor invocations --by=task ",
          "monitor invocations has:error ",
          "monitor doctor ",
          "monitor completion zsh ",
          "monitor invocations status:",
          `monitor tree ${FAILED_ID} `,
          "monitor invocations --task tasks.add ",
        ],
      ]);
    });
  });

  test("for an unknown shell is refused", async () => {
    expect(await monitor(["completion", "tcsh"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected one of bash, zsh, fish"),
    });
  });
});
