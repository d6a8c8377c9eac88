import type { ComponentChildren } from "preact";
import { PageHeader, type PageHeaderProps } from "../../layout/page-header.tsx";
import { DangerLink, type DangerLinkProps } from "../ui/danger-link.tsx";
import { Info } from "../ui/info.tsx";
import { Notice } from "../ui/notice.tsx";

interface ComponentHeadProps extends Pick<PageHeaderProps, "title" | "trail"> {
  /** What the page is about within a sentence: `the queue`. */
  name: string;
  /** Whether the store has it. */
  present: boolean;
  /** What it is, in one or more sentences. */
  children: ComponentChildren;
  /** Links to previews of what removes its data. */
  removals: readonly Omit<DangerLinkProps, "readOnly">[];
  readOnly: boolean;
}

/** Head of a page about a component of the app, or about what a component stores. */
export function ComponentHead({ title, trail, name, present, children, removals, readOnly }: ComponentHeadProps) {
  return (
    <>
      <PageHeader
        title={title}
        trail={trail}
        actions={removals.map((removal) => <DangerLink key={removal.href} {...removal} readOnly={readOnly} />)}
      >
        <Info about={name}>{children}</Info>
      </PageHeader>
      {!present && (
        <Notice tone="warn">
          {`${name.replace(/^./, (first) => first.toUpperCase())} is not in this store: the app keeps it in memory, or in a store that this monitor does not read.`}
        </Notice>
      )}
    </>
  );
}
