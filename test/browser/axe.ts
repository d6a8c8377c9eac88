/** Axe on a page, with the pages before it in mind: what it has looked at once it does not look at again. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Tags of the rules that count. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Rules that go by something else than how a page is marked up: the colours of a theme, where controls lie, and what scrolls. */
const RULES = {
  colours: ["color-contrast", "link-in-text-block"],
  targets: ["target-size"],
  scrolling: ["scrollable-region-focusable"],
};

/** What a page is looked at for. */
export type Aspect = "structure" | keyof typeof RULES;

export const EVERYTHING: readonly Aspect[] = ["structure", "colours", "targets", "scrolling"];

/** What depends on the width of the window. */
export const LAYOUT: readonly Aspect[] = ["targets", "scrolling"];

/** What depends on the theme. */
export const COLOURS: readonly Aspect[] = ["colours"];

function optionsFor(aspects: readonly Aspect[]): RunOptions {
  const others = Object.entries(RULES);
  if (!aspects.includes("structure")) {
    return { runOnly: others.flatMap(([aspect, rules]) => (aspects.includes(aspect as Aspect) ? rules : [])) };
  }
  const enabled = others.flatMap(([aspect, rules]) =>
    rules.map((rule) => [rule, { enabled: aspects.includes(aspect as Aspect) }] as const),
  );
  return { runOnly: TAGS, rules: Object.fromEntries(enabled) };
}

/**
 * Looks at every kind of element in every kind of place once. A list has fifty rows of the same make and all pages have the same navigation; axe
 * needs a second for that, each time. The kind of an element is what the rules of an aspect go by. For its structure: where it is, what it
 * is marked up as, and whether it has text and a name. For its colours: those of its text and of what is behind it, and its font. For a target:
 * its size and what lies near it. An element with no name, with a colour of its own or too close to another is of another kind than its
 * neighbours, so that it is looked at wherever it turns up. Headings and landmarks, whose rules compare them with each other, are looked at
 * on every page that has something new.
 */
export class Axe {
  /** The aspect and the kind of what was looked at. */
  readonly #known = new Set<string>();

  /** One line for each serious finding about what is new on the page as it is now. */
  async examine(page: Page, aspects: readonly Aspect[]): Promise<string[]> {
    const elements = JSON.parse(await page.evaluate(kindsOfElements, aspects)) as (string | null)[][];
    const news = elements.map((kinds) => kinds.map((kind) => kind !== null && this.#isNew(kind)));
    const examined = aspects.filter((_, n) => news.some((one) => one[n]));
    if (examined.length === 0) return [];
    if (!(await page.evaluate(() => "axe" in globalThis))) {
      await page.evaluate(AXE);
      // Documents that the page goes to later have it from the start: sending it to each takes three times as long.
      await page.addInitScript({ content: AXE });
    }
    const known = news.map((one) => (one.includes(true) ? "0" : "1")).join("");
    // Where controls lie and what scrolls is as it is only while everything is there.
    const all = examined.some((aspect) => LAYOUT.includes(aspect));
    const putBack = await page.evaluateHandle(leaveOut, { known, all });
    const { violations } = await page.evaluate(
      (given) => {
        const { axe } = globalThis as unknown as { axe: { run(...a: unknown[]): Promise<AxeResults> } };
        return axe.run({ exclude: ["[data-left-out]:not([data-left-out] *)"] }, given);
      },
      // Pages have no media and no frames, which axe would look for first.
      { ...optionsFor(examined), resultTypes: ["violations"], preload: false, iframes: false } satisfies RunOptions,
    );
    await putBack.evaluate((put) => put());
    await putBack.dispose();
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

  #isNew(kind: string): boolean {
    return this.#known.size !== this.#known.add(kind).size;
  }
}

/**
 * Runs in the page. The kind of each element in each aspect, null where it has none, in the order of the document, as JSON: on
 * the way from the browser one text takes half as long as thousands of small values.
 */
function kindsOfElements(aspects: readonly Aspect[]): string {
  const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
  const WITH_VALUE = "input, select, textarea";
  /** Attributes whose value a rule reads; of others it reads at most whether they say something. */
  const READ = /^(?:aria-.*|autocomplete|class|content|http-equiv|lang|role|scope|tabindex|type)$/;
  const NAMING = /^aria-(?:label|description|roledescription|placeholder|valuetext)$/;
  const REFERRING =
    /^(?:aria-(?:labelledby|describedby|controls|owns|details|errormessage|activedescendant|flowto)|for|list|popovertarget)$/;

  const boxes = new Map<Element, DOMRect>();
  if (aspects.includes("targets")) {
    for (const control of document.querySelectorAll(CONTROLS)) {
      const box = control.getBoundingClientRect();
      const seen = control.checkVisibility({ visibilityProperty: true });
      if (control instanceof HTMLElement && seen && box.width > 0) boxes.set(control, box);
    }
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

  function structure(element: Element): string {
    return [
      element.tagName,
      attributes(element),
      element.checkVisibility({ visibilityProperty: true }),
      !saying.has(element),
      [...new Set([...element.children].map((child) => child.tagName))].join(),
      (element as HTMLInputElement).labels?.length,
    ].join(";");
  }

  /** Elements with text of their own, and with any. */
  const withText = new Set<Element | null>();
  const saying = new Set<Element | null>();
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const { nodeValue, parentElement } = texts.currentNode;
    if ((nodeValue ?? "").trim() === "") continue;
    withText.add(parentElement);
    for (let one = parentElement; one !== null && !saying.has(one); one = one.parentElement) saying.add(one);
  }
  const hasText = (element: Element) => withText.has(element);

  const grounds = new Map<Element, string>();
  /** What is behind an element, up to the page, and how opaque all of it is. */
  function ground(element: Element): string {
    const known = grounds.get(element);
    if (known !== undefined) return known;
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const own = [backgroundColor, backgroundImage, opacity].join(" ");
    const below = element.parentElement === null ? "" : ground(element.parentElement);
    const all = own === "rgba(0, 0, 0, 0) none 1" ? below : `${own} ${below}`;
    grounds.set(element, all);
    return all;
  }

  /** Of text that is seen. */
  function colours(element: Element): string | null {
    if (!hasText(element) && !element.matches(WITH_VALUE)) return null;
    if (!element.checkVisibility({ visibilityProperty: true })) return null;
    const style = getComputedStyle(element);
    const link = element.closest("a");
    const around = link?.parentElement ?? null;
    const inText = link !== null && around !== null && hasText(around) && getComputedStyle(around).color;
    return [
      element.matches(":disabled, [aria-disabled=true] *, :disabled *"),
      [style.color, style.fontSize, style.fontWeight, ground(element)],
      [inText, style.textDecorationLine, link === null ? "" : getComputedStyle(link).textDecorationLine],
    ].join(";");
  }

  /**
   * How big a control is as far as it matters, and which others may be in its way. Axe wants 12 pixels from the middle of one that is smaller than 24 to
   * the next, and 24 to the middle of the next where that is small too.
   */
  function target(control: Element): string | null {
    const box = boxes.get(control);
    if (box === undefined) return null;
    const middleOf = ({ left, top, width, height }: DOMRect) => [left + width / 2, top + height / 2] as const;
    const isSmall = ({ width, height }: DOMRect) => width < 24 || height < 24;
    const [x, y] = middleOf(box);
    const inTheWay = (at: DOMRect) => {
      if (at.right > box.left && at.left < box.right && at.bottom > box.top && at.top < box.bottom) return true;
      if (!isSmall(box)) return false;
      const toEdge = Math.hypot(Math.max(at.left - x, x - at.right, 0), Math.max(at.top - y, y - at.bottom, 0));
      const [otherX, otherY] = middleOf(at);
      // A pixel more, for what axe rounds.
      return toEdge < 13 || (isSmall(at) && Math.hypot(otherX - x, otherY - y) < 25);
    };
    const others = [...boxes]
      .filter(([other, at]) => !other.contains(control) && !control.contains(other) && inTheWay(at))
      .map(([, at]) => [at.left - x, at.right - x, at.top - y, at.bottom - y].map((side) => Math.round(side)).join());
    const inline = getComputedStyle(control).display === "inline" && hasText(control.parentElement ?? control);
    const sides = [box.width, box.height].map((side) => Math.min(24, Math.round(side)));
    return [inline, ...sides, ...others.sort()].join(" ");
  }

  function scrolling(element: Element): string | null {
    const overflows = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
    if (!overflows || !/auto|scroll/.test(getComputedStyle(element).overflow)) return null;
    return [attributes(element), element.querySelector(CONTROLS) !== null].join(";");
  }

  const digests = new Map<string, string>();
  /** Two numbers of 32 bits: kinds are many and long. */
  function digest(text: string): string {
    const known = digests.get(text);
    if (known !== undefined) return known;
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let n = 0; n < text.length; n++) {
      a = Math.imul(a ^ text.charCodeAt(n), 2654435761);
      b = Math.imul(b ^ text.charCodeAt(n), 1597334677);
    }
    const made = `${(a ^ (b >>> 16)) >>> 0}.${(b ^ (a >>> 13)) >>> 0}`;
    digests.set(text, made);
    return made;
  }

  const kindsOf: Record<Aspect, (element: Element) => string | null> = {
    structure,
    colours,
    targets: target,
    scrolling,
  };
  const elements: (string | null)[][] = [];
  (function walk(element: Element, place: string): void {
    const here = aspects.includes("structure") ? digest(`${place} > ${structure(element)}`) : "";
    elements.push(
      aspects.map((aspect) => {
        const kind = aspect === "structure" ? here : kindsOf[aspect](element);
        return kind === null ? null : digest(`${aspect} ${kind}`);
      }),
    );
    for (const child of element.children) walk(child, here);
  })(document.documentElement, "");
  return JSON.stringify(elements);
}

/**
 * Runs in the page. Marks what has nothing new in it. What there is much of, rows and the marks of a drawing, is taken away: axe walks the whole page.
 *
 * @param known a digit for each element, in the order of the document: 1 if nothing is new about it.
 * @returns puts back what was taken away.
 */
function leaveOut({ known, all }: { known: string; all: boolean }): () => void {
  const COMPARED = "html, body, header, nav, main, footer, aside, section, form, h1, h2, h3, h4, h5, h6";
  /** The first of its kind stays: a list without items is another finding. What others refer to stays too. */
  const isOneOfMany = (element: Element) =>
    element.matches("tr:not(:first-child), li:not(:first-child), option:not(:first-child)") &&
    element.querySelector("[id], label") === null &&
    !element.matches("[id]");
  /** In a drawing each mark has its own place, whatever the others are. A part of a mark may be what names it. */
  const isMark = (element: Element) =>
    element instanceof SVGElement &&
    element.ownerSVGElement !== null &&
    !["title", "desc"].includes(element.tagName) &&
    element.parentElement?.closest("a") === null &&
    // What scrolls has something that takes the focus.
    !element.contains(element.ownerSVGElement.querySelector("a"));
  const taken: [Comment, Element][] = [];
  let index = 0;
  (function walk(element: Element): boolean {
    element.removeAttribute("data-left-out");
    let leave = known[index++] === "1" && !element.matches(COMPARED);
    for (const child of [...element.children]) leave = walk(child) && leave;
    if (leave && (isMark(element) || (!all && isOneOfMany(element)))) {
      const place = new Comment();
      element.replaceWith(place);
      taken.push([place, element]);
    } else if (leave) element.setAttribute("data-left-out", "");
    return leave;
  })(document.documentElement);
  return () => {
    for (const [place, element] of taken.reverse()) place.replaceWith(element);
  };
}
