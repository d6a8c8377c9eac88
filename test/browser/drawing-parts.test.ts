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

/** A script, as the body of a function whose `parts` has what it exports. */
async function script(name = "drawing-parts"): Promise<string> {
  const source = fileURLToPath(new URL(`../../templates/client/${name}.ts`, import.meta.url));
  const built = await (await rolldown({ input: source })).generate({ format: "iife", name: "parts" });
  return built.output[0].code;
}

type Put = () => (() => Put) | null;

/** What the script of drawing parts exports. */
interface Parts {
  planDrawing(drawing: Element, content: string, most?: number): Put;
  readDrawing(drawing: Element): void;
}

/** What the script of late drawings exports. */
interface LateDrawings {
  withoutLargeDrawings(answer: string): string;
  fillNewDrawings(region: Element): void;
  comesLater(drawing: Element, fresh: Element): boolean;
  dropLateDrawings(): void;
}

/** Added to the page by these tests. */
interface Frames {
  /** What changed from what there was when something begins to when the drawings are renewed, frame by frame. */
  framesOf<State>(state: () => State, begin: () => void): Promise<State[]>;
}

describeInBrowser("a large drawing that is refreshed from new markup", (open) => {
  let monitor: Monitor;
  let page: Page;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
    ({ page } = await open(monitor));
    await page.evaluate(() => {
      const framesOf: Frames["framesOf"] = async (state, begin) => {
        const seen = [JSON.stringify(state())];
        let ended = false;
        document.addEventListener("drawings-renewed", () => (ended = true), { once: true });
        begin();
        while (!ended) {
          await new Promise(requestAnimationFrame);
          const now = JSON.stringify(state());
          if (now !== seen.at(-1)) seen.push(now);
        }
        return seen.slice(1).map((one) => JSON.parse(one));
      };
      Object.assign(globalThis, { framesOf });
    });
  });
  afterEach(() => monitor.close());

  it("equals the new markup, and keeps every element that is in both", async () => {
    const runs = fc.sample(fc.array(trees, { minLength: 3, maxLength: 5 }), { numRuns: 500, seed: 20 });
    const drawn = await page.evaluate(
      ([code, versions]) => {
        const { planDrawing, readDrawing } = new Function(`${code}; return parts`)() as Parts;
        const svg = (content: string) => {
          const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
          made.innerHTML = content;
          return made;
        };
        return versions.map(([first = "", ...run]) => {
          const drawing = svg(first);
          readDrawing(drawing);
          return run.map((content) => {
            const before = new Set(drawing.querySelectorAll("*"));
            const leaves = () => [
              ...drawing.querySelectorAll("[data-part] > :not([data-part]), :scope > :not([data-part])"),
            ];
            const fresh = (elements: Iterable<Element>) => [...elements].filter((one) => !before.has(one)).length;
            const most = 1 + (content.length % 7);
            const made = [0];
            for (let put: Put | undefined = planDrawing(drawing, content, most); put !== undefined; ) {
              put = put()?.();
              made.push(fresh(drawing.querySelectorAll("[data-part] > *, :scope > *")));
            }
            return {
              right: drawing.isEqualNode(svg(content)),
              kept: leaves().length - fresh(leaves()),
              // What each frame brought.
              frames: made.slice(1).map((sum, n) => sum - (made[n] ?? 0)),
              most,
            };
          });
        });
      },
      [await script(), runs.map((run) => run.map((version) => version.map(markup).join("")))] as const,
    );
    // The server closes every element with a tag.
    const written = (tree: Tree): Tree =>
      typeof tree === "string"
        ? tree.replaceAll(/<(\w+)([^>]*)\/>/g, "<$1$2></$1>")
        : { ...tree, children: tree.children.map(written) };
    const wanted = runs.map((run) =>
      run.slice(1).map((version, n) => ({
        right: true,
        kept: common(n === 0 ? (run[0] ?? []).map(written) : (run[n] ?? []), version),
      })),
    );
    expect(wanted.flat().filter(({ kept }) => kept > 3).length).toBeGreaterThan(50);
    expect(wanted.filter(([first]) => (first?.kept ?? 0) > 1).length).toBeGreaterThan(50);
    expect(drawn.map((run) => run.map(({ right, kept }) => ({ right, kept })))).toEqual(wanted);
    const waiting = drawn.flat().filter(({ frames }) => frames.length > 1);
    expect(waiting.length).toBeGreaterThan(50);
    for (const { frames, most } of waiting) {
      // What waited had no room in the frame before.
      const room = (frame: number) => (frame === 0 ? Math.floor(most / 4) : most);
      for (const [n, made] of frames.slice(1).entries()) expect((frames[n] ?? 0) + made).toBeGreaterThan(room(n));
    }
  });

  it("places scrolled parts where the new markup has them", async () => {
    const shown = await page.evaluate(
      ([code, places]) => {
        const { planDrawing } = new Function(`${code}; return parts`)() as Parts;
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

  /** Lets refreshes bring these drawings one after the other. Of each, frame by frame: its height, and how many marks of this version each part has. */
  async function refreshed(drawings: readonly { height: number; marks: readonly number[] }[]) {
    return await page.evaluate(
      async ([code, all]) => {
        const { withoutLargeDrawings, fillNewDrawings, comesLater } = new Function(
          `${code}; return parts`,
        )() as LateDrawings;
        const region = document.body.appendChild(document.createElement("div"));
        const drawing = () => region.querySelector("svg") as SVGSVGElement;
        const shown = (n: number) => ({
          height: Number(drawing().getAttribute("height")),
          marks: [...drawing().querySelectorAll("g")].map((part) => part.querySelectorAll(`[r="${n}"]`).length),
        });
        const states = [];
        for (const [n, { height, marks }] of all.entries()) {
          const circles = (length: number) =>
            Array.from({ length }, (_, i) => `<circle r="${n}" cx="${i}"></circle>`).join("");
          const parts = marks.map((length, i) => `<g data-part="${i}">${circles(length)}</g>`);
          const answer = withoutLargeDrawings(
            `<svg class="timeline-plot" height="${height}">${" ".repeat(4_000)}${parts.join("")}</svg>`,
          );
          if (region.childElementCount === 0) {
            region.innerHTML = answer;
            fillNewDrawings(region);
            states.push([shown(n)]);
            continue;
          }
          const fresh = document.createElement("div");
          fresh.innerHTML = answer;
          const { framesOf } = globalThis as unknown as Frames;
          states.push(
            await framesOf(
              () => shown(n),
              () => comesLater(drawing(), fresh.firstElementChild as Element),
            ),
          );
        }
        return states;
      },
      [await script("late-drawings"), drawings] as const,
    );
  }

  it("keeps its height when the new one is slightly lower, and takes it over when it is much lower", async () => {
    const sent = [400, 300, 380, 299, 310, 250, 240];
    const states = await refreshed(sent.map((height) => ({ height, marks: [1] })));
    expect(states.map((frames) => frames.map(({ height }) => height))).toEqual([
      [400],
      [400],
      [400],
      [299],
      [310],
      [310],
      [310],
    ]);
  });

  it("replaces its parts one after the other, in a frame each, when much is new", async () => {
    const states = await refreshed([
      { height: 9, marks: [200, 40, 40, 200] },
      { height: 9, marks: [2, 2, 2, 2] },
      { height: 9, marks: [20, 40, 20, 200, 30] },
    ]);
    expect(states.map((frames) => frames.map(({ marks }) => marks))).toEqual([
      [[200, 40, 40, 200]],
      [[2, 2, 2, 2]],
      [
        // A part that was not there comes at once: it has nothing to show until then.
        [0, 0, 0, 0, 30],
        [20, 0, 20, 0, 30],
        [20, 40, 20, 0, 30],
        [20, 40, 20, 200, 30],
      ],
    ]);
  });

  it("stays as it is when its refresh is dropped for a newer one", async () => {
    const versions = await page.evaluate(
      async (code) => {
        const { withoutLargeDrawings, fillNewDrawings, comesLater, dropLateDrawings } = new Function(
          `${code}; return parts`,
        )() as LateDrawings;
        const answer = (version: number) =>
          withoutLargeDrawings(`<svg class="timeline-plot">${" ".repeat(4_000)}<rect id="${version}"></rect></svg>`);
        const [shown, fresh] = [
          document.body.appendChild(document.createElement("div")),
          document.createElement("div"),
        ];
        shown.dataset.live = "";
        shown.innerHTML = answer(1);
        fillNewDrawings(shown);
        const seen: { version: string | undefined; etag: string | undefined }[] = [];
        for (const version of [2, 3]) {
          fresh.innerHTML = answer(version);
          shown.dataset.etag = String(version);
          comesLater(shown.querySelector("svg") as Element, fresh.querySelector("svg") as Element);
          if (version === 2) dropLateDrawings();
          // Many more than it needs.
          for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
          seen.push({ version: shown.querySelector("rect")?.id, etag: shown.dataset.etag });
        }
        return seen;
      },
      await script("late-drawings"),
    );
    // What was left out is asked for again.
    expect(versions).toEqual([
      { version: "1", etag: "" },
      { version: "3", etag: "3" },
    ]);
  });

  it("changes in the same frame as its labels, one frame after the chart above it", async () => {
    const states = await page.evaluate(
      async (code) => {
        const { withoutLargeDrawings, fillNewDrawings, comesLater } = new Function(
          `${code}; return parts`,
        )() as LateDrawings;
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
        const { framesOf } = globalThis as unknown as Frames;
        return await framesOf(
          () => [...shown.querySelectorAll("rect")].map(({ id }) => id),
          () => {
            const drawings = fresh.querySelectorAll("svg");
            for (const [n, one] of shown.querySelectorAll("svg").entries()) comesLater(one, drawings[n] as Element);
          },
        );
      },
      await script("late-drawings"),
    );
    expect(states).toEqual([
      ["occupancy-plot 2", "timeline-labels 1", "timeline-plot 1"],
      ["occupancy-plot 2", "timeline-labels 2", "timeline-plot 2"],
    ]);
  });
});
