import { count } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { lastValue, type PageQuery } from "../../query.ts";
import { Empty } from "./empty.tsx";
import { lastPage, PlacePager, pageText } from "./pager.tsx";
import { ViewPager, type ViewPagerProps } from "./view-pager.tsx";

/** Parameters of the list from its beginning. */
export const FIRST: PageQuery = { page: undefined, after: undefined };

/** Whether the list starts after a cursor instead of with the newest row. */
export function isFurther(query: PageQuery): boolean {
  return lastValue(query, "after") !== "";
}

/** Cursors of previous pages, as many as fit into an address; a marker in front shows that there were more. */
const REMEMBERED = 25;
const MORE_BEFORE = "-";

export interface GrowingPagerProps extends Pick<ViewPagerProps, "page" | "view"> {
  /** Cursor for `after` to continue after the last row; null at the end. */
  older: string | null;
  rows: number;
}

/** Pages of a list that grows at the top. Links contain the cursor where a page starts, so pages stay the same while new rows arrive. */
export function GrowingPager({ page, older, rows, view }: GrowingPagerProps) {
  const links = useLinks();
  const { path, query } = view;
  if (page.number > 1) return rows > 0 ? <ViewPager page={page} view={view} /> : null;
  const passed = query.after ?? [];
  if (passed.length === 0 && older === null && page.total !== null) return null;
  const at = (places: readonly string[]) => links.current(path, { ...query, ...FIRST, after: places });
  const back = passed.slice(0, -1);
  const on = older === null ? null : [...passed, older];
  const last = passed.length === 0 ? lastPage(page) : null;
  return (
    <PlacePager
      text={passed.length === 0 ? pageText(page) : furtherText(rows, older)}
      hrefs={{
        newest: passed.length === 0 ? null : at([]),
        newer: passed.length === 0 || back.at(-1) === MORE_BEFORE ? null : at(back),
        older: on === null ? null : at(on.length > REMEMBERED ? [MORE_BEFORE, ...on.slice(2 - REMEMBERED)] : on),
        oldest: last === null || last === 1 ? null : links.current(path, { ...query, ...FIRST, page: last }),
      }}
    />
  );
}

function furtherText(rows: number, older: string | null): string {
  return `${count(rows)} ${rows === 1 ? "row" : "rows"}, ${older === null ? "end of list" : "more may follow"}`;
}

/** Shown if there are no rows after the cursor. @param thing in the singular: `invocation`. */
export function NothingOlder({ older, view, thing }: Omit<GrowingPagerProps, "rows" | "page"> & { thing: string }) {
  const links = useLinks();
  const { path, query } = view;
  return (
    <Empty title={older === null ? `No older ${thing}` : "No match among those searched"}>
      {older !== null && (
        <>
          <a href={links.current(path, { ...query, ...FIRST, after: [...(query.after ?? []), older] })}>
            Search older ones
          </a>
          , or{" "}
        </>
      )}
      <a href={links.current(path, { ...query, ...FIRST })}>go to the newest</a>
    </Empty>
  );
}
