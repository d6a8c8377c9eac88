import type { ComponentChildren } from "preact";
import { NAV_ENTRIES, type NavEntry, type NavKey, offered } from "../../src/presentation/nav-entries.ts";
import { useLinks } from "../links.ts";
import { Icon, isIcon } from "./icon.tsx";
import type { Problems } from "./page-context.ts";

interface NavigationProps {
  current: NavKey | null;
  figures: boolean;
  /** Current problems; null if the page does not know them (client/alarm.ts fills them in). */
  problems: Problems | null;
  /** An instant of the past is looked at: only the bell counts the problems of now. */
  past: boolean;
}

/** The list of pages. A column on wide screens; on narrow ones a popover that the header's menu button opens without scripts. */
export function Navigation({ current, figures, problems, past }: NavigationProps) {
  const entries = offered(NAV_ENTRIES, figures);
  const internals = entries.filter(({ below }) => below === "internals");
  return (
    <nav id="navigation" class="navigation" aria-label="Pages" popover="auto">
      <ul>
        {entries
          .filter(({ below }) => below !== "internals")
          .map((entry) => (
            <NavLink key={entry.key} entry={entry} current={current}>
              {entry.key === "dashboard" && !past && <ProblemCount problems={problems} />}
            </NavLink>
          ))}
      </ul>
      <details class="nav-folded" open={internals.some(({ key }) => key === current)}>
        <summary>Internals</summary>
        <ul>
          {internals.map((entry) => (
            <NavLink key={entry.key} entry={entry} current={current} />
          ))}
        </ul>
      </details>
    </nav>
  );
}

function NavLink({
  entry: { key, label, letter, link },
  current,
  children,
}: {
  entry: NavEntry;
  current: NavKey | null;
  children?: ComponentChildren;
}) {
  const links = useLinks();
  return (
    <li>
      <a
        class="nav-link"
        href={links.keeping(links[link]())}
        aria-current={key === current ? "page" : undefined}
        data-letter={letter}
      >
        {isIcon(key) && <Icon name={key} />}
        {label}
      </a>
      {children}
    </li>
  );
}

/** Empty without problems, and hidden (`.problem-count`). */
export function ProblemCount({ problems }: { problems: Problems | null }) {
  const classes = problems?.error ? "problem-count mark-warn mark-bad" : "problem-count mark-warn";
  return <span class={classes}>{problems?.number || ""}</span>;
}
