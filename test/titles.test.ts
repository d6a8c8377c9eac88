/** A title has to be understood from the report of a failure alone: it is plain English, and has a subject. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Words that turned out to make a riddle of a title, and what to write in their place. */
const RIDDLES: readonly [RegExp, string][] = [
  [/\btold\b|\btell(s|ing)?\b/, "shows, says, reports, names"],
  [/\b(no|some|every)body\b|\bwho(m)?ever\b|\bthose who\b/, "a noun: a client, a reader, a runner"],
  [/\b(is|are|was|were|be) none\b|\bnone where\b/, "no ..., or another sentence"],
  [/\b(gone|going) on\b|\bgo(es)? on (behind|from|after)\b/, "continue"],
  [/\bwhat (is|was) there\b|\bwhat there is\b/, "the stored rows, the data"],
  [/\b(stands?|stood)\b(?! (for|out)\b)/, "is, is shown"],
  [/\bno matter\b|\bleads? nowhere\b|\bnowhere but\b/, "another sentence"],
  [/\bdear(er|est)?\b/, "expensive"],
];

/** How a title begins whose subject should be in a `describe` around it. */
const WITHOUT_SUBJECT = /^(is|are|was|were|has|have|does|do|may|can|never|not|that|of)\b/;

/** What calls one of vitest's functions or our own around them: `it`, `test.skipIf(…)`, `describe.each(…)`, `describeWithRedis`, `wrongToday`. */
const CALLED = /^(it|test|describe([A-Z]\w*)?|wrongToday)$/;

/** A node of a syntax tree, as far as it matters here. */
interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

interface Title {
  line: number;
  text: string;
  /** Neither in a `describe` nor in a function, which may be called in one. */
  alone: boolean;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";

/** The name that is called in `it`, `it.each(rows)` and `test.skipIf(x).each(rows)`. */
function calledName(node: Node): string {
  if (node.type === "Identifier") return String(node.name);
  const inner = node.type === "MemberExpression" ? node.object : node.type === "CallExpression" ? node.callee : null;
  return isNode(inner) ? calledName(inner) : "";
}

/** Without the quotes; a template with its `${…}`, and null for a name that is worked out elsewhere. */
function textOf(node: unknown, source: string): string | null {
  if (!isNode(node)) return null;
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null;
  return node.type === "TemplateLiteral" ? source.slice(node.start + 1, node.end - 1) : null;
}

function titlesIn(source: string, lang: "ts" | "tsx"): Title[] {
  const found: Title[] = [];
  const visit = (value: unknown, alone: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, alone);
    if (!isNode(value)) return;
    const args = value.type === "CallExpression" && isNode(value.callee) ? (value.arguments as Node[]) : [];
    const name = args.length > 1 ? calledName(value.callee as Node) : "";
    const title = CALLED.test(name) ? textOf(args[name === "wrongToday" ? 1 : 0], source) : null;
    if (title !== null) {
      const line = source.slice(0, value.start).split("\n").length;
      found.push({ line, text: title, alone: alone && !name.startsWith("describe") });
    }
    const inside = /Function/.test(value.type) || name.startsWith("describe");
    for (const member of Object.values(value)) visit(member, alone && !inside);
  };
  visit(parseAst(source, { lang }), true);
  return found;
}

function faultsOf({ text, alone }: Title): string[] {
  const words = RIDDLES.flatMap(([riddle, better]) => {
    const word = riddle.exec(text.toLowerCase())?.[0];
    return word === undefined ? [] : [`"${word}" (better: ${better})`];
  });
  return alone && WITHOUT_SUBJECT.test(text) ? [...words, "no subject"] : words;
}

describe("titles of tests", () => {
  it("have plain words, and a subject unless a describe has it", () => {
    const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
      .map((name) => `test/${name.replaceAll("\\", "/")}`)
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("test/fixtures/"));
    const read = files.flatMap((file) =>
      titlesIn(readFileSync(join(ROOT, file), "utf8"), file.endsWith("x") ? "tsx" : "ts").map((title) => ({
        ...title,
        file,
      })),
    );
    expect(read.length).toBeGreaterThan(2_000);
    const faults = read.flatMap((title) =>
      faultsOf(title).map((fault) => `${title.file}:${title.line} "${title.text}": ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it("are found in every form that they are written in", () => {
    const source = [
      'it("one", () => {});',
      'test.skipIf(true)("two", () => {});',
      'it.each([["a"]])("three %s", () => {});',
      "for (const x of []) it(`four`, () => {});",
      'describeWithRedis("five", () => {',
      '  wrongToday("K1", "six", async () => {});',
      "});",
      'function cases() { it("is seven", () => {}); }',
    ].join("\n");
    expect(titlesIn(source, "ts").map(({ line, text, alone }) => [line, text, alone])).toEqual([
      [1, "one", true],
      [2, "two", true],
      [3, "three %s", true],
      [4, "four", true],
      [5, "five", false],
      [6, "six", false],
      [8, "is seven", false],
    ]);
  });

  it.each([
    ["says how many were told", '"told" (better: shows, says, reports, names)'],
    ["a page that leads nowhere", '"leads nowhere" (better: another sentence)'],
    ["is read once", "no subject"],
  ])("with a riddle are refused: %s", (text, fault) => {
    expect(faultsOf({ line: 1, text, alone: true })).toEqual([fault]);
  });
});
