/** Long tables in browsers without scroll-driven animations (tables.css): the head stays below the header of the page. Without scripts they show plain tables. */
import { onShown } from "./fragments.ts";

export function startTables(): void {
  if (CSS.supports("animation-timeline: view()")) return;
  let isAsked = false;
  const soon = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      place();
    });
  };
  // Capturing, because scroll events of inner elements do not bubble.
  document.addEventListener("scroll", soon, { passive: true, capture: true });
  window.addEventListener("resize", soon);
  onShown(soon);
  place();
}

/** Reads all positions before writing any, so that the browser only does one layout. */
function place(): void {
  const under = Math.max(0, document.querySelector(".header")?.getBoundingClientRect().bottom ?? 0);
  const boxes = [...document.querySelectorAll<HTMLElement>(".table-scroll")].map((box) => {
    const { top, height } = box.getBoundingClientRect();
    const head = box.querySelector("thead")?.clientHeight ?? 0;
    const isCrossing = top < under && top + height > under;
    return { box, shift: isCrossing ? Math.min(under - top, height - head) : 0 };
  });
  for (const { box, shift } of boxes) box.style.setProperty("--head-shift", `${shift}px`);
}
