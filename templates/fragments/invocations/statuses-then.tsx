import type { StatusAt } from "../../../src/api/health.ts";
import { count } from "../../../src/presentation/text.ts";
import { StatusBadge } from "./status-badge.tsx";

/** How many invocations of the app were in each status at an instant of the past; nothing for the present. */
export function StatusesThen({ statuses }: { statuses: StatusAt | null }) {
  if (statuses === null) return null;
  if (statuses.statuses === null) {
    return <p class="muted">How many there were in each status is not known: {statuses.why_not}.</p>;
  }
  return (
    <p class="row statuses-then">
      <span class="muted">In the app then:</span>
      {Object.entries(statuses.statuses).map(([status, number]) =>
        number === 0 ? null : (
          <span key={status}>
            <StatusBadge status={status} /> {count(number)}
          </span>
        ),
      )}
    </p>
  );
}
