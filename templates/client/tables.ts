/**
 * Long and wide tables, in browsers that cannot tie a style to scrolling (tables.css): the head stays below the header of the page, and a table that
 * is wider than its box fades out where it goes on. Without scripts such a browser has plain tables.
 */

/** Scrolled less than this, a table is at its end: positions are fractions of pixels. */
const HARDLY = 2;

export function startTables(): void {
  if (CSS.supports("animation-timeline: view()") && CSS.supports("animation-timeline: scroll()")) return;
  let isAsked = false;
  const soon = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      place();
    });
  };
  // Also what scrolls within the page: its events do not rise.
  document.addEventListener("scroll", soon, { passive: true, capture: true });
  window.addEventListener("resize", soon);
  document.body.addEventListener("htmx:afterSwap", soon);
  place();
}

/** Reads every place before it writes one, so that the browser makes its layout once. */
function place(): void {
  const under = Math.max(0, document.querySelector(".header")?.getBoundingClientRect().bottom ?? 0);
  const boxes = [...document.querySelectorAll<HTMLElement>(".table-scroll")].map((box) => {
    const { top, height } = box.getBoundingClientRect();
    const head = box.querySelector("thead")?.clientHeight ?? 0;
    const isCrossing = top < under && top + height > under;
    const left = Math.abs(box.scrollLeft);
    return {
      box,
      shift: isCrossing ? Math.min(under - top, height - head) : 0,
      hasBefore: left > HARDLY,
      hasMore: box.scrollWidth - box.clientWidth - left > HARDLY,
    };
  });
  for (const { box, shift, hasBefore, hasMore } of boxes) {
    box.style.setProperty("--head-shift", `${shift}px`);
    box.classList.toggle("has-before", hasBefore);
    box.classList.toggle("has-more", hasMore);
  }
}
