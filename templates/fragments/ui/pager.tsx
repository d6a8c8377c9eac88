import type { PageInfo } from "../../../src/api/model/common.ts";
import { count } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";

/** `51–100 of 1,234`, `51–100 of more than 10,000` or `51–100, more follow`. */
export function pageText(page: PageInfo): string {
  if (page.first_row === 0 || page.last_row < page.first_row) {
    return page.number > 1 ? "No rows on this page" : "No rows";
  }
  const range =
    page.first_row === page.last_row ? count(page.first_row) : `${count(page.first_row)}–${count(page.last_row)}`;
  if (page.total !== null) return `${range} of ${page.total_capped ? "more than " : ""}${count(page.total)}`;
  return page.has_next ? `${range}, more follow` : `${range}, end of list`;
}

/** `More than 10,000 events match`: what a list holds. */
export function matchesText(total: number, capped: boolean, noun: string, filtered: boolean): string {
  const all = `${capped ? "More than " : ""}${counted(total, noun)}`;
  if (!filtered) return all;
  return `${all} ${total === 1 ? "matches" : "match"}`;
}

/** The number of the last page, if known and useful as a link. */
export function lastPage(page: PageInfo): number | null {
  if (page.total === null || page.total_capped) return null;
  return Math.max(1, Math.ceil(page.total / page.size));
}

export interface PagerProps {
  page: PageInfo;
  /** Address of a page by its number, from 1. */
  hrefFor: (number: number) => string;
  /** Distinguishes several pagers on one page. */
  label?: string | undefined;
}

export function Pager({ page, hrefFor, label = "Pages of this list" }: PagerProps) {
  const last = lastPage(page);
  return (
    <nav class="pager" aria-label={label}>
      <p class="pager-text">{pageText(page)}</p>
      {(page.number > 1 || page.has_next) && (
        <ul>
          <Step label="First" href={page.number > 1 ? hrefFor(1) : null} />
          <Step label="Previous" rel="prev" href={page.number > 1 ? hrefFor(page.number - 1) : null} />
          <Step label="Next" rel="next" href={page.has_next ? hrefFor(page.number + 1) : null} />
          {last !== null && <Step label="Last" href={page.number < last ? hrefFor(last) : null} />}
        </ul>
      )}
    </nav>
  );
}

export interface PlacePagerProps {
  /** Says which rows these are. */
  text: string;
  /** Addresses of pages; null if there is none. Pages start at a cursor and do not move when new rows arrive. */
  hrefs: Readonly<Record<"newest" | "newer" | "older" | "oldest", string | null>>;
}

/** For a list that grows at its top. */
export function PlacePager({ text, hrefs: { newest, newer, older, oldest } }: PlacePagerProps) {
  return (
    <nav class="pager" aria-label="Pages of this list">
      <p class="pager-text">{text}</p>
      {(newest ?? newer ?? older) !== null && (
        <ul>
          <Step label="Newest" href={newest} />
          <Step label="Newer" rel="prev" href={newer} />
          <Step label="Older" rel="next" href={older} />
          {oldest !== null && <Step label="Oldest" href={oldest} />}
        </ul>
      )}
    </nav>
  );
}

function Step({ label, href, rel }: { label: string; href: string | null; rel?: string | undefined }) {
  return (
    <li>
      {href === null ? (
        <span class="button" aria-disabled="true">
          {label}
        </span>
      ) : (
        <a class="button" href={href} rel={rel}>
          {label}
        </a>
      )}
    </li>
  );
}
