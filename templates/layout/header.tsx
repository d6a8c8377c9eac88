import { EVERYDAY_WORDS } from "../../src/presentation/nav-entries.ts";
import { instant } from "../../src/presentation/text.ts";
import { useLinks } from "../links.ts";
import { AppMenu } from "./app-menu.tsx";
import { Icon } from "./icon.tsx";
import { KeptParameters } from "./kept-parameters.tsx";
import { ProblemCount } from "./navigation.tsx";
import type { PageContext, Permalink } from "./page-context.ts";
import { TimeMenu } from "./time-menu.tsx";

/** Top bar: app and store, search, time range, live refresh, problems, and what a viewer sets. */
export function Header({ page }: { page: PageContext }) {
  const links = useLinks();
  return (
    <header class="header">
      <button class="button menu-button" type="button" popovertarget="navigation" aria-label="Menu">
        <Icon name="menu" />
      </button>
      <a class="brand" href={links.keeping(links.dashboard())} title="pynenc monitor">
        <img src={links.asset("icon.svg")} alt="pynenc monitor" width="22" height="22" />
      </a>
      <AppMenu page={page} />
      {page.read_only && (
        <span class="mark mark-info" title="Actions that change stored data are refused">
          read-only
        </span>
      )}
      {page.clock_fixed && (
        <span
          class="mark mark-warn"
          title={`For this monitor it is always ${instant(page.now)} UTC: ages and ranges of time count back from there`}
        >
          frozen at {instant(page.now).slice(11, 16)}
        </span>
      )}
      <div class="header-tools">
        <search aria-label="Search everything">
          <form class="go-to" action={links.formAction("/search")} method="get">
            <KeptParameters />
            <button class="button quiet" type="submit" aria-label="Find">
              <Icon name="search" />
            </button>
            <input
              type="text"
              name="q"
              id="go-to"
              placeholder="Find"
              aria-label="Id, name, page, log line or search for invocations"
              autocomplete="off"
              spellcheck={false}
              data-completions={links.queryCompletion()}
              required
            />
            <kbd class="needs-script" title="/ or Ctrl K">
              /
            </kbd>
          </form>
        </search>
        {page.app !== null && <TimeMenu time={page.time} />}
        {page.live && <LiveSwitch fixed={page.clock_fixed} />}
        {page.app !== null && <Bell problems={page.problems} past={page.past !== null} />}
        {page.permalink !== null && <CopyLink permalink={page.permalink} button />}
        <Settings permalink={page.permalink} />
      </div>
    </header>
  );
}

/** Interval and pause in one: what is chosen is the state. Off while the clock is fixed, because ages and ranges would stay behind what is stored. */
function LiveSwitch({ fixed }: { fixed: boolean }) {
  if (fixed) {
    return (
      <label
        class="live"
        title="Off because the time is frozen: ages and ranges of time would not move on. r refreshes once"
      >
        <span class="live-dot" id="live-dot" />
        <select id="live-switch" aria-label="Live refresh" disabled>
          <option value="0">Live off</option>
        </select>
      </label>
    );
  }
  return (
    <label class="live needs-script" title="How often this page refreshes; p pauses it">
      <span class="live-dot" id="live-dot" />
      <select id="live-switch" aria-label="Live refresh" data-words={EVERYDAY_WORDS.live}>
        <option value="2">Live 2 s</option>
        <option value="5">Live 5 s</option>
        <option value="15">Live 15 s</option>
        <option value="paused">Paused</option>
        <option value="0">Live off</option>
      </select>
    </label>
  );
}

/** What is wrong now, on every page, also of the past. Without scripts it is a link to the list; client/alarm.ts fills and refreshes it. */
function Bell({ problems, past }: Pick<PageContext, "problems"> & { past: boolean }) {
  const links = useLinks();
  const label = past ? "Problems now" : "Problems";
  return (
    <details class="menu menu-icon" id="bell" data-verdicts={links.verdicts()}>
      <summary data-label={label} aria-label={problems?.number ? `${label} ${problems.number}` : label} title={label}>
        <Icon name="bell" />
        <ProblemCount problems={problems} />
      </summary>
      <div class="menu-panel">
        <ul id="ringing">
          <li>
            <a href={links.dashboard()}>See what is wrong now</a>
          </li>
        </ul>
        <label class="check needs-script">
          <input type="checkbox" id="alarm" data-words={EVERYDAY_WORDS.alarm} />
          <span>Notify me of new problems</span>
        </label>
        <div class="check needs-script">
          <select id="alarm-level" aria-label="Problems to notify of">
            <option value="error">errors only</option>
            <option value="warning">errors and warnings</option>
          </select>
          <button type="button" class="button" id="alarm-test">
            Test
          </button>
        </div>
        <p class="menu-heading needs-script" id="alarm-note">
          Works while this tab stays open.
        </p>
      </div>
    </details>
  );
}

/** Beside the settings if there is room, else among them (`.copy-link`). */
function CopyLink({ permalink: { href, moving }, button = false }: { permalink: Permalink; button?: boolean }) {
  return (
    <a
      class={button ? "button copy-link" : "copy-link"}
      href={href}
      data-moving={moving ? "" : undefined}
      data-words={EVERYDAY_WORDS.link}
    >
      <span class="needs-script">Copy link</span>
      <span class="without-script">Link to this page</span>
    </a>
  );
}

function Settings({ permalink }: Pick<PageContext, "permalink">) {
  return (
    <details class="menu menu-icon" id="settings">
      <summary aria-label="Settings">
        <Icon name="more" />
      </summary>
      <div class="menu-panel">
        {permalink !== null && <CopyLink permalink={permalink} />}
        <label class="switch needs-script">
          <span>Theme</span>
          <select id="theme-switch" data-words={EVERYDAY_WORDS.theme}>
            <option value="system">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <label class="switch needs-script" title="How pages show instants. Charts and filters stay in UTC.">
          <span>Times</span>
          <select id="times-switch" data-words={EVERYDAY_WORDS.times}>
            <option value="mixed">Ages in lists</option>
            <option value="utc">UTC</option>
            <option value="local">Local</option>
            <option value="ages">Ages</option>
          </select>
        </label>
        <button class="button quiet needs-script" type="button" id="keys-button" data-words={EVERYDAY_WORDS.keys}>
          Keyboard shortcuts
        </button>
      </div>
    </details>
  );
}
