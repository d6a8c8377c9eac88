import type { LogExploration } from "../../src/api/logs.ts";
import { bytes, count, instant, visibleLine } from "../../src/presentation/text.ts";
import { LOG_LEVELS } from "../../src/pynenc/log-levels.ts";
import type { KnownElsewhere } from "../../src/services/logs/known-elsewhere.ts";
import type { LogExplorerInput } from "../../src/services/logs/log-explorer.ts";
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { OccupancyGeometry } from "../../src/timeline/occupancy.ts";
import { LogLineView } from "../fragments/logs/log-line.tsx";
import { LogReferences } from "../fragments/logs/log-references.tsx";
import { Occupancy } from "../fragments/timeline/occupancy.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { pageText } from "../fragments/ui/pager.tsx";
import { Time, TimeZone } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { NO_WINDOW } from "../query.ts";
import { TimelineSvg } from "../svg/timeline.tsx";
import type { View } from "./view.ts";

export interface LogExplorerModel {
  input: LogExplorerInput;
  exploration: LogExploration;
  geometry: TimelineGeometry | null;
  occupancy: OccupancyGeometry | null;
  /** Other apps of the store that know some of the unknown ids. */
  elsewhere: readonly KnownElsewhere[];
  /** Bytes that a log may have. */
  bodyLimit: number;
}

/** Buttons elsewhere on the page send the log along with it. */
const FORM = "log-form";

export function LogExplorerContent({ model }: View<LogExplorerModel>) {
  const { exploration } = model;
  const { totals, notes, timeline } = exploration;
  const nothing = totals.entries === 0;
  return (
    <>
      <PageHeader
        title="Log lookup"
        summary={nothing ? <Purpose reference={model.input.filter.reference} /> : <Summary {...exploration} />}
      />
      <LogForm {...model} />
      <Notes notes={notes} />
      {model.elsewhere.map((other) => (
        <Elsewhere key={other.app_id} {...other} />
      ))}
      {!nothing && (
        <div class="log-explorer stack" data-log-explorer="">
          {timeline !== null && model.geometry !== null && (
            <LogTimeline timeline={timeline} geometry={model.geometry} occupancy={model.occupancy} />
          )}
          <div class={exploration.references.length > 0 ? "log-columns" : undefined}>
            <Lines exploration={exploration} />
            {exploration.references.length > 0 && (
              <Card title="References">
                <LogReferences groups={exploration.references} form={FORM} />
              </Card>
            )}
          </div>
        </div>
      )}
    </>
  );
}

/** Pynenc stores no logs, so they have to come from elsewhere. */
function Purpose({ reference }: Pick<LogExplorerModel["input"]["filter"], "reference">) {
  const links = useLinks();
  if (!reference) return <>Paste log lines of pynenc processes to see what the store knows about the ids in them.</>;
  return (
    <>
      pynenc stores no logs. Paste lines of its processes, or choose a file, to see those that mention{" "}
      <a href={links.search({ q: reference })}>
        <bdi>{visibleLine(reference)}</bdi>
      </a>
      .
    </>
  );
}

/** Sends the log to the same page of another app. */
function Elsewhere({ app_id, words }: KnownElsewhere) {
  const links = useLinks();
  return (
    <Notice tone="info">
      {words} in the app <bdi>{visibleLine(app_id)}</bdi>.{" "}
      <button class="button" type="submit" form={FORM} formAction={links.inApp(app_id).logExplorer()}>
        Look there
      </button>
    </Notice>
  );
}

function Summary({ totals: { entries, levels, others }, period }: LogExploration) {
  const words = Object.entries(levels).map(([level, number]) => `${count(number)} ${level}`);
  return (
    <>
      {count(entries)} {entries === 1 ? "entry" : "entries"}
      {period !== null && (
        <>
          {" "}
          from <Time iso={period.start} /> to <Time iso={period.end} clock={period.start} /> <TimeZone />
        </>
      )}
      : {[...words, ...(others > 0 ? [`${count(others)} of other programs`] : [])].join(", ")}
    </>
  );
}

const LEVELS = [
  { value: "", label: "Any" },
  ...LOG_LEVELS.map((level) => ({ value: level, label: `${level} and above` })),
];

/** The log travels in the body, and comes back in the field: filters and pages work without scripts and nothing is kept here. */
function LogForm({ input: { log, filter }, bodyLimit, exploration }: LogExplorerModel) {
  const links = useLinks();
  const filtered = Object.values(filter).some((value) => value !== null);
  return (
    <form
      id={FORM}
      class="log-form filter-form"
      action={links.logExplorer()}
      method="post"
      enctype="multipart/form-data"
    >
      <div class="field log-field">
        <label for="log">Log lines</label>
        <textarea
          id="log"
          name="log"
          rows={exploration.totals.entries > 0 ? 3 : 8}
          spellcheck={false}
          autocomplete="off"
          wrap="off"
        >
          {`\n${log}`}
        </textarea>
        <p class="field-hint small">
          Text or JSON, with or without colours, at most {bytes(bodyLimit)}. Drop a file here, or choose one:
        </p>
        <input type="file" name="file" aria-label="Log file" />
      </div>
      <SelectField name="level" label="Level" value={filter.level ?? ""} options={LEVELS} />
      <TextField name="text" label="Contains" value={filter.text} />
      <TextField
        name="reference"
        label="Mentions"
        value={filter.reference}
        hint="An id, the start of it, or kind:id"
        code
      />
      <div class="row">
        <button class="button primary" type="submit">
          Look up
        </button>
        {(log !== "" || filtered) && (
          <a class="button quiet" href={links.logExplorer()}>
            Clear
          </a>
        )}
      </div>
    </form>
  );
}

function LogTimeline({
  timeline: { timeline, window, scope, left_out },
  geometry,
  occupancy,
}: {
  timeline: NonNullable<LogExploration["timeline"]>;
  geometry: TimelineGeometry;
  occupancy: OccupancyGeometry | null;
}) {
  const links = useLinks();
  const title = scope === "all" ? "What happened at that time" : "What the lines mention";
  return (
    <section class="card card-flush log-timeline" id="card-log-timeline">
      <div class="card-header">
        <h2>{title}</h2>
        <span class="muted">
          {instant(timeline.start)} to {instant(timeline.end)}
        </span>
        <div class="actions">
          <ButtonLink href={links.timeline(window)}>Open full</ButtonLink>
        </div>
      </div>
      <div class="card-body log-timeline-body">
        {occupancy !== null && !occupancy.single && (
          <Occupancy occupancy={occupancy} zoomed={(part) => links.timeline({ ...window, ...NO_WINDOW, ...part })} />
        )}
        <TimelineSvg
          geometry={geometry}
          label={`Timeline from ${instant(timeline.start)} to ${instant(timeline.end)} UTC`}
          sliceHref={links.timeline}
        />
      </div>
      {left_out > 0 && (
        <p class="card-foot">{count(left_out)} more invocations that the lines mention are not drawn.</p>
      )}
    </section>
  );
}

function Lines({ exploration: { entries, page, totals } }: { exploration: LogExploration }) {
  const matching = page.total ?? 0;
  const title =
    matching === totals.entries
      ? `Lines (${count(matching)})`
      : `Lines (${count(matching)} of ${count(totals.entries)} match)`;
  return (
    <Card title={title} flush>
      {entries.length === 0 ? (
        <Empty title={matching === 0 ? "No line matches the filter" : "No lines on this page"}>
          Lines without a level, such as those of other programs, never match a level filter.
        </Empty>
      ) : (
        <ol>
          {entries.map((line) => (
            <LogLineView key={line.line} line={line} />
          ))}
        </ol>
      )}
      {(page.has_next || page.number > 1) && (
        <nav class="pager" aria-label="Pages of the log">
          <p class="pager-text">{pageText(page)}</p>
          <div class="actions">
            {page.number > 1 && <PageButton label="Previous" number={page.number - 1} />}
            {page.has_next && <PageButton label="Next" number={page.number + 1} />}
          </div>
        </nav>
      )}
    </Card>
  );
}

function PageButton({ label, number }: { label: string; number: number }) {
  return (
    <button class="button" type="submit" form={FORM} name="page" value={number}>
      {label}
    </button>
  );
}
