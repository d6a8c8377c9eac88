import { visibleLine } from "../../../src/presentation/text.ts";
import { statusInfo } from "../../../src/pynenc/statuses.ts";
import { statusClass } from "../../assets/status-css.ts";
import { Count } from "../ui/count.tsx";

export interface StatusLinksProps {
  counts: readonly { status: string; count: number; href: string; capped?: boolean; current?: boolean }[];
  /** What is counted, read out: `Invocations of tasks.add by status`. */
  label: string;
  /** In front: the counts are those of other lists than the one below. */
  choice?: boolean;
}

/** Counts by status in one line, each a link to its invocations. `StatusCounts` is the large form. */
export function StatusLinks({ counts, label, choice = false }: StatusLinksProps) {
  return (
    <ul class="status-links" aria-label={label}>
      {choice && <li class="muted">Show only</li>}
      {counts.map(({ status, count, href, capped, current }) => (
        <li key={status}>
          <a
            href={href}
            class={`status-link ${statusClass(status)}`}
            title={current === true ? "Remove this filter" : statusInfo(status).meaning}
            aria-current={current === true ? "true" : undefined}
          >
            <span class="status-dot" />
            <span>{visibleLine(status) || "(empty)"}</span>
            <Count value={count} capped={capped} />
          </a>
        </li>
      ))}
    </ul>
  );
}
