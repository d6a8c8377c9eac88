import { ShareBar } from "../ui/share-bar.tsx";
import { StatusLinks, type StatusLinksProps } from "./status-links.tsx";

/** How many invocations are in each status, as a bar and as links; statuses without any are left out. */
export function StatusCounts({
  counts,
  label = "Invocations by status",
}: Pick<StatusLinksProps, "counts"> & Partial<StatusLinksProps>) {
  return (
    <div class="stack">
      <ShareBar label={label} shares={counts} />
      <StatusLinks label={label} counts={counts.filter(({ count }) => count > 0)} />
    </div>
  );
}
