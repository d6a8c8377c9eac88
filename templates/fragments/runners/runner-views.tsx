import { useLinks } from "../../links.ts";

/** The views of Runners. */
export function RunnerViews({ current }: { current: "active" | "all" | "service" }) {
  const links = useLinks();
  const views = [
    ["active", "Active", links.runners()],
    ["all", "All recorded", links.runners({ show: "all" })],
    ["service", "Atomic service", links.atomicTimeline()],
  ] as const;
  return (
    <nav class="status-links" aria-label="Views of runners">
      {views.map(([view, label, href]) => (
        <a key={view} class="status-link" href={href} aria-current={view === current ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
