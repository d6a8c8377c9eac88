import type { ComponentChildren } from "preact";
import type { StatusAt } from "../../src/api/health.ts";
import type { FilterChoices } from "../../src/api/invocations.ts";
import type { Timeline } from "../../src/api/timeline.ts";
import { LANES } from "../../src/api/words.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, duration, instant } from "../../src/presentation/text.ts";
import { OCCUPANCY_GROUPS } from "../../src/pynenc/occupancy.ts";
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { OccupancyGeometry } from "../../src/timeline/occupancy.ts";
import { idsOf, invocationFilters, RareFields, SearchField } from "../fragments/invocations/invocation-filters.tsx";
import { StatusesThen } from "../fragments/invocations/statuses-then.tsx";
import { CategoryName, Occupancy, QueueKey } from "../fragments/timeline/occupancy.tsx";
import { TimeSlider } from "../fragments/timeline/time-slider.tsx";
import { TimelineLegend } from "../fragments/timeline/timeline-legend.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type ActiveFilter, Chips } from "../fragments/ui/filter-bar.tsx";
import { FilterForm, HiddenField, NumberField, SwitchField } from "../fragments/ui/filter-form.tsx";
import { FoldedNotes } from "../fragments/ui/folded-notes.tsx";
import { Time, TimeZone } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, NO_WINDOW, type PageQuery } from "../query.ts";
import { naive } from "../svg/numbers.ts";
import { StuckAxis, TimelineSvg } from "../svg/timeline.tsx";
import type { View } from "./view.ts";

export interface TimelineModel {
  timeline: Timeline;
  geometry: TimelineGeometry;
  occupancy: OccupancyGeometry | null;
  /** Everything that is stored, where the window is a small part of it; otherwise null. */
  overview: OccupancyGeometry | null;
  choices: FilterChoices;
  /** The query as the form shows it. */
  form: PageQuery;
  /** The statuses at the earlier instant whose state is shown; null for now. */
  statuses: StatusAt | null;
}

const SAVED: readonly (readonly [format: string, name: string, title?: string])[] = [
  ["svg", "SVG"],
  ["trace", "Chrome trace", "Trace events: opens in Perfetto and speedscope"],
  ["json", "JSON"],
];

/** Placed above the refreshed part, so that a refresh leaves half-typed filters alone. */
export function TimelineHeader({ model: { timeline, choices, form }, query, path }: View<TimelineModel>) {
  const links = useLinks();
  const filters = activeFilters(timeline, query, links);
  const exported = { ...query, ...NO_WINDOW, ...windowOf(timeline) };
  return (
    <>
      <PageHeader
        title="Timeline"
        actions={
          <>
            <details class="menu menu-right filter-more">
              <summary>More</summary>
              <div class="menu-panel">
                <FilterForm path={path} clearHref={filters.length === 0 ? undefined : links.timeline()}>
                  <Fields timeline={timeline} choices={choices} query={form} />
                </FilterForm>
              </div>
            </details>
            <span class="muted">Save as</span>
            {SAVED.map(([format, name, title]) => (
              <a key={format} class="button" href={links.timeline({ ...exported, format })} title={title}>
                {name}
              </a>
            ))}
          </>
        }
      />
      <Chips filters={filters} />
    </>
  );
}

function Fields({
  timeline: { filter, options },
  choices,
  query,
}: Pick<TimelineModel, "timeline" | "choices"> & { query: PageQuery }) {
  return (
    <>
      <fieldset class="row">
        <legend class="visually-hidden">Show</legend>
        <SwitchField name="show_system" label="pynenc's own tasks" on={options.show_system} />
        <SwitchField name="show_atomic_service" label="Atomic service" on={options.show_atomic_service} />
        <SwitchField
          name="collapse_external"
          label="Merge external callers into one lane, and one-shot workers into another"
          on={options.collapse_external}
        />
      </fieldset>
      <SearchField query={query} />
      <RareFields filter={filter} choices={choices} query={query} />
      <NumberField
        name="limit"
        label="Invocations drawn"
        value={lastValue(query, "limit") === "" ? null : options.limit}
        min={1}
        max={5000}
        hint="Default 500; the rest are columns"
      />
      {["group", "histogram_status"].map((name) => (
        <HiddenField key={name} name={name} value={lastValue(query, name)} />
      ))}
      <HiddenField name="inv_ids" value={idsOf(query)} />
      {options.open.map((name) => (
        <HiddenField key={name} name="open" value={name} />
      ))}
      <HiddenField name="selected" value={options.selected} />
      <HiddenField name="focus_event" value={options.focus_event} />
    </>
  );
}

/** Every restriction with the address of the same timeline without it. The window is not among them: the header shows and changes it. */
function activeFilters({ filter }: Timeline, query: PageQuery, links: Links): ActiveFilter[] {
  return invocationFilters(filter, query, (changes) => links.timeline({ ...query, ...changes }), []);
}

function windowOf({ start, end }: Pick<Timeline, "start" | "end">) {
  return { start_date: naive(start), end_date: naive(end) };
}

/** Addresses of the same timeline with another window. */
function useWindows(query: PageQuery) {
  const links = useLinks();
  return (window: { start_date: string; end_date: string }) => links.timeline({ ...query, ...NO_WINDOW, ...window });
}

export function TimelineContent(view: View<TimelineModel>) {
  const links = useLinks();
  const { timeline, geometry, occupancy, overview } = view.model;
  const { start, end, options } = timeline;
  const zoomed = useWindows(view.query);
  const words = `Timeline from ${instant(start)} to ${instant(end)} UTC, ${summary(timeline)}`;
  return (
    <>
      <Moves {...view} />
      {timeline.at !== null && <StatusesThen statuses={view.model.statuses} />}
      <FoldedNotes notes={timeline.notes} />
      {isEmpty(geometry) ? (
        <Card title="Timeline">
          <NothingHere {...view} />
        </Card>
      ) : (
        <section class="card card-flush" id="card-timeline" aria-label="Timeline">
          <div class="card-body">
            <div class="timeline-head">
              {overview !== null && <Occupancy occupancy={overview} zoomed={zoomed} />}
              <TimeSlider timeline={timeline} path={view.path} query={view.query} now={view.now} />
              <StuckAxis geometry={geometry}>
                {occupancy !== null && <QueueKey occupancy={occupancy} zoomed={zoomed} />}
              </StuckAxis>
              {occupancy !== null && (
                <Occupancy occupancy={occupancy} zoomed={zoomed}>
                  <Categories {...view} />
                </Occupancy>
              )}
            </div>
            <TimelineSvg
              geometry={geometry}
              label={words}
              selected={[options.selected, options.focus_event]}
              sliceHref={zoomed}
              opening={{ open: options.open, href: (open) => links.timeline({ ...view.query, open: [...open] }) }}
              axisAbove
            />
            <p class="card-note muted needs-script">Drag to zoom, drag the axis to move. ? shows all keys.</p>
          </div>
        </section>
      )}
    </>
  );
}

function isEmpty({ strands, services, markers, cells }: TimelineGeometry): boolean {
  return strands.length + services.length + markers.length + cells.length === 0;
}

function title({ counts }: Timeline): string {
  const { total } = counts.invocations;
  if (total === null) return `${counts.changes.exact ? "" : "About "}${count(counts.changes.total)} status changes`;
  return `${count(total)} ${total === 1 ? "invocation" : "invocations"}`;
}

function summary({ counts }: Timeline): string {
  return `${count(counts.invocations.drawn)} invocations, ${count(counts.events.drawn)} events drawn`;
}

/** What is shown and where one can go from here: every step is an address. */
function Moves(view: View<TimelineModel>) {
  const links = useLinks();
  const { model, query } = view;
  const { timeline, geometry } = model;
  const { moves, start, end } = timeline;
  const to = useWindows(query);
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  const steps = [
    ["Earlier", "←", "earlier", moves.earlier],
    ["Zoom in", "+", "zoom-in", moves.zoom_in],
    ["Zoom out", "−", "zoom-out", moves.zoom_out],
    ["Later", "→", "later", moves.later],
  ] as const;
  const { extent } = geometry;
  return (
    <div
      class="timeline-moves row"
      data-start={naive(start)}
      data-end={naive(end)}
      data-preset={timeline.preset ?? undefined}
      data-invocations={links.invocations()}
      data-events={links.events()}
      data-trigger-runs={links.triggerRuns()}
    >
      {!isEmpty(geometry) && <h2>{title(timeline)}</h2>}
      <p class="timeline-window">
        <Time iso={start} /> <span class="muted">to</span> <Time iso={end} clock={start} />{" "}
        <span class="muted">
          <TimeZone /> ({duration(seconds)})
        </span>
      </p>
      <div class="actions">
        <Choices {...view} />
        {!isEmpty(geometry) && (
          <details class="menu menu-right">
            <summary>Legend</summary>
            <div class="menu-panel timeline-key">
              <TimelineLegend geometry={geometry} />
            </div>
          </details>
        )}
        <nav class="row" aria-label="Window of the timeline">
          {steps.map(([name, sign, move, window]) => (
            <a key={move} class="button" href={to(window)} data-move={move} aria-label={name} title={name}>
              {sign}
            </a>
          ))}
          {extent !== null && extent.start < extent.end && (
            <a class="button" href={to(windowOf(extent))} data-move="fit" title="Fit what is drawn (f)">
              Fit
            </a>
          )}
          {moves.all !== null && (
            <a class="button" href={to(moves.all)} data-move="all" title="Everything that is stored">
              All
            </a>
          )}
        </nav>
      </div>
    </div>
  );
}

function NothingHere({ model: { timeline }, query }: View<TimelineModel>) {
  const links = useLinks();
  const { data_span, moves, filtered } = timeline;
  const to = useWindows(query);
  if (data_span === null || moves.latest === null || moves.all === null) {
    return (
      <Empty title="Nothing to draw">
        No status change is stored. Invocations appear here as soon as a task is called.
      </Empty>
    );
  }
  return (
    <Empty title={filtered ? "Nothing in this window matches" : "Nothing is recorded in this window"}>
      <p>
        The latest status change of the app was at <Time iso={data_span.last} />, the first at{" "}
        <Time iso={data_span.first} />.
      </p>
      <p>
        <a href={to(moves.latest)}>Show the latest</a> or <a href={to(moves.all)}>everything</a>
        {filtered && (
          <>
            , or{" "}
            <a href={links.timeline({ start_date: naive(timeline.start), end_date: naive(timeline.end) })}>
              this window without the filter
            </a>
          </>
        )}
        .
      </p>
    </Empty>
  );
}

interface Way {
  words: ComponentChildren;
  on: boolean;
  /** Null where nothing else can be chosen. */
  changes: PageQuery | null;
  title?: string;
}

/** Ways to draw the same window, marked where they are the one that is shown. */
function Ways({ ways, query }: { ways: readonly Way[]; query: PageQuery }) {
  const links = useLinks();
  return (
    <>
      {ways.map(({ words, on, changes, title }, index) => (
        <a
          key={String(index)}
          class={on ? "mark mark-info" : "mark"}
          aria-current={on ? "true" : undefined}
          {...(changes !== null && { href: links.timeline({ ...query, ...changes }) })}
          title={title}
        >
          {words}
        </a>
      ))}
    </>
  );
}

/** What a lane is; and whether every lane has bars, where there is a choice. */
function Choices({ model: { timeline, geometry }, query }: View<TimelineModel>) {
  const links = useLinks();
  const { group, open } = timeline.options;
  const all = open.includes("*");
  const lanes = LANES.map((one) => ({
    words: one,
    on: one === group,
    changes: { group: one === "runner" ? [] : [one] },
    title: `A lane for each ${one}`,
  }));
  return (
    <>
      <span class="row">
        <span class="muted">Lanes by</span>
        <Ways ways={lanes} query={query} />
      </span>
      {(all || geometry.lanes.some((lane) => lane.closed)) && (
        <a
          class={all ? "button mark-info" : "button"}
          aria-current={all ? "true" : undefined}
          href={links.timeline({ ...query, open: all ? [] : ["*"] })}
          title={
            all
              ? "Draw lanes whose bars cannot be read as columns again"
              : "Draw each invocation as a bar where there are columns now"
          }
        >
          Bars
        </a>
      )}
    </>
  );
}

/** Which statuses count as being at work: at least one does. */
function Categories({ model, query }: View<TimelineModel>) {
  const chosen = model.timeline.options.categories;
  const ways = OCCUPANCY_GROUPS.map((category) => {
    const others = OCCUPANCY_GROUPS.filter((name) => chosen.includes(name) !== (name === category)).join(",");
    return {
      words: <CategoryName category={category} />,
      on: chosen.includes(category),
      changes: others === "" ? null : { histogram_status: [others] },
    };
  });
  return (
    <span class="row">
      <span class="visually-hidden">Counted in the chart:</span>
      <Ways ways={ways} query={query} />
    </span>
  );
}
