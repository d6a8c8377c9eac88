import { useLinks } from "../../links.ts";

/** The two views of the atomic service. */
export function AtomicViews({ current }: { current: "timeline" | "scheduling" }) {
  const links = useLinks();
  return (
    <nav class="switcher" aria-label="Views of the atomic service">
      <a href={links.atomicTimeline()} aria-current={current === "timeline" ? "page" : undefined}>
        Runs
      </a>
      <a href={links.atomicScheduling()} aria-current={current === "scheduling" ? "page" : undefined}>
        Turn schedule
      </a>
    </nav>
  );
}
