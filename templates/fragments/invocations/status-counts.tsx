import { Count } from "../ui/count.tsx";
import { ShareBar } from "../ui/share-bar.tsx";
import { StatusBadge } from "./status-badge.tsx";

export interface StatusCount {
  status: string;
  count: number;
  /** To the invocations in this status. */
  href: string;
}

export interface StatusCountsProps {
  counts: readonly StatusCount[];
  /** Names the bar; false leaves the bar out. */
  bar?: string | false | undefined;
}

/** How many invocations are in each status, as a bar and as links. */
export function StatusCounts({ counts, bar = "Invocations by status" }: StatusCountsProps) {
  return (
    <div class="status-counts">
      {bar !== false && <ShareBar label={bar} shares={counts} />}
      <ul>
        {counts.map((entry) => (
          <li key={entry.status}>
            <a href={entry.href} class={entry.count === 0 ? "status-count none" : "status-count"}>
              <StatusBadge status={entry.status} />
              <Count value={entry.count} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
