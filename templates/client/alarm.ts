/**
 * The bell: what is wrong with the app now, on any page, and how much. It looks when a page is opened and as it is refreshed, but not again within
 * 20 seconds unless the page lists problems itself, and when it is opened itself. If notifications are on, which are off by default and
 * remembered in this browser, it looks all the time and reports new errors, or warnings as well, by them and in the tab.
 */
import { age } from "../../src/presentation/age.ts";
import { nothingWrong } from "../../src/pynenc/nothing-wrong.ts";
import { tellErrors } from "./badge.ts";
import { onRemembered, recall, remember } from "./storage.ts";
import { now } from "./times.ts";

const SECONDS = 20;

/** Seconds after which the known errors are too old to tell which ones are new. */
const KNOWN_FOR = 300;

/** Seconds after which an error that no longer occurs counts as gone, as for the `--on-verdict` command. */
const GONE_AFTER = 60;

/** Maximum number of simultaneous notifications; further errors share one. */
const MOST = 3;

interface Found {
  verdicts: {
    severity: string;
    sentence: string;
    since: string | null;
    muted_until: string | null;
    next: { path: string }[];
  }[];
  keys: string[];
  not_looked_at: string[];
}

/** The last look from any page of this browser. */
interface Look {
  /** Milliseconds since the epoch. */
  at: number;
  found: Found;
}

/** Known errors, shared by the tabs of this browser so that each one is reported once. */
interface Known {
  /** Milliseconds since the epoch. */
  at: number;
  /** When each error was last found. */
  errors: Record<string, number>;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Milliseconds since the epoch of the last look. */
let lookedAt = 0;

export function startAlarm(): void {
  const bell = document.querySelector<HTMLDetailsElement>("#bell");
  const address = bell?.dataset.verdicts;
  if (bell === null || address === undefined) return;
  startNotifying(address);
  const lookIfDue = () => {
    if (!document.hidden && Date.now() - lookedAt >= SECONDS * 1_000) void look(address);
  };
  const last = parsed<Look>(recall(`bell ${address}`));
  // A page that lists problems itself must not say more, or less, than the bell.
  const listsThem = document.querySelector(".verdicts, .verdict") !== null;
  if (last !== null && !listsThem && Math.abs(Date.now() - last.at) < SECONDS * 1_000) {
    lookedAt = last.at;
    showProblems(last.found);
  }
  document.body.addEventListener("live", lookIfDue);
  bell.addEventListener("toggle", () => {
    if (bell.open) void look(address);
  });
  lookIfDue();
}

/** The severities that are reported. */
const reported = () => (recall("alarm.level") === "warning" ? ["error", "warning"] : ["error"]);

const isOn = () => recall("alarm") === "on" && "Notification" in window && Notification.permission === "granted";

function startNotifying(address: string): void {
  const box = document.querySelector<HTMLInputElement>("#alarm");
  const note = document.querySelector("#alarm-note");
  const level = document.querySelector<HTMLSelectElement>("#alarm-level");
  const test = document.querySelector<HTMLButtonElement>("#alarm-test");
  const icon = document.querySelector<SVGElement>("#bell > summary .icon");
  if (box === null || note === null || level === null || test === null) return;
  if (!("Notification" in window) || !isSecureContext) {
    for (const control of [box, level, test]) control.disabled = true;
    note.textContent = "Browsers only notify over https or from this machine.";
    return;
  }
  const isAllowed = async () => {
    if ((await Notification.requestPermission()) === "granted") return true;
    note.textContent = "This browser blocks notifications from here. Allow them in the site settings.";
    return false;
  };
  const show = () => {
    box.checked = isOn();
    // The bell is filled while notifications are on.
    if (icon !== null) icon.style.fill = isOn() ? "currentColor" : "";
    level.value = reported().at(-1) ?? "error";
    clearTimeout(timer);
    if (isOn()) void look(address);
    else tellErrors(null);
  };
  box.addEventListener("change", async () => {
    if (isOn()) remember("alarm", "off");
    else if (await isAllowed()) remember("alarm", "on");
    show();
  });
  level.addEventListener("change", () => {
    remember("alarm.level", level.value);
    show();
  });
  test.addEventListener("click", async () => {
    if (await isAllowed()) notify("This is a test: a new problem would be shown like this.", `${address} test`);
  });
  onRemembered("alarm", show);
  onRemembered("alarm.level", show);
  show();
}

async function look(address: string): Promise<void> {
  lookedAt = Date.now();
  let wait = SECONDS;
  try {
    const answer = await fetch(address, { headers: { accept: "application/json" } });
    if (answer.ok) {
      const found = (await answer.json()) as Found;
      remember(`bell ${address}`, JSON.stringify({ at: lookedAt, found } satisfies Look));
      showProblems(found);
      if (isOn()) tell(address, found);
    }
    // The app is gone or the session has ended; the page says so when it is reloaded.
    else if (answer.status < 500 && answer.status !== 429) return;
  } catch {
    wait = 2 * SECONDS;
  }
  clearTimeout(timer);
  if (isOn()) timer = setTimeout(() => void look(address), wait * 1_000);
}

/** The list in the bell, and the number beside it and beside the first page. */
function showProblems({ verdicts, not_looked_at }: Found): void {
  const problems = verdicts.filter(({ muted_until }) => muted_until === null);
  for (const count of document.querySelectorAll(".problem-count")) {
    count.textContent = problems.length === 0 ? "" : String(problems.length);
    const summary = count.closest("summary");
    summary?.setAttribute("aria-label", `${summary.dataset.label} ${problems.length}`);
    count.classList.toggle(
      "mark-bad",
      problems.some(({ severity }) => severity === "error"),
    );
  }
  const nothing = `${nothingWrong(not_looked_at)}.`;
  const rows = problems.map((problem) => {
    const link = Object.assign(document.createElement("a"), { href: problem.next[0]?.path ?? "" });
    const mark = document.createElement("span");
    mark.className = MARKS[problem.severity] ?? "mark";
    mark.textContent = problem.severity.replace(/^./, (first) => first.toUpperCase());
    const since = document.createElement("span");
    since.className = "small";
    since.textContent =
      problem.since === null ? "" : `for ${age((now() - Date.parse(problem.since)) / 1_000).replace(" ago", "")}`;
    const words = document.createElement("span");
    words.append(`${problem.sentence} `, since);
    link.append(mark, words);
    return link;
  });
  const list = document.querySelector("#ringing");
  list?.replaceChildren(
    ...(rows.length === 0 ? [nothing] : rows).map((content) => {
      const row = document.createElement("li");
      row.append(content);
      return row;
    }),
  );
}

const MARKS: Readonly<Record<string, string>> = { error: "mark mark-bad", warning: "mark mark-warn" };

function tell(address: string, { verdicts, keys }: Found): void {
  const now = Date.now();
  const severities = reported();
  const shown = verdicts.flatMap(({ severity, sentence, muted_until }, at) =>
    severities.includes(severity) && muted_until === null ? [{ sentence, key: keys[at] ?? sentence }] : [],
  );
  tellErrors(shown.length);
  const name = `alarm.known ${severities.at(-1)} ${address}`;
  const known = parsed<Known>(recall(name));
  const isKnown = known !== null && now - known.at < KNOWN_FOR * 1_000;
  const before = Object.entries(known?.errors ?? {}).filter(([, at]) => now - at < GONE_AFTER * 1_000);
  const errors = new Map(isKnown ? before : []);
  const appeared = isKnown ? shown.filter(({ key }) => !errors.has(key)) : [];
  for (const { key } of shown) errors.set(key, now);
  remember(name, JSON.stringify({ at: now, errors: Object.fromEntries(errors) } satisfies Known));
  for (const { sentence, key } of appeared.slice(0, MOST)) notify(sentence, `${address} ${key}`);
  const more = appeared.length - MOST;
  if (more > 0) notify(`${more} more ${more === 1 ? "problem has" : "problems have"} appeared`, `${address} more`);
}

/** What was remembered, unless another version remembered something else. */
function parsed<Remembered extends { at: number }>(text: string | null): Remembered | null {
  try {
    const remembered = JSON.parse(text ?? "null") as Remembered | null;
    return typeof remembered?.at === "number" ? remembered : null;
  } catch {
    return null;
  }
}

/** @param tag the same error in several tabs is shown once. */
function notify(sentence: string, tag: string): void {
  try {
    const shown = new Notification("pynenc monitor", { body: sentence, tag });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
    });
  } catch {
    // Some mobile browsers only allow notifications from workers; the tab still shows the error.
  }
}
