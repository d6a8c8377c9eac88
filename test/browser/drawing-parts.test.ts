/** Drawings that are renewed from their markup: what is there afterwards, and which elements stay. */
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
  let monitor: Monitor;
  let page: Page;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP });
    ({ page } = await open(monitor));
  });
  afterEach(() => monitor.close());

  it("is what was sent, and keeps every element that is sent again", async () => {
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
            const leaves = [...drawing.querySelectorAll("[data-part] > :not([data-part]), :scope > :not([data-part])")];
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
  });

  it("has what scrolls where it was sent, without another place of its own", async () => {
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
  });

  /** Lets refreshes bring these drawings one after the other. Of each, after each frame: its height, and the `id`s of a part that may come later. */
  async function refreshed(
    drawings: readonly { height: number; marks: number; ids: readonly string[]; frames: number }[],
  ) {
    return await page.evaluate(
      async ([code, all]) => {
        const { withoutLargeDrawings, fillNewDrawings, comesLater } = new Function(`${code}; return parts`)() as {
          withoutLargeDrawings: (answer: string) => string;
          fillNewDrawings: (region: Element) => void;
          comesLater: (drawing: Element, fresh: Element) => boolean;
        };
        const region = document.body.appendChild(document.createElement("div"));
        const drawing = () => region.querySelector("svg") as SVGSVGElement;
        const shown = () => ({
          height: Number(drawing().getAttribute("height")),
          ids: [...drawing().querySelectorAll("[data-later] > *")].map(({ id }) => id),
        });
        const states = [];
        for (const [n, { height, marks, ids, frames }] of all.entries()) {
          const others = Array.from({ length: marks }, (_, i) => `<circle class="mark" r="${n}" cx="${i}"></circle>`);
          const later = ids.map((id) => `<rect id="${id}"></rect>`).join("");
          const filling = " ".repeat(4_000);
          const answer = withoutLargeDrawings(
            `<svg class="timeline-plot" height="${height}">${filling}${others.join("")}<g data-part="a" data-later="">${later}</g></svg>`,
          );
          if (region.childElementCount === 0) {
            region.innerHTML = answer;
            fillNewDrawings(region);
            states.push([shown()]);
            continue;
          }
          const fresh = document.createElement("div");
          fresh.innerHTML = answer;
          const seen: ReturnType<typeof shown>[] = [];
          await new Promise<void>((resolve) => {
            const renewed = () => {
              seen.push(shown());
              if (seen.length < frames) return;
              document.removeEventListener("drawings-renewed", renewed);
              resolve();
            };
            document.addEventListener("drawings-renewed", renewed);
            if (!comesLater(drawing(), fresh.firstElementChild as Element)) throw new Error("not later");
          });
          states.push(seen);
        }
        return states;
      },
      [await script("late-drawings"), drawings] as const,
    );
  }

  it("keeps its height while a refresh makes it a little lower, and no longer", async () => {
    const sent = [400, 300, 380, 299, 310, 250, 240];
    const states = await refreshed(sent.map((height) => ({ height, marks: 1, ids: [], frames: 1 })));
    expect(states.flat().map(({ height }) => height)).toEqual([400, 400, 400, 299, 310, 310, 310]);
  });

  it("brings a part that comes later one frame after the rest, where much is new", async () => {
    const states = await refreshed([
      { height: 9, marks: 200, ids: ["a"], frames: 1 },
      { height: 9, marks: 200, ids: ["a", "b"], frames: 2 },
      { height: 9, marks: 5, ids: ["c"], frames: 1 },
    ]);
    expect(states.map((frames) => frames.map(({ ids }) => ids))).toEqual([[["a"]], [["a"], ["a", "b"]], [["c"]]]);
  });

  it("comes with its labels, and the chart above it one frame earlier", async () => {
    const states = await page.evaluate(
      async (code) => {
        const { withoutLargeDrawings, fillNewDrawings, comesLater } = new Function(`${code}; return parts`)() as {
          withoutLargeDrawings: (answer: string) => string;
          fillNewDrawings: (region: Element) => void;
          comesLater: (drawing: Element, fresh: Element) => boolean;
        };
        const drawing = (name: string, version: number) =>
          `<svg class="${name}">${" ".repeat(4_000)}<rect id="${name} ${version}"></rect></svg>`;
        const answer = (version: number) =>
          withoutLargeDrawings(
            `<div class="timeline">${drawing("occupancy-plot", version)}</div>
           <div class="timeline">${drawing("timeline-labels", version)}${drawing("timeline-plot", version)}</div>`,
          );
        const [shown, fresh] = [
          document.body.appendChild(document.createElement("div")),
          document.createElement("div"),
        ];
        shown.innerHTML = answer(1);
        fillNewDrawings(shown);
        fresh.innerHTML = answer(2);
        const seen: string[][] = [];
        await new Promise<void>((resolve) => {
          document.addEventListener("drawings-renewed", () => {
            seen.push([...shown.querySelectorAll("rect")].map(({ id }) => id));
            if (seen.length === 2) resolve();
          });
          const drawings = fresh.querySelectorAll("svg");
          for (const [n, one] of shown.querySelectorAll("svg").entries()) comesLater(one, drawings[n] as Element);
        });
        return seen;
      },
      await script("late-drawings"),
    );
    expect(states).toEqual([
      ["occupancy-plot 2", "timeline-labels 1", "timeline-plot 1"],
      ["occupancy-plot 2", "timeline-labels 2", "timeline-plot 2"],
    ]);
  });
});
