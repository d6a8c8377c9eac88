import type { Links } from "../../src/presentation/links.ts";
import type { NavKey } from "../../src/presentation/nav-entries.ts";

/** An app of the opened store as the switcher shows it. */
export interface AppChoice {
  app_id: string;
  /** The one that requests without `?app=` are about. */
  active: boolean;
  /** Registered but without invocations. */
  phantom: boolean;
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
  /** ISO 8601; ages are told from here. */
  now: string;
  /** `now` stands still: a snapshot or a test. */
  clock_fixed: boolean;
  /** The page has live regions. */
  live: boolean;
  /** What pages cannot show because of the layout of the store. */
  gaps: readonly string[];
  /** Outcome of an action that led here. */
  notice: string | null;
  /** Of pynenc-monitor. */
  version: string;
}
