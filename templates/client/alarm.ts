/**
 * Reports new errors by browser notifications and in the tab, on any page. Switched on by the button below the list of pages,
 * off by default, and remembered in this browser.
 */
import { tellErrors } from "./badge.ts";
import { onRemembered, recall, remember } from "./storage.ts";

const SECONDS = 20;

/** Seconds after which the known errors are too old to tell which ones are new. */
const KNOWN_FOR = 300;

/** Seconds after which an error that no longer occurs counts as gone, as for the `--on-verdict` command. */
const GONE_AFTER = 60;

/** Maximum number of simultaneous notifications; further errors share one. */
const MOST = 3;

interface Found {
  verdicts: { severity: string; sentence: string; muted_until: string | null }[];
  keys: string[];
}

/** Known errors, shared by the tabs of this browser so that each one is reported once. */
interface Known {
  /** Milliseconds since the epoch. */
  at: number;
  /** When each error was last found. */
  errors: Record<string, number>;
}

let timer: ReturnType<typeof setTimeout> | undefined;

export function startAlarm(): void {
  const button = document.querySelector<HTMLButtonElement>("#alarm");
  const address = button?.dataset.verdicts;
  if (button === null || address === undefined) return;
  if (!("Notification" in window) || !isSecureContext) {
    button.disabled = true;
    button.title = "Browsers notify only from https and from addresses of this machine";
    return;
  }
  const isOn = () => recall("alarm") === "on" && Notification.permission === "granted";
  const show = () => {
    button.ariaPressed = String(isOn());
    clearTimeout(timer);
    if (isOn()) void look(address);
    else tellErrors(null);
  };
  button.addEventListener("click", async () => {
    if (isOn()) remember("alarm", "off");
    else if ((await Notification.requestPermission()) === "granted") remember("alarm", "on");
    else button.title = "This browser blocks notifications from the monitor; allow them in the settings of the site";
    show();
  });
  onRemembered("alarm", show);
  show();
}

async function look(address: string): Promise<void> {
  let wait = SECONDS;
  try {
    const answer = await fetch(address, { headers: { accept: "application/json" } });
    if (answer.ok) tell(address, (await answer.json()) as Found);
    // The app is gone or the session has ended; the page says so when it is reloaded.
    else if (answer.status < 500 && answer.status !== 429) return;
  } catch {
    wait = 2 * SECONDS;
  }
  clearTimeout(timer);
  timer = setTimeout(() => void look(address), wait * 1_000);
}

function tell(address: string, { verdicts, keys }: Found): void {
  const now = Date.now();
  const shown = verdicts.flatMap(({ severity, sentence, muted_until }, at) =>
    severity === "error" && muted_until === null ? [{ sentence, key: keys[at] ?? sentence }] : [],
  );
  tellErrors(shown.length);
  const name = `alarm.known ${address}`;
  const known = knownIn(recall(name));
  const isKnown = known !== null && now - known.at < KNOWN_FOR * 1_000;
  const before = Object.entries(known?.errors ?? {}).filter(([, at]) => now - at < GONE_AFTER * 1_000);
  const errors = new Map(isKnown ? before : []);
  const appeared = isKnown ? shown.filter(({ key }) => !errors.has(key)) : [];
  for (const { key } of shown) errors.set(key, now);
  remember(name, JSON.stringify({ at: now, errors: Object.fromEntries(errors) } satisfies Known));
  for (const { sentence, key } of appeared.slice(0, MOST)) notify(sentence, `${address} ${key}`);
  const more = appeared.length - MOST;
  if (more > 0) notify(`${more} more ${more === 1 ? "error has" : "errors have"} appeared`, `${address} more`);
}

function knownIn(text: string | null): Known | null {
  try {
    const known = JSON.parse(text ?? "null") as Known | null;
    return typeof known?.at === "number" && typeof known.errors === "object" ? known : null;
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
