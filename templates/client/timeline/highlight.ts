/** Highlights the mark with the pointer or the focus and its relatives; the rest of the timeline is dimmed (timeline-interaction.css). */
import { forgetRelatives, identityOf, markOf, pointedAt, relativesOf } from "./relatives.ts";

let lit: readonly Element[] = [];
let origin: Element | null = null;
let identity = "";
/** Highlighted because of the focus, not the pointer. */
let byFocus = false;
let frame = 0;

/** Where the pointer was pressed, until it moves: what slides under it then is not pointed at. */
let pressed: string | null = null;

export function startHighlight(): void {
  const placeOf = ({ clientX, clientY }: PointerEvent) => `${clientX} ${clientY}`;
  const over = (event: PointerEvent) => {
    if (event.pointerType === "touch" || placeOf(event) === pressed) return;
    pressed = null;
    follow(pointedAt(event.target), false);
  };
  document.addEventListener("pointerdown", (event) => (pressed = placeOf(event)), true);
  document.addEventListener("pointerover", over);
  document.addEventListener("pointermove", (event) => {
    if (pressed !== null) over(event);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.relatedTarget === null) follow(null, false);
  });
  document.addEventListener("focusin", (event) => {
    const mark = pointedAt(event.target);
    // A click also moves the focus; the pointer has already highlighted the mark.
    if (mark !== null && event.target instanceof Element && event.target.matches(":focus-visible")) follow(mark, true);
  });
  document.addEventListener("focusout", (event) => {
    if (byFocus && pointedAt(event.target) !== null && pointedAt(event.relatedTarget) === null) follow(null, true);
  });
}

/** The content was exchanged or refreshed: new elements have the classes of the server. */
export function highlightAgain(): void {
  forgetRelatives();
  const before = origin === null ? null : identity;
  light(null);
  if (before !== null) light(markOf(before));
}

/** Removes all highlights. */
export function clearHighlight(): boolean {
  const was = origin !== null;
  follow(null, false);
  return was;
}

function follow(mark: Element | null, focus: boolean): void {
  byFocus = focus;
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => {
    if (mark !== origin) light(mark);
  });
}

function light(mark: Element | null): void {
  const next = mark === null ? [] : [...relativesOf(mark)];
  const kept = new Set(next);
  for (const element of lit) if (!kept.has(element)) element.classList.remove("related");
  for (const element of next) element.classList.add("related");
  const [from, to] = [origin, mark].map((one) => one?.closest(".timeline"));
  // Removing and adding the class again would restyle all marks.
  if (from !== to) {
    from?.classList.remove("tracing");
    to?.classList.add("tracing");
  }
  lit = next;
  origin = mark;
  identity = mark === null ? "" : identityOf(mark);
}
