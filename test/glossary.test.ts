/** Labels use the words of docs/glossary.md, and none of the synonyms that it refuses. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TERMS } from "../src/presentation/terms.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Term {
  word: string;
  meaning: string;
  /** A word of this monitor, not of pynenc. */
  own: boolean;
  /** Synonyms that no label may contain, or where they are quoted that no label may be. */
  refused: string[];
}

function terms(): Term[] {
  const lines = readFileSync(join(ROOT, "docs/glossary.md"), "utf8").split("\n");
  const heading = lines.indexOf("## Words of this monitor");
  return lines.flatMap((line, at) => {
    if (!line.startsWith("| ") || line.startsWith("| Word |")) return [];
    const [word = "", meaning = "", refused = ""] = line
      .split("|")
      .slice(1, 4)
      .map((cell) => cell.trim());
    return [{ word, meaning, own: at > heading, refused: refused === "" ? [] : refused.split(", ") }];
  });
}

/** Where a source says a label: members and attributes, headings on the terminal, facts, and the text of links and headings of pages. */
const LABELS = [
  /\b(?:label|title|caption|summary|hint)(?:=|:\s*)\{?\s*["`]([^"`]+)/g,
  /\b(?:fact|group|heading|step|printInvocations|pendingPart)\(\s*(?:"\w+",\s*)?["`]([^"`]+)/g,
  />\s*([A-Z][^<>{}]*?)\s*<\/(?:a|button|h1|h2|h3|dt|th|summary)>/g,
];

/** Of help, every text of several words counts. */
const TEXTS = [/"([^"\n]+ [^"\n]+)"/g];

function filesIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(folder, name));
}

function labelsIn(file: string, patterns: readonly RegExp[]): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] ?? ""));
}

function allLabels(): { file: string; label: string }[] {
  const shown = ["src/presentation", "src/cli", "src/http/routes", "templates"].flatMap(filesIn);
  const help = ["src/cli/command-table.ts", "src/cli/all-commands.ts", ...filesIn("src/questions")];
  return [
    ...shown.flatMap((file) => labelsIn(file, LABELS).map((label) => ({ file, label }))),
    ...help.flatMap((file) => labelsIn(file, TEXTS).map((label) => ({ file, label }))),
  ];
}

/** Whether a label says a refused word. */
function says(label: string, refused: string): boolean {
  // What a label inserts is no part of it.
  const words = label
    .toLowerCase()
    .replaceAll(/\$\{[^}]*\}?/g, " ")
    .replaceAll(/\s+/g, " ");
  const exact = /^"(.*)"$/.exec(refused)?.[1]?.toLowerCase();
  if (exact !== undefined) return words === exact;
  return ` ${words.replaceAll(/[^a-z0-9_-]+/g, " ")} `.includes(` ${refused.toLowerCase()} `);
}

describe("the glossary", () => {
  it("gives every word one meaning, in the order of the alphabet", () => {
    for (const own of [false, true]) {
      const words = terms().flatMap((term) => (term.own === own ? [term.word] : []));
      expect(words.length).toBeGreaterThan(10);
      expect(words).toEqual([...words].sort((a, b) => a.localeCompare(b, "en")));
    }
    const words = terms().map(({ word }) => word.toLowerCase());
    expect(new Set(words).size).toBe(words.length);
    expect(terms().filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  it("has the explanations that pages give", () => {
    const meanings = new Map(terms().map(({ word, meaning }) => [word, meaning]));
    expect(Object.entries(TERMS).filter(([word, meaning]) => meanings.get(word) !== meaning)).toEqual([]);
  });

  it("refuses no word that it explains itself", () => {
    const words = terms().map(({ word }) => word);
    const refused = terms().flatMap((term) => term.refused);
    expect(refused.filter((one) => words.some((word) => says(word, one)))).toEqual([]);
  });

  it("finds the labels of pages, of the terminal and of help in the sources", () => {
    const labels = allLabels().map(({ label }) => label);
    expect(labels.length).toBeGreaterThan(1_000);
    // A column, a fact, a heading of a page, a heading on the terminal, a menu entry, and help of a command.
    const known = ["Duration", "In this status since", "Arguments", "What led to it", "Invocations"];
    expect(known.filter((label) => !labels.includes(label))).toEqual([]);
    expect(labels.some((label) => label.includes("refresh in place"))).toBe(true);
  });

  it("is kept by every label", () => {
    const refused = terms().flatMap((term) => term.refused.map((synonym) => ({ synonym, word: term.word })));
    const wrong = allLabels().flatMap(({ file, label }) =>
      refused
        .filter(({ synonym }) => says(label, synonym))
        .map(({ synonym, word }) => `${file}: "${label}" says ${synonym} instead of "${word}"`),
    );
    expect(wrong).toEqual([]);
  });

  it("would notice a synonym in a label", () => {
    expect(says("Outdated waits (3)", "outdated")).toBe(true);
    expect(says("Run again …", "run again")).toBe(true);
    expect(says("Code", '"Code"')).toBe(true);
    expect(says("Event code", '"Code"')).toBe(false);
    expect(says("Rerun these", "run these again")).toBe(false);
  });
});
