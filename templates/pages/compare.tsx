import type { ComponentChildren } from "preact";
import type { ComparedDifference, Comparison } from "../../src/api/compare.ts";
import {
  baselineName,
  COULD_BE_CHANCE,
  differenceFigure,
  differenceName,
  nothingChosen,
  sideFigure,
  sideSize,
  whatItMeans,
} from "../../src/presentation/comparison.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { invocationFilters, SearchField } from "../fragments/invocations/invocation-filters.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterBar } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, TextField } from "../fragments/ui/filter-form.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useRangeWords } from "../layout/time-menu.tsx";
import { useLinks } from "../links.ts";
import { lastValue, NO_WINDOW, type PageQuery } from "../query.ts";
import { Proportion } from "../svg/proportion.tsx";
import type { Page, View } from "./view.ts";

/** Parameters that have a field of their own, and the range of the header. */
const FIELDS: readonly string[] = ["q", "with", ...Object.keys(NO_WINDOW)];

/** Placed above the refreshed part, so that a refresh leaves a half-typed field alone. */
export function CompareHeader({ model, query, path }: View<Comparison>) {
  const links = useLinks();
  const kept = Object.entries(query).flatMap(([name, values]) =>
    FIELDS.includes(name) ? [] : (values ?? []).map((value) => ({ name, value })),
  );
  return (
    <>
      <PageHeader
        title="Compare"
        actions={
          <>
            <a class="button" href={links.diff()}>
              Two runs side by side
            </a>
            {!nothingChosen(model) && (
              <a class="button" href={links.invocations(selectionOf(query))}>
                List the selection
              </a>
            )}
          </>
        }
      >
        <Info about="comparing">
          <p>
            What differs between some invocations, chosen by a search, and others. Times are those of all attempts of an
            invocation together.
          </p>
        </Info>
      </PageHeader>
      <FilterBar
        path={path}
        clearHref={nothingChosen(model) ? undefined : links.compare()}
        filters={invocationFilters(
          model.here.filter,
          query,
          (changes) => links.current(path, { ...query, ...changes }),
          [],
        )}
      >
        <SearchField query={query} />
        <TextField
          name="with"
          label="Compare with"
          value={lastValue(query, "with")}
          placeholder={model.with}
          help={<p>rest: all others in the range; before: the same in the preceding range; or another search</p>}
          code
        />
        {kept.map(({ name, value }) => (
          <HiddenField key={`${name}=${value}`} name={name} value={value} />
        ))}
      </FilterBar>
    </>
  );
}

/** What differs between a selection and a baseline, the greatest difference first. */
export function CompareContent(view: View<Comparison>) {
  const { model } = view;
  if (nothingChosen(model)) return <NothingSelected />;
  const compared = model.here.compared > 0 && model.there.compared > 0;
  return (
    <>
      {model.here.compared + model.there.compared > 0 && <Sides model={model} />}
      <Notes notes={model.notes} />
      {compared && (
        <Card
          title="Differences"
          flush
          actions={
            <Info about="differences">
              <p>{whatItMeans(model)}</p>
              {model.left_out.length > 0 && (
                <p>Not compared, because the selection was chosen by it: {visibleLine(model.left_out.join(", "))}.</p>
              )}
            </Info>
          }
        >
          {model.differences.length > 0 || model.closest.length === 0 ? (
            <Differences {...view} differences={model.differences} caption="Differences, the greatest first" />
          ) : (
            <>
              <p class="card-note">
                No significant difference. The closest are listed; each{" "}
                <span class="mark mark-warn">{COULD_BE_CHANCE}</span>.
              </p>
              <Differences {...view} differences={model.closest} caption="Differences that could be chance" />
            </>
          )}
        </Card>
      )}
      {model.differences_total > model.differences.length && (
        <p class="muted">{`The greatest ${count(model.differences.length)} of ${count(model.differences_total)} are listed.`}</p>
      )}
    </>
  );
}

/** The filters of the selection. */
function selectionOf({ with: _with, limit: _limit, ...filters }: PageQuery): PageQuery {
  return filters;
}

/** What is compared: how many there are on each side, and how long they took. */
function Sides({ model }: { model: Comparison }) {
  const { from, to } = model.span;
  const range = useRangeWords({ start: from, end: to, preset: "" });
  const changed = from === null && to === null ? "" : `last change: ${range.toLowerCase()}`;
  const selected = visibleLine(model.here.filter.query.join(" "));
  const times = (["run", "wait"] as const).flatMap((measure) => {
    const of = model.medians.find((one) => one.measure === measure);
    const name = measure === "run" ? "Running" : "Waiting";
    const known = "Of those with a known one";
    return [
      { label: `${name} median`, hint: known, here: of?.here.median_seconds, there: of?.there.median_seconds },
      { label: `${name} p95`, hint: known, here: of?.here.p95_seconds, there: of?.there.p95_seconds },
    ];
  });
  const row = (side: "here" | "there", name: string, words: ComponentChildren) => ({
    key: side,
    cells: [
      <div key="side" class="stacked">
        {name}
        <span class="muted">{words}</span>
      </div>,
      sideSize(model[side]),
      ...times.map((time) => <Duration key={time.label} seconds={time[side] ?? null} />),
    ],
  });
  return (
    <Card title="Both sides" flush>
      <DataTable
        caption="How many there are on each side, and how long they took"
        columns={[
          { label: "Side", rowHeader: true, speaking: true, reading: true },
          { label: "Compared", align: "end" },
          ...times.map(({ label, hint }) => ({ label, hint, align: "end" as const })),
        ]}
        rows={[
          row(
            "here",
            "Selected",
            <>
              {selected !== "" && <code>{selected}</code>}
              {selected !== "" && changed !== "" && ", "}
              {changed}
            </>,
          ),
          row("there", "Baseline", visibleLine(baselineName(model))),
        ]}
        empty={null}
      />
    </Card>
  );
}

function Differences({
  differences,
  caption,
  query,
}: View<Comparison> & { differences: readonly ComparedDifference[]; caption: string }) {
  const links = useLinks();
  const longest = Math.max(
    ...differences.flatMap(({ here, there }) => [here.median_seconds ?? 0, there.median_seconds ?? 0]),
  );
  const listed = (term: string) =>
    links.invocations({ ...selectionOf(query), q: `${lastValue(query, "q")} ${term}`.trim() });
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "What", rowHeader: true, speaking: true },
        { label: "Difference", align: "end", hint: "Points of a hundred, or the median run against that of its task" },
        { label: "Selected", hint: "Of those of which it is known: what never ran has no runner" },
        { label: "Baseline", hint: "Of those of which it is known: what never ran has no runner" },
      ]}
      rows={differences.map((difference) => ({
        key: JSON.stringify([difference.measure, difference.values]),
        cells: [
          <What
            key="what"
            difference={difference}
            href={difference.query === null ? null : listed(difference.query)}
          />,
          differenceFigure(difference),
          <SideCell key="here" side={difference.here} longest={longest} />,
          <SideCell key="there" side={difference.there} longest={longest} />,
        ],
      }))}
      empty={<Empty title="No significant difference">Select other invocations, or a longer range.</Empty>}
    />
  );
}

function What({ difference, href }: { difference: ComparedDifference; href: string | null }) {
  const name = visibleLine(differenceName(difference));
  const also = difference.alike.map(({ words }) => visibleLine(words)).join(", ");
  return (
    <div class="stack">
      {href === null ? <span>{name}</span> : <a href={href}>{name}</a>}
      {also !== "" && <span class="muted">{`the same invocations: ${also}`}</span>}
    </div>
  );
}

function SideCell({ side, longest }: { side: ComparedDifference["here"]; longest: number }) {
  const share = side.median_seconds === null ? side.count / side.total : side.median_seconds / longest;
  return (
    <div class="stack">
      <span>{sideFigure(side)}</span>
      <Proportion share={share} />
    </div>
  );
}

function NothingSelected() {
  const links = useLinks();
  return (
    <Empty title="Nothing is selected yet">
      Search for invocations above to compare them with the rest, or choose a time to compare it with the time before.
      For example: <a href={links.compare({ q: "status:failed" })}>what failed</a>,{" "}
      <a href={links.compare({ q: "run>5s" })}>what ran longer than 5 seconds</a>,{" "}
      <a href={links.compare({ range: "1h" })}>the last hour and the one before</a>, or{" "}
      <a href={links.diff()}>a slow run and a fast one</a>.
    </Empty>
  );
}

export const page: Page<Comparison> = {
  region: "compare",
  nav: "compare",
  timed: true,
  still: true,
  title: () => "Compare",
  header: CompareHeader,
  content: CompareContent,
};
