/** Commands that docs/commands.md and the README show run on the demo, with its ids and names in place of those of the documents. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { monitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const NOW = "2026-07-04T10:15:00";
const here = ["--db", join(folder, "demo.db"), "--app", "demo-shop", "--now", NOW];
/** Of the demo, by what stands for it in documents. */
const inDemo = new Map<string, string>([
  ["shop.orders.ship", "shop.reports.render"],
  ["ship", "render"],
  ["order.created", "order.placed"],
  ["ORD-10012", "north"],
  ["CardDeclined", "TimeoutError"],
]);

/** They run on, need a terminal, a log or a server, make files elsewhere, or change what others read. */
const NOT_HERE =
  /^(?:serve|demo|top|mcp|logs|completion|export|bundle|purge|auto-purge|mute|unmute|rerun|requeue|diff)\b|--follow|--watch|--at |--out|<id>|--type|worker/;

/** Exit codes that an answer may have besides 0: something is wrong, or not yet as it is waited for. */
const ANSWERS: Record<string, number[]> = { check: [1], doctor: [1], wait: [1, 124] };

beforeAll(async () => {
  const made = await monitor(["demo", "--no-serve", "--seed", "1", ...here.slice(0, 2), "--now", NOW]);
  expect(made.stderr === "" ? 0 : made.code).toBe(0);
  const ids = async (...words: string[]) =>
    (await monitor([...here, ...words, "--format", "ids"])).stdout.trimEnd().split("\n");
  const [failed = ""] = await ids("invocations", "status:failed");
  for (const id of ["c991e525...cf9b", "c991e525", "bc0a5257"]) inDemo.set(id, failed);
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

function wordsOf(line: string): string[] {
  const known = [...inDemo].reduce((text, [name, own]) => {
    const whole = new RegExp(`(?<![\\w.])${name.replaceAll(".", "\\.")}(?![\\w.])`, "g");
    return text.replace(whole, own);
  }, line);
  return [...known.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, other, bare]) => one ?? other ?? bare ?? "");
}

describe.each(["README.md", "docs/commands.md"])("%s", (document) => {
  const commands = [...new Set(commandsIn(document))];

  test("shows commands", () => expect(commands.length).toBeGreaterThan(2));

  test.each(commands)("monitor %s prints something on the demo", async (line) => {
    const words = wordsOf(line);
    const [name = "", ...rest] = words;
    const limit = name === "wait" && !words.includes("--timeout") ? ["--timeout", "1s"] : [];
    const { code, stdout, stderr } = await monitor([name, ...here, ...rest, ...limit]);
    expect([0, ...(ANSWERS[name] ?? [])], stderr).toContain(code);
    expect(stdout + stderr).not.toBe("");
  });
});
