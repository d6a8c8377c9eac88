import { useContext } from "preact/hooks";
import { STATS_LENGTH } from "../../src/api/words.ts";
import type { Links, Query } from "../../src/presentation/links.ts";
import { presetWords, rangeWords, TIME_PRESETS } from "../../src/presentation/time-range.ts";
import { TodayContext, useLinks } from "../links.ts";
import { lastValue, NO_WINDOW, type PageQuery } from "../query.ts";
import { Icon } from "./icon.tsx";
import { KeptParameters } from "./kept-parameters.tsx";
import type { TimeControl } from "./page-context.ts";

/** What part of the past the page shows, and which instant. Both are part of the address, and links keep them. @param time null if the page shows neither */
export function TimeMenu({ time }: { time: TimeControl | null }) {
  const links = useLinks();
  const range = useRangeWords(time ?? NO_BOUNDS);
  const words = time?.applies ? range : links.at === null || !time?.goes_back ? "Now" : "Then";
  const label = (
    <>
      <Icon name="clock" />
      <span class="visually-hidden">Time</span>
      <bdi class="cut">{words}</bdi>
    </>
  );
  if (!time?.applies && !time?.goes_back) {
    return (
      <button type="button" class="button time-range" id="time-range" disabled title={NO_RANGE}>
        {label}
      </button>
    );
  }
  return (
    <details class="menu time-range" id="time-range">
      <summary title="Which time this page shows">{label}</summary>
      <div class="menu-panel stack">
        {time.goes_back && <Instant time={time} />}
        {time.applies && <Range time={time} />}
      </div>
    </details>
  );
}

const NO_BOUNDS = { start: null, end: null, preset: "" };

const NO_RANGE = "This page takes no range of time: it shows what is stored now";

/** The range of figures for links to lists, which show all time by themselves: as chosen, so that it goes on with the time; exact in the past. */
export function useRangeOf({ from, to }: { from: string; to: string }): Query {
  const { at, timeRange } = useLinks();
  if (at !== null) return { from, to };
  return Object.keys(timeRange).length > 0 ? timeRange : { range: STATS_LENGTH };
}

/** The range of figures beside what is shown of all time: `timed` of such a page. @param figures null while they are not known */
export function figuresRange(figures: { from: string; to: string } | null) {
  return { start: figures?.from ?? null, end: figures?.to ?? null, preset: STATS_LENGTH };
}

/** What every page calls a range: `Last hour`, `13:45 to 14:46`, `All time`. */
export function useRangeWords(shown: Pick<TimeControl, "start" | "end" | "preset">): string {
  const today = useContext(TodayContext);
  return presetWords(presetOf(shown, useLinks())) || rangeWords(shown.start, shown.end, today);
}

/** The length of time that was chosen, or that the page shows by itself. */
function presetOf({ preset }: Pick<TimeControl, "preset">, links: Links): string {
  const kept = links.timeRange as PageQuery;
  const bounded = lastValue(kept, "from") + lastValue(kept, "to") !== "";
  return bounded ? "" : lastValue(kept, "range").toLowerCase() || preset;
}

function Range({ time }: { time: TimeControl }) {
  const links = useLinks();
  const forms = useForms();
  const { path, start, end } = time;
  const query = { ...time.query, ...NO_WINDOW, page: undefined, after: undefined };
  const chosen = Object.keys(links.timeRange).length === 0 ? null : presetOf(time, links);
  return (
    <>
      <ul class="time-presets">
        {Object.entries(TIME_PRESETS).map(([range, words]) => (
          <li key={range}>
            <a href={links.current(path, { ...query, range })} aria-current={range === chosen ? "true" : undefined}>
              {words}
            </a>
          </li>
        ))}
        <li>
          <a href={links.current(path, query)} aria-current={chosen === null ? "true" : undefined}>
            {time.open ? "All time" : "Default of this page"}
          </a>
        </li>
      </ul>
      <form class="time-form stack" action={links.formAction(path)} method="get">
        <KeptParameters time={false} />
        <HiddenFields query={query} />
        <label for="time-from">From (UTC)</label>
        <input type="text" id="time-from" name="from" value={fieldText(start)} placeholder={forms} autocomplete="off" />
        <label for="time-to">To (UTC)</label>
        <input type="text" id="time-to" name="to" value={fieldText(end)} placeholder={forms} autocomplete="off" />
        <button class="button primary" type="submit">
          Apply
        </button>
      </form>
    </>
  );
}

function Instant({ time: { path, query } }: { time: TimeControl }) {
  const links = useLinks();
  const forms = useForms();
  return (
    <form class="time-form stack" action={links.formAction(path)} method="get">
      <KeptParameters then={false} />
      <HiddenFields query={{ ...query, ...NO_WINDOW, at: undefined, page: undefined, after: undefined }} />
      <label for="time-at">As of (UTC)</label>
      <input
        type="text"
        id="time-at"
        name="at"
        value={fieldText(links.at)}
        placeholder={forms}
        autocomplete="off"
        required
      />
      <button class="button" type="submit">
        Go back in time
      </button>
    </form>
  );
}

function HiddenFields({ query }: { query: PageQuery }) {
  const fields = Object.entries(query).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value })),
  );
  return (
    <>
      {fields.map(({ name, value }) => (
        <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** What the fields accept, by the clock of the page. */
function useForms(): string {
  return `2h, yesterday, ${useContext(TodayContext)} 00:00`;
}

/** `2026-11-21 00:34:40.25`: as the fields read it, UTC. */
function fieldText(iso: string | null): string {
  if (iso === null) return "";
  return iso
    .slice(0, 26)
    .replace("T", " ")
    .replace(/\.?0+$/, "");
}
