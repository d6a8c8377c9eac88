/** Axe on a page, with the pages before it in mind: what it has looked at once it does not look at again. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules whose outcome depends on the theme. */
export const COLOURS: RunOptions = { runOnly: ["color-contrast", "link-in-text-block"] };

/** Rules whose outcome depends on the width of the window. */
export const LAYOUT: RunOptions = { runOnly: ["target-size", "scrollable-region-focusable"] };

export const EVERYTHING: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: { "target-size": { enabled: true } },
};

/**
 * Looks at every kind of element in every kind of place once. A list has fifty rows of the same make and all pages have the same navigation; axe
 * needs a second for that, each time anew. The kind of an element is what the rules go by: where it is, what it is marked up as, whether it has
 * text and a name, its colours and font, and for a control what lies near it. An element with no name, with a colour of its own or too close to
 * another is of another kind than its neighbours, so that it is looked at wherever it turns up. Headings and landmarks, whose rules compare
 * them with each other, are looked at on every page.
 */
export class Axe {
  /** By the rules that looked at them: what only some rules have seen is new to the others. */
  readonly #known = new Map<RunOptions, Set<string>>();

  /** One line for each serious finding about what is new on the page as it is now. */
  async examine(page: Page, options: RunOptions): Promise<string[]> {
    const kinds = await page.evaluate(kindsOfElements);
    const seen = this.#known.get(options) ?? new Set();
    this.#known.set(options, seen);
    const known = kinds.map((kind) => seen.size === seen.add(kind).size);
    if (!known.includes(false)) return [];
    await page.evaluate(leaveOut, known);
    if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
    const { violations } = await page.evaluate(
      (given) => {
        const { axe } = globalThis as unknown as { axe: { run(...a: unknown[]): Promise<AxeResults> } };
        return axe.run({ exclude: ["[data-left-out]:not([data-left-out] *)"] }, given);
      },
      { ...options, resultTypes: ["violations"] } satisfies RunOptions,
    );
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id} at ${nodes
            .slice(0, 5)
            .map(({ target }) => target.join(" "))
            .join(" | ")}`,
      );
  }
}

/** Runs in the page. The kind of each element, in the order of the document. */
function kindsOfElements(): string[] {
  const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
  /** Attributes whose value a rule reads; of others it reads at most whether they say something. */
  const READ = /^(?:aria-.*|autocomplete|class|content|http-equiv|lang|role|scope|tabindex|type)$/;
  const NAMING = /^aria-(?:label|description|roledescription|placeholder|valuetext)$/;
  const REFERRING =
    /^(?:aria-(?:labelledby|describedby|controls|owns|details|errormessage|activedescendant|flowto)|for|list|popovertarget)$/;

  const boxes = new Map<Element, DOMRect>();
  for (const control of document.querySelectorAll(CONTROLS)) {
    const box = control.getBoundingClientRect();
    if (control instanceof HTMLElement && box.width > 0) boxes.set(control, box);
  }

  function attributes(element: Element): string {
    const told = [...element.attributes].map(({ name, value }) => {
      if (REFERRING.test(name)) {
        return `${name}=${value.split(/\s+/).every((id) => document.getElementById(id) !== null)}`;
      }
      if (name === "href" && value.startsWith("#")) return `href=${document.getElementById(value.slice(1)) !== null}`;
      if (READ.test(name) && !NAMING.test(name)) return `${name}=${value}`;
      return value.trim() === "" ? `${name}=` : name;
    });
    return told.sort().join(" ");
  }

  /** What lies over a control, or too near to one that is smaller than the 24 pixels it is to have for itself. */
  function near(control: Element): string {
    const box = boxes.get(control);
    if (box === undefined) return "";
    const margin = box.width >= 24 && box.height >= 24 ? 0 : 24;
    const within = (from: number, edge: number, to: number) =>
      Math.round(Math.max(0, Math.min(edge - from, to - from)));
    const [left, right, top, bottom] = [box.left - margin, box.right + margin, box.top - margin, box.bottom + margin];
    const others = [...boxes]
      .filter(([other, at]) => {
        if (other.contains(control) || control.contains(other)) return false;
        return at.right > left && at.left < right && at.bottom > top && at.top < bottom;
      })
      .map(([, at]) =>
        [
          within(left, at.left, right),
          within(left, at.right, right),
          within(top, at.top, bottom),
          within(top, at.bottom, bottom),
        ].join(),
      );
    return [Math.min(24, Math.round(box.width)), Math.min(24, Math.round(box.height)), ...others.sort()].join(" ");
  }

  function own(element: Element): string {
    const style = getComputedStyle(element);
    const scrolls =
      /auto|scroll/.test(style.overflow) &&
      (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
    return [
      element.tagName,
      attributes(element),
      element.checkVisibility({ visibilityProperty: true }),
      (element.textContent ?? "").trim() === "",
      [...new Set([...element.children].map((child) => child.tagName))].join(),
      (element as HTMLInputElement).labels?.length,
      [style.color, style.backgroundColor, style.backgroundImage, style.opacity, style.fontSize, style.fontWeight],
      style.textDecorationLine,
      scrolls && element.querySelector(CONTROLS) === null,
      near(element),
    ].join(";");
  }

  /** Two numbers of 32 bits: kinds are many and long. */
  function digest(text: string): string {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let n = 0; n < text.length; n++) {
      a = Math.imul(a ^ text.charCodeAt(n), 2654435761);
      b = Math.imul(b ^ text.charCodeAt(n), 1597334677);
    }
    return `${(a ^ (b >>> 16)) >>> 0}.${(b ^ (a >>> 13)) >>> 0}`;
  }

  const kinds: string[] = [];
  (function walk(element: Element, place: string): void {
    const kind = digest(`${place} > ${own(element)}`);
    kinds.push(kind);
    for (const child of element.children) walk(child, kind);
  })(document.documentElement, "");
  return kinds;
}

/**
 * Runs in the page. Marks what has nothing new in it. In a drawing, where each mark has its own place whatever the others are, a whole mark is
 * taken away: axe needs long for thousands.
 */
function leaveOut(known: readonly boolean[]): void {
  const COMPARED = "html, body, header, nav, main, footer, aside, section, form, h1, h2, h3, h4, h5, h6";
  /** A part of a mark may be what names it, and stays. */
  const isMark = (element: Element) =>
    element instanceof SVGElement &&
    element.ownerSVGElement !== null &&
    !["title", "desc"].includes(element.tagName) &&
    element.parentElement?.closest("a") === null;
  let index = 0;
  (function walk(element: Element): boolean {
    element.removeAttribute("data-left-out");
    let leave = known[index++] === true && !element.matches(COMPARED);
    for (const child of [...element.children]) leave = walk(child) && leave;
    if (leave && isMark(element)) element.remove();
    else if (leave) element.setAttribute("data-left-out", "");
    return leave;
  })(document.documentElement);
}
