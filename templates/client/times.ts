import { age } from "../../src/presentation/age.ts";
import { coarse } from "../../src/pynenc/numbers.ts";
import { onShown } from "./fragments.ts";
import { onRemembered, recall, remember } from "./storage.ts";

/** `mixed` keeps the server's choice: ages in lists, UTC elsewhere. */
type Mode = "mixed" | "utc" | "local" | "ages";

let mode: Mode = "mixed";

const root = document.documentElement;
/** Milliseconds since the epoch, by the clock of the server. */
export const pageMade = Date.parse(root.dataset.now ?? "");
const fixed = root.dataset.clockFixed !== undefined;
/** Ages use the server's clock, because the browser's may be off. Small differences are network latency. */
const lead = Number.isNaN(pageMade) || Math.abs(pageMade - Date.now()) < 5000 ? 0 : pageMade - Date.now();

export function now(): number {
  return fixed ? pageMade : Date.now() + lead;
}

/** What ages count from: the instant of the past that the page shows, otherwise now. */
function reference(): number {
  const then = document.querySelector<HTMLElement>(".as-of")?.dataset.at;
  return then === undefined ? now() : Date.parse(then);
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

/** The form of `instant` in the viewer's zone: `2026-11-21 01:34:40.123 GMT+1`; the fraction of a second is the same in every zone. */
function localText(instant: number, utc: string): string {
  const part = Object.fromEntries(local.formatToParts(instant).map(({ type, value }) => [type, value]));
  const fraction = /\.\d+$/.exec(utc)?.[0] ?? "";
  return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second}${fraction} ${part.timeZoneName}`;
}

function isAge(time: HTMLTimeElement): boolean {
  if (time.dataset.day !== undefined) return false;
  return mode === "ages" || (mode === "mixed" && time.dataset.relative !== undefined);
}

function textOf(time: HTMLTimeElement, instant: number, utc: string): string {
  const since = time.dataset.relative === "for";
  const milliseconds = reference() - instant;
  const withClock = time.dataset.relative === "at";
  if (isAge(time) && !((withClock || time.dataset.relative === "") && milliseconds <= -1000)) {
    if (since) return `for ${coarse(Math.max(0, milliseconds) / 1000)}`;
    const words = age(milliseconds / 1000);
    return withClock ? `${briefly(utc).replace(SECONDS, "")}, ${words}` : words;
  }
  const exact = mode === "local" ? localText(instant, utc) : utc;
  const brief = time.dataset.relative === undefined ? exact : briefly(exact);
  const text = time.dataset.minute === undefined ? brief : brief.replace(SECONDS, "");
  if (since) return `since ${text}`;
  if (time.dataset.day !== undefined) return text.slice(0, DATE);
  const { clock } = time.dataset;
  return clock === undefined || (clock !== "" && dayOf(clock) !== dayOf(time.dateTime)) ? text : text.slice(DATE + 1);
}

/** In a list: to the second, and without the date if it is that of today. */
function briefly(text: string): string {
  const today = dayOf(new Date(now()).toISOString());
  return text.replace(/\.\d+/, "").slice(text.startsWith(today) ? DATE + 1 : 0);
}

/** Seconds of a time of day, and a zone after them. */
const SECONDS = /:\d{2}(?:\.\d+)?( .*)?$/;

/** Characters of `2026-11-21`. */
const DATE = 10;

/** The date of an instant in the zone that is shown. */
function dayOf(iso: string): string {
  return mode === "local" ? localText(Date.parse(iso), "").slice(0, DATE) : iso.slice(0, DATE);
}

/** The first line of the title comes from the server: the instant in UTC. */
function show(time: HTMLTimeElement): void {
  const instant = Date.parse(time.dateTime);
  if (Number.isNaN(instant)) return;
  const [title = ""] = time.title.split("\n");
  const zoned = `${title}\n${local.format(instant)}`;
  if (time.title !== zoned) time.title = zoned;
  const text = textOf(time, instant, title.replace(/ UTC$/, ""));
  if (time.textContent !== text) time.textContent = text;
  const { day } = time.dataset;
  if (day !== undefined) time.hidden = day !== "" && dayOf(day) === text;
}

function all(within: ParentNode): Iterable<HTMLTimeElement> {
  return within.querySelectorAll<HTMLTimeElement>("time[datetime]");
}

/** Adds the viewer's time zone to titles and shows instants as chosen. Repeated after each refresh, which restores the server's text. */
export function showTimes(within: ParentNode): void {
  for (const time of all(within)) show(time);
  for (const zone of within.querySelectorAll<HTMLElement>("[data-utc]"))
    zone.hidden = mode === "local" || mode === "ages";
}

export function startTimes(): void {
  const select = document.querySelector<HTMLSelectElement>("#times-switch");
  const choose = (value: string | null) => {
    mode = value === "utc" || value === "local" || value === "ages" ? value : "mixed";
    if (select !== null) select.value = mode;
    showTimes(document);
  };
  choose(recall("times"));
  onRemembered("times", choose);
  select?.addEventListener("change", () => {
    remember("times", select.value);
    choose(select.value);
  });
  onShown(showTimes);
  if (fixed) return;
  setInterval(() => {
    if (document.hidden) return;
    for (const time of all(document)) if (isAge(time)) show(time);
  }, 1000);
}
