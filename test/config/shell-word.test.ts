import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { shellFileName, shellWord } from "../../src/config/shell-word.ts";

/** The words that a shell passes to a program. */
function wordsIn(shell: string): string[] {
  return execFileSync("sh", ["-c", `printf '%s\\0' ${shell}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

describe("text quoted for a shell", () => {
  it.each([
    "a b",
    "it's",
    "'",
    "",
    "$HOME `id` $(id)",
    "a\nb",
    "*",
    "~",
    "a;b&c|d>e",
    'a"b',
    "a\\b",
    "-x",
    "!1",
    "ünï",
  ])("is read as one unchanged word: %j", (text) => expect(wordsIn(shellWord(text))).toEqual([text]));

  it.each([
    ["C:\\Users\\a\\demo.db", "C:\\Users\\a\\demo.db"],
    ["C:\\my app\\it's.db", "'C:\\my app\\it''s.db'"],
  ])("is quoted as PowerShell wants it on Windows: %j", (text, word) => expect(shellWord(text, "win32")).toBe(word));

  it("leaves plain words and addresses unquoted", () => {
    const plain = ["app.db", "shop.orders.ship", "2026-07-04T10:00", "a/b_c-d", "host@1:2%+=,3"];
    expect(plain.map((word) => shellWord(word))).toEqual(plain);
  });

  it("names the same file, even if its name begins with a dash", () => {
    expect(shellFileName("app.db")).toBe("app.db");
    expect(["a b.db", "-rf.db", "it's.db"].map((name) => wordsIn(shellFileName(name)))).toEqual([
      ["./a b.db"],
      ["./-rf.db"],
      ["./it's.db"],
    ]);
  });
});
