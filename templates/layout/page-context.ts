import type { Links } from "../../src/presentation/links.ts";
import type { NavKey } from "../../src/presentation/nav-entries.ts";
import type { PageQuery } from "../query.ts";

/** An app of the opened store as the switcher shows it. */
export interface AppChoice {
  app_id: string;
  /** Registered but without invocations. */
  phantom: boolean;
}

/** The menu of time in the header: a range, and an instant of the past. */
export interface TimeControl {
  /** Whether the page uses the range; otherwise it only passes it on. */
  applies: boolean;
  /** Whether the page shows all there is if no range is chosen. */
  open: boolean;
  /** Whether the page can show an instant of the past. */
  goes_back: boolean;
  /** ISO 8601; null if open. */
  start: string | null;
  end: string | null;
  /** The chosen or default length of time: `1h`. Empty if there is none. */
  preset: string;
  /** The page without the range; choices lead back to it. */
  path: string;
  query: PageQuery;
}

/** An address of the page that shows the same to others: it names the app, and instants instead of a length of time. */
export interface Permalink {
  href: string;
  /** Its instants were counted from the present of the page, and go on with it (client/permalink.ts). */
  moving: boolean;
}

/** The instant of the past that a page is asked for. */
export interface Past {
  /** ISO 8601. */
  at: string;
  /** How long ago: `12 min`. */
  ago: string;
  /** The same page for the present. */
  back: string;
  /** To other instants of the past. `sign`: `+1 min`. */
  steps: readonly { name: string; sign: string; href: string }[];
  /** Why the page shows the present all the same; null if it does not. */
  present: string | null;
}

/** How many problems there are, and whether one of them is an error. */
export interface Problems {
  number: number;
  error: boolean;
}

/** What every page needs besides its own content. */
export interface PageContext {
  links: Links;
  /** Nonce in the Content-Security-Policy of this response. */
  nonce: string;
  /** Title of the page, without the app. */
  title: string;
  nav: NavKey | null;
  /** The app that this page is about; null when there is none. */
  app: { app_id: string; phantom?: boolean | undefined } | null;
  apps: readonly AppChoice[];
  /** Path of the page to show in another app: this one, or `/` if it is about a thing, which other apps do not have. */
  path: string;
  /** The store as text: a path or a masked URL. */
  location: string;
  read_only: boolean;
  /** Whether browsers have to sign in. */
  sign_in: boolean;
  /** The server has figures over time (`--no-stats` switches them off). */
  figures: boolean;
  /** ISO 8601; ages count from here. */
  now: string;
  /** `now` is fixed, as for a snapshot or a test. */
  clock_fixed: boolean;
  /** The current problems, if the page has looked for them; otherwise null. */
  problems: Problems | null;
  /** Null for the answer to a form. */
  permalink: Permalink | null;
  /** Null on pages without the control. */
  time: TimeControl | null;
  /** The page has live regions. */
  live: boolean;
  /** What pages cannot show because of the layout of the store. */
  gaps: readonly string[];
  /** Null for the present. */
  past: Past | null;
  /** Outcome of the action that redirected here. */
  notice: string | null;
  /** Version of pynenc-monitor. */
  version: string;
}
