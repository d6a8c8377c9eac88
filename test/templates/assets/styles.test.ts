/** The stylesheets: what they are put together from, and that nothing in them is left over from a component that is gone. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const TEMPLATES = fileURLToPath(new URL("../../../templates/", import.meta.url));
const CSS = join(TEMPLATES, "assets", "css");

const sheets = filesOf(CSS, /\.css$/);
const index = readFileSync(join(CSS, "app.css"), "utf8");

test("every stylesheet is imported once, into a layer of the declared order", () => {
  const imports = [...index.matchAll(/^@import "\.\/(.+)" layer\((\w+)\);$/gm)].map(([, file, layer]) => ({
    file,
    layer,
  }));
  expect(imports.map(({ file }) => file).sort()).toEqual(sheets.filter((name) => name !== "app.css").sort());
  const order = /^@layer ([\w,\s]+);$/m.exec(index)?.[1]?.split(/,\s*/) ?? [];
  expect(imports.filter(({ layer }) => !order.includes(layer ?? ""))).toEqual([]);
  expect(index.match(/@import/g)).toHaveLength(imports.length);
  expect(index.replace(/\/\*[\s\S]*?\*\//g, "")).not.toContain("{");
});

test("every class, id, attribute and property in a stylesheet is set by a component or a browser module", () => {
  const sources = filesOf(TEMPLATES, /\.tsx?$/)
    .map((name) => readFileSync(join(TEMPLATES, name), "utf8"))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  // Only what code writes: a word of a comment or the name of a variable sets nothing. A class that ends in a value, as in `marker-${state}`, is
  // known by its beginning, and so is an id; an attribute may also be written as `dataset.state`.
  const words = new Set(
    sources
      .match(/"[^"\n]*"|`[^`]*`/g)
      ?.join("\n")
      .match(/[\w-]+(?:\$\{)?/g),
  );
  const attributes = new Set(
    sources.match(/\bdata-[\w-]+|\baria[-A-Z]\w+|(?<=\bdataset\.)\w+/g)?.map((name) => name.toLowerCase()),
  );
  const isSet = (name: string) =>
    words.has(name) || [...name.matchAll(/-/g)].some(({ index }) => words.has(`${name.slice(0, index + 1)}\${`));
  const css = sheets.map((sheet) => readFileSync(join(CSS, sheet), "utf8").replace(/\/\*[\s\S]*?\*\//g, "")).join("\n");
  const names = (kind: RegExp) => [...new Set([...css.matchAll(kind)].map(([, name]) => name ?? ""))];
  // A selector is what stands before a brace; what has a semicolon behind it is a declaration.
  const selectors = css.match(/[^{};]+(?=\{)/g)?.join("\n") ?? "";
  const named = (kind: RegExp) => [...new Set([...selectors.matchAll(kind)].map(([, name]) => name ?? ""))];
  expect(sheets.length).toBeGreaterThan(10);
  expect(named(/\.([a-z_][\w-]*)/gi).filter((name) => !isSet(name))).toEqual([]);
  expect(named(/#([a-z][\w-]*)/gi).filter((name) => !isSet(name))).toEqual([]);
  const isAttribute = (name: string) => attributes.has(name) || attributes.has(name.replace(/^data-|-/g, ""));
  expect(named(/\[((?:data|aria)-[\w-]+)/g).filter((name) => !isAttribute(name))).toEqual([]);
  const [declared, used] = [names(/(--[\w-]+):/g), names(/var\((--[\w-]+)/g)];
  expect(declared.filter((name) => !used.includes(name))).toEqual([]);
  expect(used.filter((name) => !declared.includes(name) && !sources.includes(name))).toEqual([]);
});

function filesOf(folder: string, kind: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => kind.test(name));
}
