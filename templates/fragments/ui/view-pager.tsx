import type { ComponentChildren } from "preact";
import type { PageInfo } from "../../../src/api/model/common.ts";
import { useLinks } from "../../links.ts";
import type { View } from "../../pages/view.ts";
import { Empty } from "./empty.tsx";
import { Pager } from "./pager.tsx";

export interface ViewPagerProps {
  page: PageInfo;
  view: Pick<View<unknown>, "path" | "query">;
  /** Query parameter of the page number; a page with two lists needs two. */
  parameter?: string | undefined;
  /** Distinguishes several pagers on one page. */
  label?: string | undefined;
}

/** Pager of a list within a page; keeps all other parameters. Renders nothing if the complete list is shown. */
export function ViewPager({ page, view, parameter = "page", label }: ViewPagerProps) {
  const hrefFor = useHrefs(view, parameter);
  if (page.number === 1 && !page.has_next && page.total !== null) return null;
  return <Pager page={page} hrefFor={hrefFor} label={label} />;
}

/** Shown instead of rows. A page past the end of a list is not an empty list. */
export function NoRows({
  page,
  view,
  parameter = "page",
  title,
  children,
}: ViewPagerProps & {
  /** What a list without rows lacks; without it, the children say that themselves. */
  title?: string;
  children?: ComponentChildren;
}) {
  const hrefFor = useHrefs(view, parameter);
  if (page.number <= 1) return title === undefined ? <>{children}</> : <Empty title={title}>{children}</Empty>;
  return (
    <Empty title="This page is past the end of the list">
      Rows may have been purged, or this page never existed. <a href={hrefFor(1)}>Go to the first page</a>
    </Empty>
  );
}

function useHrefs({ path, query }: ViewPagerProps["view"], parameter: string) {
  const links = useLinks();
  return (number: number) => links.current(path, { ...query, [parameter]: number === 1 ? undefined : number });
}
