import { NAV_GROUPS, type NavKey, offered } from "../../src/presentation/nav-entries.ts";
import { useLinks } from "../links.ts";

interface NavigationProps {
  current: NavKey | null;
  figures: boolean;
  /** The app whose errors the browser can notify about; null if there is none. */
  app: string | null;
}

/** The list of pages. A column on wide screens; on narrow ones a popover that the header's menu button opens without scripts. */
export function Navigation({ current, figures, app }: NavigationProps) {
  const links = useLinks();
  return (
    <nav id="navigation" class="navigation" aria-label="Pages" popover="auto">
      {NAV_GROUPS.map((group) => (
        <div key={group.label} class="nav-group">
          <p class="nav-group-label" id={`nav-${group.label.toLowerCase()}`}>
            {group.label}
          </p>
          <ul aria-labelledby={`nav-${group.label.toLowerCase()}`}>
            {offered(group.entries, figures).map((entry) => (
              <li key={entry.key}>
                <a
                  class="nav-link"
                  href={links.keeping(entry.href(links))}
                  aria-current={entry.key === current ? "page" : undefined}
                  data-letter={entry.letter}
                >
                  {entry.label}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div class="nav-foot needs-script">
        <label class="switch">
          <span>Theme</span>
          <select id="theme-switch">
            <option value="system">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <label class="switch" title="How pages show instants. Charts and filters stay in UTC.">
          <span>Times</span>
          <select id="times-switch">
            <option value="mixed">Mixed</option>
            <option value="utc">UTC</option>
            <option value="local">Local</option>
            <option value="ages">Ages</option>
          </select>
        </label>
        {app !== null && (
          <button
            class="button"
            type="button"
            id="alarm"
            data-verdicts={links.verdicts()}
            aria-pressed="false"
            title="Notify me in this browser when an error appears"
          >
            Alarm
          </button>
        )}
      </div>
    </nav>
  );
}
