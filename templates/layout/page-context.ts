import type { Links } from "../../src/presentation/links.ts";
import type { NavKey } from "../../src/presentation/nav-entries.ts";
import type { PageQuery } from "../query.ts";

/** An app of the opened store as the switcher shows it. */
export interface AppChoice {
  app_id: string;
  /** The one that requests without `?app=` are about. */
  active: boolean;
  /** Registered but without invocations. */
  phantom: boolean;
}

/** The time range of the header. */
export interface TimeControl {
  /** The page shows this part of the past; otherwise it only keeps it for others. */
  applies: boolean;
  /** ISO 8601; null where it is open. */
  start: string | null;
  end: string | null;
  /** The length of time that the page shows where nothing was chosen: `1h`. Empty where it has none. */
  preset: string;
  /** The page without the range: a choice leads back to it. */
  path: string;
  query: PageQuery;
}

/** What every page needs besides its own content. */
export interface PageContext {
  links: Links;
  /** Of the Content-Security-Policy of this response. */
  nonce: string;
  /** Names the page in the browser's title, without the app. */
  title: string;
  nav: NavKey | null;
  /** The app that this page is about; null when there is none. */
  app: { app_id: string; phantom?: boolean | undefined } | null;
  apps: readonly AppChoice[];
  /** The store, for people: a path or a masked URL. */
  location: string;
  read_only: boolean;
  /** Browsers sign in. */
  sign_in: boolean;
  /** The server has figures over time (`--no-stats` switches them off). */
  figures: boolean;
  /** ISO 8601; ages are told from here. */
  now: string;
  /** `now` stands still: a snapshot or a test. */
  clock_fixed: boolean;
  /** Null on pages without the control. */
  time: TimeControl | null;
  /** The page has live regions. */
  live: boolean;
  /** What pages cannot show because of the layout of the store. */
  gaps: readonly string[];
  /** Outcome of an action that led here. */
  notice: string | null;
  /** Of pynenc-monitor. */
  version: string;
}
