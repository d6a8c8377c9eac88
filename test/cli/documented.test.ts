/** Commands that docs/commands.md and the README show run as they are written, on the demo that a reader of them has. */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { monitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
/** Another time of day than that of any other test: the ids do not depend on it. */
const NOW = "2026-08-14T10:58:00";
const env = {
  PYNENC_MONITOR_DB: join(folder, "demo.db"),
  PYNENC_MONITOR_APP: "demo-shop",
  PYNENC_MONITOR_NOW: NOW,
};

/** They run on, need a terminal, a log, a server or another store, or change what others read. */
const NOT_HERE =
  /^(?:serve|demo|mcp|logs|completion|purge|auto-purge|mute|unmute|requeue)\b|^top (?!.*--once)|^top$|^rerun (?!.*--dry-run)|--follow|--watch|worker/;

/** Exit codes that an answer may have besides 0: something is wrong, or not yet as it is waited for. */
const ANSWERS: Record<string, number[]> = { check: [1], doctor: [1], wait: [1, 124], status: [1] };

beforeAll(async () => {
  const made = await monitor(["demo", "--no-serve", "--db", env.PYNENC_MONITOR_DB, "--now", NOW]);
  expect(made.stderr === "" ? 0 : made.code).toBe(0);
});

/** The words of the commands of a document, up to a pipe or a redirection. */
function commandsIn(document: string): string[] {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), "utf8");
  const lines = [...text.matchAll(/^```console\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) => block.split("\n"));
  return lines.flatMap((line) => {
    const words = /^\$ (?:npx pynenc-)?monitor (.*)$/.exec(line.replace(/\s+#.*$/, ""))?.[1];
    return words === undefined || NOT_HERE.test(words) ? [] : [words.split(/ [|>] /)[0] ?? ""];
  });
}

/** Words as a shell passes them on. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, other, bare]) => one ?? other ?? bare ?? "");
}

describe.each(["README.md", "docs/commands.md"])("%s", (document) => {
  const commands = [...new Set(commandsIn(document))];
  /** For the files that they write. */
  const cwd = mkdtempSync(join(folder, "here-"));

  test("shows commands", () => expect(commands.length).toBeGreaterThan(2));

  test.each(commands)("monitor %s prints something on the demo", async (line) => {
    const words = wordsOf(line);
    const [name = ""] = words;
    const limit = name === "wait" && !words.includes("--timeout") ? ["--timeout", "1s"] : [];
    const { code, stdout, stderr } = await monitor([...words, ...limit], { cwd, env });
    expect([0, ...(ANSWERS[name] ?? [])], stderr).toContain(code);
    expect(stdout + stderr).not.toBe("");
  });
});
