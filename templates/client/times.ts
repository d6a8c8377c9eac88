import { age } from "../../src/presentation/age.ts";

const root = document.documentElement;
const pageMade = Date.parse(root.dataset.now ?? "");
const fixed = root.dataset.clockFixed !== undefined;
/** Ages are told by the server's clock: that of a browser on another machine may be off. Small differences are travel time. */
const lead = Number.isNaN(pageMade) || Math.abs(pageMade - Date.now()) < 5000 ? 0 : pageMade - Date.now();

function now(): number {
  return fixed ? pageMade : Date.now() + lead;
}

const local = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

function tickOne(time: HTMLTimeElement): void {
  const text = age((now() - Date.parse(time.dateTime)) / 1000);
  if (time.textContent !== text) time.textContent = text;
}

/** Adds the viewer's zone to titles and turns relative times into ages. Again after each refresh, which restores the server's text. */
export function showTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    const instant = Date.parse(time.dateTime);
    if (Number.isNaN(instant)) continue;
    const utc = time.title.split("\n")[0] ?? "";
    time.title = `${utc}\n${local.format(instant)}`;
    if (time.dataset.relative !== undefined) tickOne(time);
  }
}

export function startTimes(): void {
  showTimes(document);
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.target instanceof Element) showTimes(event.target);
  });
  if (fixed) return;
  setInterval(() => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-relative]")) tickOne(time);
  }, 1000);
}
