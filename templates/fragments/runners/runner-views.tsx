import { useLinks } from "../../links.ts";
import { Switcher } from "../ui/switcher.tsx";

/** The views of Runners. */
export function RunnerViews({ current }: { current: "active" | "all" | "service" }) {
  const links = useLinks();
  return (
    <Switcher
      label="Views of runners"
      current={current}
      choices={[
        { value: "active", label: "Active", href: links.runners() },
        { value: "all", label: "All recorded", href: links.runners({ show: "all" }) },
        { value: "service", label: "Atomic service", href: links.atomicTimeline() },
      ]}
    />
  );
}
