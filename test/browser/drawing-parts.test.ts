/** Drawings that are refreshed from new markup: what they look like afterwards, and which elements are kept. */
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser } from "./browser.ts";
import { APP } from "./store.ts";

type Tree = string | { name: string; y: number; children: Tree[] };

/** Few, so that versions have some in common, and some of them twice. */
const LEAVES = [
  `<rect x="1%"></rect>`,
  `<rect x="2%" data-task-id="a.&lt;locals>.b"></rect>`,
  `<circle r="3"></circle>`,
  `<a href="/x" class="strand"><title>a > b\n&lt;/a></title><rect x="1%"></rect><svg x="2"><text>words</text></svg></a>`,
  `<g><line x1="0"></line><circle r="3"></circle></g>`,
  `<a href="/y"><title></title></a>`,
];

const trees = fc.letrec<{ tree: Tree; trees: Tree[] }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    fc.record({ name: fc.constantFrom("a", "&lt;module>.b", "c"), y: fc.nat(2), children: tie("trees") }),
  ),
  trees: fc
    .array(tie("tree"), { maxLength: 7 })
    // As in our drawings, parts of one element have names of their own.
    .map((all) => all.filter((one, i) => typeof one === "string" || all.findIndex((o) => sameName(o, one)) === i)),
})).trees;

function sameName(one: Tree, other: Tree): boolean {
  return typeof one !== "string" && typeof other !== "string" && one.name === other.name;
}

function markup(tree: Tree): string {
  if (typeof tree === "string") return tree;
  const { name, y, children } = tree;
  return `<g class="lane" transform="translate(0 ${y})" data-part="${name}">${children.map(markup).join("")}</g>`;
}

/** Leaves that both have in the same part, each as often as both have it. */
function common(before: readonly Tree[], after: readonly Tree[]): number {
  const leaves = LEAVES.map((leaf) => Math.min(...[before, after].map((all) => all.filter((o) => o === leaf).length)));
  const parts = before.flatMap((one) => {
    const other = after.find((o) => sameName(o, one));
    return typeof one === "string" || other === undefined || typeof other === "string"
      ? []
      : [common(one.children, other.children)];
  });
  return [...leaves, ...parts].reduce((sum, n) => sum + n, 0);
}

/** The script, as the body of a function whose `parts` has what it exports. */
async function script(): Promise<string> {
  const source = fileURLToPath(new URL("../../templates/client/drawing-parts.ts", import.meta.url));
  const built = await (await rolldown({ input: source })).generate({ format: "iife", name: "parts" });
  return built.output[0].code;
}

interface Parts {
  readDrawings(within: ParentNode): void;
  renewDrawing(drawing: Element, fresh: Element): void;
}

describeInBrowser("a drawing that is refreshed from new markup", (open) => {
  let monitor: Monitor;
  let page: Page;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
    ({ page } = await open(monitor));
  });
  afterEach(() => monitor.close());

  it("equals the new markup, and keeps every element that is in both, whatever scripts changed in it", async () => {
    const runs = fc.sample(fc.array(trees, { minLength: 3, maxLength: 5 }), { numRuns: 500, seed: 20 });
    const drawn = await page.evaluate(
      ([code, versions]) => {
        const { readDrawings, renewDrawing } = new Function(`${code}; return parts`)() as Parts;
        const holding = (content: string) => {
          const made = document.createElement("div");
          made.innerHTML = `<svg class="timeline-plot">${content}</svg>`;
          return made;
        };
        return versions.map(([first = "", ...run]) => {
          const shown = holding(first);
          readDrawings(shown);
          const drawing = shown.firstElementChild as Element;
          return run.map((content) => {
            const before = new Set(drawing.querySelectorAll("*"));
            for (const one of before) one.classList.add("related");
            const fresh = holding(content);
            readDrawings(fresh);
            renewDrawing(drawing, fresh.firstElementChild as Element);
            const leaves = [...drawing.querySelectorAll("[data-part] > :not([data-part]), :scope > :not([data-part])")];
            const kept = leaves.filter((one) => before.has(one)).length;
            for (const one of drawing.querySelectorAll(".related")) {
              one.classList.remove("related");
              if (one.getAttribute("class") === "") one.removeAttribute("class");
            }
            return { right: drawing.isEqualNode(holding(content).firstElementChild), kept };
          });
        });
      },
      [await script(), runs.map((run) => run.map((version) => version.map(markup).join("")))] as const,
    );
    const wanted = runs.map((run) =>
      run.slice(1).map((version, n) => ({ right: true, kept: common(run[n] ?? [], version) })),
    );
    expect(wanted.flat().filter(({ kept }) => kept > 3).length).toBeGreaterThan(50);
    expect(drawn).toEqual(wanted);
  });
});
