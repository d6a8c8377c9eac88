import type { ComponentChildren } from "preact";

export interface LiveRegionProps {
  /** Unique in the page. */
  id: string;
  /** Answers the same children, with an ETag. From `links.current("/broker/refresh", query)`. */
  href: string;
  /** ETag of the children as rendered now; without it the first refresh is a full answer. */
  etag?: string | undefined;
  children: ComponentChildren;
}

/**
 * A part of the page that is refreshed every few seconds (client/live.ts). Without scripts it is just its children. The refresh
 * must return elements, not bare text, because morphing only handles elements.
 */
export function LiveRegion({ id, href, etag, children }: LiveRegionProps) {
  return (
    <div id={id} class="live-region" data-live={href} data-etag={etag}>
      {children}
    </div>
  );
}
