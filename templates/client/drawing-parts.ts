/**
 * Renews a drawing from its markup. Elements whose markup is sent again stay: of some thousand marks of a live timeline a few dozen change, and
 * parsing and styling all of them takes longer than a frame.
 */
import { addTo } from "../../src/pynenc/groups.ts";

interface Child {
  /** Markup of the element; for a part, only its opening tag. */
  markup: string;
  element: Element;
  /** The children of a part (an element with `data-part`), which are compared one by one. Null for any other element, which is compared as a whole. */
  children: Child[] | null;
}

/** A child as it will be. */
interface Planned {
  markup: string;
  kept: Child | null;
  /** Markup of the element to make; for a part, that of an empty one. Null if nothing has to be made. */
  make: string | null;
  children: Planned[] | null;
}

/** What each drawing was last renewed from. */
const shown = new WeakMap<Element, Child[]>();

/** New elements that a browser can make and show within one frame. */
const MOST_IN_A_FRAME = 40;

/** Puts what was made into the drawing, within a frame. It returns what is left to do before the next, null if nothing is. */
export type Put = () => Prepare | null;
/** Makes what there is room for in the next frame. Nothing is shown yet. */
export type Prepare = () => Put;

/**
 * Prepares the next content of a drawing: reads it and makes what is new in the first frame. Nothing is shown yet.
 *
 * @param content between the tags of the drawing. Text outside of its elements is left out.
 * @param most new elements in one frame, at least 1: beyond them parts are where they will be, and keep their children until a later frame. One part is never
 *   divided. Default: 40. The first frame has room for a quarter of them.
 */
export function planDrawing(drawing: Element, content: string, most = MOST_IN_A_FRAME): Put {
  const planned = new Reader(content).children(shown.get(drawing) ?? []);
  const placing = new Placing(most);
  const put = placing.prepared(drawing, planned);
  return () => {
    shown.set(drawing, put());
    return placing.rest();
  };
}

/**
 * Reads a drawing that came in another way, with a page or by being replaced as a whole, so that its next content keeps what is the same. Must be
 * called before scripts change something in it.
 */
export function readDrawing(drawing: Element): void {
  shown.set(drawing, childrenOf(drawing));
}

function childrenOf(parent: Element): Child[] {
  return [...parent.children].map((element) =>
    element.hasAttribute("data-part")
      ? { markup: tagOf(element), element, children: childrenOf(element) }
      : { markup: markupOf(element), element, children: null },
  );
}

/** An element as the server writes it. */
function markupOf(element: Element): string {
  let markup = tagOf(element);
  for (const node of element.childNodes)
    markup += node instanceof Element ? markupOf(node) : escaped(node.nodeValue ?? "");
  return `${markup}</${element.tagName}>`;
}

function tagOf({ tagName, attributes }: Element): string {
  let tag = `<${tagName}`;
  for (const { name, value } of attributes) tag += value === "" ? ` ${name}` : ` ${name}="${escaped(value)}"`;
  return `${tag}>`;
}

function escaped(text: string): string {
  return /["&<]/.test(text) ? text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;") : text;
}

/** Gives an element exactly the attributes of another. Unchanged ones are not set, because that would make the browser lay out the drawing again. */
export function takeAttributes(element: Element, from: Element): void {
  for (const name of element.getAttributeNames()) if (!from.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of from.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

const PERCENTAGE = /^-?[\d.]+%$/;

/**
 * Gives a part its new attributes. One that moves along in its group keeps its `x`, and the group is moved: where the `x` of a nested drawing changes,
 * browsers place each of the marks in it again, whose positions are percentages.
 */
function takeTag(part: Element, fresh: Element): void {
  const [x, to] = [part, fresh].map((one) => one.getAttribute("x") ?? "") as [string, string];
  const group = part.parentElement;
  const moves = group instanceof SVGGElement && PERCENTAGE.test(x) && PERCENTAGE.test(to);
  if (moves) {
    fresh.setAttribute("x", x);
    group.style.transform = x === to ? "" : `translateX(${Number.parseFloat(to) - Number.parseFloat(x)}%)`;
  }
  takeAttributes(part, fresh);
}

/** A tag; a `>` in a value does not end it. */
const TAG = /<\/?([a-z]+)(?:"[^"]*"|[^">])*>/giy;

/** The name of a part from its opening tag; undefined for other elements. Quotation marks in values are escaped, so what matches is an attribute. */
function partOf(tag: string): string | undefined {
  return / data-part="[^"]*"/.exec(tag)?.[0];
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The children from here to the end of the element around them. @param before those shown now. */
  children(before: readonly Child[]): Planned[] {
    const planned: Planned[] = [];
    const known = new Known(before);
    for (;;) {
      const same = known.next();
      if (same !== null && this.#text.startsWith(same.markup, this.#at)) {
        const from = this.#at;
        this.#at += same.markup.length;
        // Not that of before: it would keep the whole of the answer that it came with in memory.
        const markup = this.#text.slice(from, this.#at);
        planned.push({ markup, kept: known.take(markup), make: null, children: null });
        continue;
      }
      this.#goTo("<");
      if (this.#ended() || this.#text.startsWith("</", this.#at)) return planned;
      planned.push(this.#child(known));
    }
  }

  #child(known: Known): Planned {
    const from = this.#at;
    const tag = this.#tag();
    const part = partOf(tag);
    if (part === undefined) {
      this.#skip(tag);
      const markup = this.#text.slice(from, this.#at);
      const kept = known.take(markup);
      return { markup, kept, make: kept === null ? markup : null, children: null };
    }
    const kept = known.take(part);
    const make = kept?.markup === tag ? null : `${tag}</${/\w+/.exec(tag)?.[0]}>`;
    const children = this.children(kept?.children ?? []);
    this.#tag();
    return { markup: tag, kept, make, children };
  }

  /** Reads a tag. */
  #tag(): string {
    TAG.lastIndex = this.#at;
    const tag = TAG.exec(this.#text)?.[0] ?? "";
    this.#at = tag === "" ? this.#text.length : TAG.lastIndex;
    return tag;
  }

  /** Goes to the end of the element with this opening tag. */
  #skip(opening: string): void {
    for (let depth = opening.endsWith("/>") ? 0 : 1; depth > 0; ) {
      this.#goTo("<");
      if (this.#ended()) return;
      const tag = this.#tag();
      if (tag.startsWith("</")) depth--;
      else if (!tag.endsWith("/>")) depth++;
    }
  }

  #goTo(text: string): void {
    const at = this.#text.indexOf(text, this.#at);
    this.#at = at < 0 ? this.#text.length : at;
  }

  #ended(): boolean {
    return this.#at >= this.#text.length;
  }
}

function keyOf({ markup, children }: Child): string {
  return children === null ? markup : (partOf(markup) ?? markup);
}

/** The children that are shown. Each is taken once, also where several are the same. */
class Known {
  readonly #children: readonly Child[];
  /** Places of those that were not taken, the last one first. */
  readonly #free = new Map<string, number[]>();
  #next = 0;

  constructor(children: readonly Child[]) {
    this.#children = children;
    for (let place = children.length - 1; place >= 0; place--) {
      addTo(this.#free, keyOf(children[place] as Child), place);
    }
  }

  /** The one after that taken last, unless it is a part or taken. */
  next(): Child | null {
    const child = this.#children[this.#next];
    return child?.children === null && this.#free.get(child.markup)?.at(-1) === this.#next ? child : null;
  }

  /** @param key markup of an element, or the name of a part. */
  take(key: string): Child | null {
    const place = this.#free.get(key)?.pop();
    if (place === undefined) return null;
    this.#next = place + 1;
    return this.#children[place] ?? null;
  }
}

/** The elements to make for these, in their order. */
function elementsOf(planned: readonly Planned[]): Iterator<Element> {
  const markup = planned.map(({ make }) => make ?? "").join("");
  const holder = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  if (markup !== "") holder.innerHTML = markup;
  return [...holder.children].values();
}

/** Makes children and puts them into their parents, so many in a frame. */
class Placing {
  readonly #most: number;
  /** How many new elements this frame has room for. */
  #room: number;
  /** Parts that keep their children until a later frame. */
  #waiting: (() => () => void)[] = [];

  constructor(most: number) {
    this.#most = most;
    // The first frame also brings every part to where it will be.
    this.#room = Math.floor(most / 4);
  }

  /** What is left after this frame. */
  rest(): Prepare | null {
    if (this.#waiting.length === 0) return null;
    return () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#room = this.#most;
      const fills = waiting.map((prepare) => prepare());
      return () => {
        for (const fill of fills) fill();
        return this.rest();
      };
    };
  }

  /** Makes the children of an element. @returns puts them into it, and returns what is shown then. */
  prepared(parent: Element, planned: readonly Planned[]): () => Child[] {
    const made = elementsOf(planned);
    const puts = planned.map((one) => this.#child(one, one.make === null ? undefined : made.next().value));
    return () => {
      const children = puts.flatMap((put) => put() ?? []);
      const staying = new Set(children.map(({ element }) => element));
      for (const element of [...parent.children]) if (!staying.has(element)) element.remove();
      let next = parent.firstElementChild;
      for (const { element } of children) {
        if (element === next) next = next.nextElementSibling;
        else parent.insertBefore(element, next);
      }
      return children;
    };
  }

  #child({ markup, kept, children }: Planned, fresh: Element | undefined): () => Child | null {
    const element = kept?.element ?? fresh;
    if (element === undefined) return () => null;
    if (children === null) return () => ({ markup, element, children: null });
    // Until it has its own it is shown with those of before.
    const child: Child = { markup, element, children: kept?.children ?? [] };
    const fill = this.#fill(child, children, kept !== null);
    return () => {
      if (kept !== null && fresh !== undefined) takeTag(element, fresh);
      fill();
      return child;
    };
  }

  /** @param mayWait whether the part can be shown without these. */
  #fill(part: Child, planned: readonly Planned[], mayWait: boolean): () => void {
    const fresh = planned.filter(({ kept }) => kept === null).length;
    const fits = fresh <= this.#room || this.#room === this.#most;
    if (mayWait && fresh > 0 && !fits) {
      this.#waiting.push(() => this.#fill(part, planned, true));
      return () => {};
    }
    this.#room -= fresh;
    const put = this.prepared(part.element, planned);
    return () => {
      part.children = put();
    };
  }
}
