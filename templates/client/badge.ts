/** Shows the number of errors in the tab, visible while another tab is in front: those of the page, or all (alarm.ts). */
import { onShown } from "./fragments.ts";

const COUNTED = ".verdict-error";
const FOLDED = ".verdicts-muted";

/** The title as the server wrote it. */
let title = "";

/** Number of errors of the app; null if notifications are off. */
let ofApp: number | null = null;

export function startBadge(): void {
  title = document.title;
  show();
  onShown(show);
}

export function tellErrors(errors: number | null): void {
  ofApp = errors;
  show();
}

function show(): void {
  const onPage = [...document.querySelectorAll(COUNTED)].filter((one) => one.closest(FOLDED) === null).length;
  const errors = ofApp ?? onPage;
  document.title = errors === 0 ? title : `(${errors}) ${title}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon === null) return;
  const [plain = "", alert = ""] = [icon.dataset.plain, icon.dataset.alert];
  const href = errors === 0 ? plain : alert;
  if (icon.getAttribute("href") !== href) icon.setAttribute("href", href);
}
