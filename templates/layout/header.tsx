import { instant, visibleLine } from "../../src/presentation/text.ts";
import { useLinks } from "../links.ts";
import { AppSwitcher } from "./app-switcher.tsx";
import { KeptParameters } from "./kept-parameters.tsx";
import type { PageContext } from "./page-context.ts";
import { TimeRange } from "./time-range.tsx";

/** Top bar: app and store, search, time range and live refresh. */
export function Header({ page }: { page: PageContext }) {
  const links = useLinks();
  return (
    <header class="header">
      <button class="button quiet menu-button" type="button" popovertarget="navigation">
        Menu
      </button>
      <a class="brand" href={links.keeping(links.dashboard())}>
        <img src={links.asset("icon.svg")} alt="" width="22" height="22" />
        <span class="brand-name">pynenc monitor</span>
      </a>
      <AppSwitcher app={page.app} apps={page.apps} path={page.path} />
      <bdi class="store-location" title={visibleLine(page.location)}>
        {lastParts(visibleLine(page.location))}
      </bdi>
      {page.read_only && (
        <span class="mark mark-info" title="Actions that change stored data are refused">
          read-only
        </span>
      )}
      {page.clock_fixed && (
        <span class="mark mark-warn" title={`Ages are relative to ${instant(page.now)} UTC, not to the current time`}>
          clock fixed
        </span>
      )}
      <div class="header-tools">
        <search aria-label="Search everything">
          <form class="go-to" action={links.formAction("/search")} method="get">
            <KeptParameters />
            <div class="completed">
              <input
                type="text"
                name="q"
                id="go-to"
                placeholder="Find id or name"
                aria-label="Id, name, log line or search for invocations"
                autocomplete="off"
                spellcheck={false}
                data-completions={links.queryCompletion()}
                required
              />
            </div>
            <button class="button" type="submit">
              Find
            </button>
          </form>
        </search>
        {page.time !== null && <TimeRange time={page.time} />}
        {page.live && <LiveSwitch />}
        <button class="button quiet needs-script" type="button" id="keys-button" aria-label="Keyboard shortcuts">
          ?
        </button>
      </div>
    </header>
  );
}

function LiveSwitch() {
  return (
    <div class="live needs-script">
      <label class="switch" title="How often this page refreshes">
        <span class="live-dot" id="live-dot" />
        <span>Live</span>
        <select id="live-switch">
          <option value="0">Off</option>
          <option value="2">2 s</option>
          <option value="5">5 s</option>
          <option value="15">15 s</option>
        </select>
      </label>
      <button
        class="button quiet"
        type="button"
        id="live-pause"
        aria-pressed="false"
        title="Stop refreshing this page (p)"
      >
        Pause
      </button>
    </div>
  );
}

/** The end of a path, which identifies the file better than its beginning. Title and footer have the full path. */
function lastParts(location: string): string {
  const parts = location.split("/");
  return parts.length > 3 && !location.includes("://") ? `…/${parts.slice(-2).join("/")}` : location;
}
