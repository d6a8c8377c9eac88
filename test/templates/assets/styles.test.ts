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

test("every class in a stylesheet is set by a component or a browser module", () => {
  const sources = filesOf(TEMPLATES, /\.tsx?$/).map((name) => readFileSync(join(TEMPLATES, name), "utf8"));
  const words = new Set(sources.join("\n").match(/[\w-]+(?:\$\{)?/g));
  // A class that ends in a value, as in `status-${status}`, is known by its beginning.
  const isSet = (name: string) =>
    words.has(name) || [...name.matchAll(/-/g)].some(({ index }) => words.has(`${name.slice(0, index + 1)}\${`));
  const unused = sheets.flatMap((sheet) => {
    const selectors = readFileSync(join(CSS, sheet), "utf8")
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .replace(/\{[^{}]*\}/g, ";");
    return [...selectors.matchAll(/\.([a-z_][\w-]*)/gi)]
      .map(([, name]) => name ?? "")
      .filter((name) => !isSet(name) && !name.endsWith(".css") && name !== "css")
      .map((name) => `${sheet}: .${name}`);
  });
  expect(sheets.length).toBeGreaterThan(10);
  expect(unused).toEqual([]);
});

function filesOf(folder: string, kind: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => kind.test(name));
}
