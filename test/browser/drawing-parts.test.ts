/** Drawings that are renewed from their markup: what is there afterwards, and which elements stay. */
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser } from "./browser.ts";
import { APP } from "./store.ts";

type Tree = string | { name: string; y: number; children: Tree[] };

/** Few, so that versions have some in common, and some of them twice. */
const LEAVES = [
  `<rect x="1%"></rect>`,
  `<rect x="2%" data-task-id="a.&lt;locals>.b"></rect>`,
  `<circle r="3"/>`,
  `<a href="/x" class="strand"><title>a > b\n&lt;/a></title><rect x="1%"></rect><svg x="2"><text>words</text></svg></a>`,
  `<g><line x1="0"></line><circle r="3"/></g>`,
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
  // Some come a frame later.
  const tag = `class="lane" transform="translate(0 ${y})" data-part="${name}"${name === "c" ? ' data-later=""' : ""}`;
  return `<g ${tag}>${children.map(markup).join("")}</g>`;
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

/** A script, as the body of a function whose `parts` has what it exports. */
async function script(name = "drawing-parts"): Promise<string> {
  const source = fileURLToPath(new URL(`../../templates/client/${name}.ts`, import.meta.url));
  const built = await (await rolldown({ input: source })).generate({ format: "iife", name: "parts" });
  return built.output[0].code;
}

describeInBrowser("a drawing renewed from its markup", (open) => {
  it("is what was sent, and keeps every element that is sent again", async () => {
    const monitor: Monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP });
    try {
      const { page } = await open(monitor);
      const runs = fc.sample(fc.array(trees, { minLength: 3, maxLength: 5 }), { numRuns: 500, seed: 20 });
      const drawn = await page.evaluate(
        ([code, versions]) => {
          const { planDrawing } = new Function(`${code}; return parts`)() as {
            planDrawing: (drawing: Element, content: string, most?: number) => () => (() => void) | null;
          };
          const svg = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");
          return versions.map((run) => {
            const drawing = svg();
            // What is there before the first time was not made from markup.
            drawing.innerHTML = "<rect></rect>";
            return run.map((content) => {
              const before = new Set(drawing.querySelectorAll("*"));
              const fresh = svg();
              fresh.innerHTML = content;
              const renewRest = planDrawing(drawing, content, content.length % 7)();
              const waits = !drawing.isEqualNode(fresh);
              renewRest?.();
              const leaves = [
                ...drawing.querySelectorAll("[data-part] > :not([data-part]), :scope > :not([data-part])"),
              ];
              return {
                right: drawing.isEqualNode(fresh),
                waits,
                kept: leaves.filter((leaf) => before.has(leaf)).length,
              };
            });
          });
        },
        [await script(), runs.map((run) => run.map((version) => version.map(markup).join("")))] as const,
      );
      const wanted = runs.map((run) =>
        run.map((version, n) => ({ right: true, kept: common(run[n - 1] ?? [], version) })),
      );
      expect(wanted.flat().filter(({ kept }) => kept > 3).length).toBeGreaterThan(50);
      expect(drawn.map((run) => run.map(({ right, kept }) => ({ right, kept })))).toEqual(wanted);
      expect(drawn.flat().filter(({ waits }) => waits).length).toBeGreaterThan(50);
    } finally {
      await monitor.close();
    }
  });

  it("has what scrolls where it was sent, without another place of its own", async () => {
    const monitor: Monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP });
    try {
      const { page } = await open(monitor);
      const shown = await page.evaluate(
        ([code, places]) => {
          const { planDrawing } = new Function(`${code}; return parts`)() as {
            planDrawing: (drawing: Element, content: string) => () => void;
          };
          const svg = () => {
            const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
            made.setAttribute("width", "613");
            made.style.position = "absolute";
            return document.body.appendChild(made);
          };
          const left = (drawing: Element) => drawing.querySelector("rect")?.getBoundingClientRect().left ?? Number.NaN;
          const [drawing, fresh] = [svg(), svg()];
          return places.map((x) => {
            const content = `<g data-part="scrolled"><svg x="${x}" width="100%" overflow="visible" data-part="places"><g data-part="a"><rect x="3%" width="1%" height="9"></rect></g></svg></g>`;
            fresh.innerHTML = content;
            planDrawing(drawing, content)();
            return { off: left(drawing) - left(fresh), x: drawing.querySelector("svg")?.getAttribute("x") };
          });
        },
        [await script(), ["-10%", "-12.5%", "-1590.25%", "0%", "-10%", "20%"]] as const,
      );
      expect(shown.map(({ off }) => Math.round(off * 100) / 100 + 0)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(new Set(shown.map(({ x }) => x))).toEqual(new Set(["-10%"]));
    } finally {
      await monitor.close();
    }
  });

  it("keeps its height while it becomes a little lower, and no longer", async () => {
    const monitor: Monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP });
    try {
      const { page } = await open(monitor);
      const heights = await page.evaluate(
        ([code, sent]) => {
          const { replaceDrawing } = new Function(`${code}; return parts`)() as {
            replaceDrawing: (drawing: Element, fresh: Element) => void;
          };
          const svg = (height: number) => {
            const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
            made.setAttribute("height", String(height));
            return made;
          };
          const drawing = svg(400);
          return sent.map((height) => {
            replaceDrawing(drawing, svg(height));
            return Number(drawing.getAttribute("height"));
          });
        },
        [await script("late-drawings"), [300, 380, 299, 310, 250, 240]] as const,
      );
      expect(heights).toEqual([400, 400, 299, 310, 310, 310]);
    } finally {
      await monitor.close();
    }
  });
});
