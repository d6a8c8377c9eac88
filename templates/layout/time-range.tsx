import { presetWords, TIME_PRESETS } from "../../src/presentation/time-range.ts";
import { useLinks } from "../links.ts";
import { lastValue, NO_WINDOW, type PageQuery } from "../query.ts";
import { Icon } from "./icon.tsx";
import { KeptParameters } from "./kept-parameters.tsx";
import type { TimeControl } from "./page-context.ts";

/** The control for the time range of pages. The choice is part of the address, and navigation links keep it. */
export function TimeRange({ time }: { time: TimeControl }) {
  const links = useLinks();
  const { path, start, end } = time;
  const kept = links.timeRange as PageQuery;
  const query = { ...time.query, ...NO_WINDOW, page: undefined, after: undefined };
  const bounded = lastValue(kept, "from") + lastValue(kept, "to") !== "";
  const preset = bounded ? "" : lastValue(kept, "range").toLowerCase() || time.preset;
  const others = Object.entries(query).flatMap(([name, values]) => (values ?? []).map((value) => ({ name, value })));
  return (
    <details class="menu time-range" id="time-range">
      <summary title="Which part of the past this page shows">
        <Icon name="clock" />
        <span class="visually-hidden">Time</span>
        <bdi class="cut">{presetWords(preset) || rangeWords(time)}</bdi>
      </summary>
      <div class="menu-panel">
        <ul class="time-presets">
          {Object.entries(TIME_PRESETS).map(([range, words]) => (
            <li key={range}>
              <a href={links.current(path, { ...query, range })} aria-current={range === preset ? "true" : undefined}>
                {words}
              </a>
            </li>
          ))}
          <li>
            <a href={links.current(path, query)}>All time</a>
          </li>
        </ul>
        <form class="time-form stack" action={links.formAction(path)} method="get">
          <KeptParameters time={false} />
          {others.map(({ name, value }) => (
            <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
          ))}
          <label for="time-from">From (UTC)</label>
          <input
            type="text"
            id="time-from"
            name="from"
            value={fieldText(start)}
            placeholder={FORM}
            autocomplete="off"
          />
          <label for="time-to">To (UTC)</label>
          <input type="text" id="time-to" name="to" value={fieldText(end)} placeholder={FORM} autocomplete="off" />
          <button class="button primary" type="submit">
            Apply
          </button>
        </form>
      </div>
    </details>
  );
}

const FORM = "2h, yesterday, 2026-11-21 00:34";

/** `2026-11-21 00:34:40.25`: as the fields read it, UTC. */
function fieldText(iso: string | null): string {
  if (iso === null) return "";
  return iso
    .slice(0, 26)
    .replace("T", " ")
    .replace(/\.?0+$/, "");
}

/** Label of the button if no preset was chosen. */
function rangeWords({ start, end }: TimeControl): string {
  const words = (iso: string) => iso.slice(0, 19).replace("T", " ");
  if (start !== null && end !== null) {
    const sameDay = start.slice(0, 10) === end.slice(0, 10);
    return `${words(start)} to ${words(end).slice(sameDay ? "2026-11-21 ".length : 0)}`;
  }
  if (start !== null) return `since ${words(start)}`;
  return end === null ? "All time" : `until ${words(end)}`;
}
