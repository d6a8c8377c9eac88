/** Tells in the tab how many errors the page shows, so that they are seen while another tab is in front. */

const COUNTED = ".verdict-error";
const FOLDED = ".verdicts-muted";

/** The title as the server wrote it. */
let title = "";

export function startBadge(): void {
  title = document.title;
  show();
  document.body.addEventListener("htmx:afterSwap", show);
}

function show(): void {
  const errors = [...document.querySelectorAll(COUNTED)].filter((one) => one.closest(FOLDED) === null).length;
  document.title = errors === 0 ? title : `(${errors}) ${title}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon === null) return;
  const [plain = "", alert = ""] = [icon.dataset.plain, icon.dataset.alert];
  const href = errors === 0 ? plain : alert;
  if (icon.getAttribute("href") !== href) icon.setAttribute("href", href);
}
