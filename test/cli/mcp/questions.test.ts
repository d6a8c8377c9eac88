/** The questions in docs/agents.md and the tools that exist. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readingTools } from "../../../src/cli/mcp/reading-tools.ts";
import { QUESTIONS } from "../../../src/questions/all.ts";

const text = readFileSync(new URL("../../../docs/agents.md", import.meta.url), "utf8");

/** The rows of the table below this heading. */
function rows(heading: string): string[][] {
  const table = text
    .slice(text.indexOf(`\n${heading}\n`))
    .split("\n| ")
    .slice(2);
  return table.map((row) => (row.split("\n")[0] ?? "").split(" | ").map((cell) => cell.replace(/ \|$/, "").trim()));
}

const tools = readingTools({ logs: [], doctor: () => Promise.reject(new Error("not asked")) });
const names = [...tools.map(({ name }) => name), "more"];

describe("the questions in docs/agents.md", () => {
  const asked = rows("### Which tool for which question").filter((row) => row.length === 2);

  it("are at least thirty, each with a tool that exists", () => {
    expect(asked.length).toBeGreaterThanOrEqual(30);
    for (const [question, tool] of asked) expect(names, question).toContain(tool?.replaceAll("`", ""));
  });

  it("name every tool", () => {
    expect(new Set(asked.map(([, tool]) => tool?.replaceAll("`", "")))).toEqual(new Set(names));
  });
});

describe("the tools of an assistant", () => {
  it("are all in docs/agents.md, and nothing else is", () => {
    const listed = rows("## Tools").flatMap(([cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(new Set(listed.slice(0, names.length))).toEqual(new Set(names));
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    "%s says when to use it, and takes an instant of the past or says why not",
    (_, { description, input, question }) => {
      expect(question.tool?.note).toMatch(/Use it|An overview|Start here/);
      const asksOfThePast = ["at", "since"].some((name) => Object.hasOwn(input.shape, name));
      if (!asksOfThePast) expect(description).toMatch(/no `at`|present|of the past|registered now/);
      expect(Object.keys(input.shape)).toContain("app");
      for (const [name, parameter] of Object.entries(input.shape)) {
        const described =
          parameter.description ?? (parameter as { unwrap?(): { description?: string } }).unwrap?.().description;
        expect(described, name).toMatch(/\w{3}/);
      }
    },
  );

  it("have names that no two share, old ones included", () => {
    const all = tools.flatMap(({ name, otherNames = [] }) => [name, ...otherNames]);
    expect(new Set(all).size).toBe(all.length);
    expect(QUESTIONS.filter(({ tool }) => tool !== undefined)).toHaveLength(tools.length);
  });
});
