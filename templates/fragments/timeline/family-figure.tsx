import type { FamilyPicture } from "../../../src/api/causes.ts";
import { PATH_PHASE_WORDS } from "../../../src/presentation/critical-path.ts";
import { moreOf } from "../../../src/presentation/edge-words.ts";
import { count, duration, instant, shortId, visibleLine } from "../../../src/presentation/text.ts";
import { KIND_WORDS } from "../../../src/presentation/thing-links.ts";
import { epochFromIso } from "../../../src/pynenc/time.ts";
import { effectsOf, familyGeometry } from "../../../src/timeline/family.ts";
import { statusClass } from "../../assets/status-css.ts";
import { useLinks } from "../../links.ts";
import { FamilyPictureSvg } from "../../svg/family-picture.tsx";
import { Card } from "../ui/card.tsx";
import { TermInfo } from "../ui/info.tsx";
import { Notes } from "../ui/notes.tsx";
import { Legend, type LegendEntry } from "./timeline-legend.tsx";

/** A family over time within a page, with links to more of it. */
export function FamilyPictureCard({ picture }: { picture: FamilyPicture }) {
  const links = useLinks();
  const { focus_id } = picture;
  return (
    <Card
      title="Family over time"
      id="card-family"
      flush
      actions={
        <>
          <a href={links.family(focus_id)}>On its own page</a>
          <TermInfo term="Family" />
        </>
      }
    >
      {hasTime(picture) && <FamilyPictureFigure picture={picture} />}
    </Card>
  );
}

/** A single event is an instant, so a note is enough. */
function hasTime({ rows }: FamilyPicture): boolean {
  return rows.length > 1 || rows[0]?.kind === "invocation";
}

export function FamilyPictureFigure({ picture }: { picture: FamilyPicture }) {
  const links = useLinks();
  const geometry = familyGeometry(picture);
  const { truncated, limit, focus_id, above_id, expand, can_expand, others, notes, as_of } = picture;
  // When no further id can be expanded, the family of that invocation has room again.
  const moreHref = (id: string) =>
    `${can_expand ? links.family(focus_id, { limit, expand: [...expand, id].join(",") }) : links.family(id)}#family-${encodeURIComponent(id)}`;
  return (
    <figure id="family">
      <figcaption class="family-caption row apart muted">
        <span>
          {summary(picture)}
          {effects(picture)}
        </span>
        <Legend
          entries={legendOf(
            picture,
            geometry.rows.some((row) => row.aside),
          )}
        />
      </figcaption>
      <FamilyPictureSvg
        geometry={geometry}
        label={`${summary(picture)}, as of ${instant(as_of)} UTC`}
        moreHref={moreHref}
      />
      {others.length > 0 && (
        <ul class="plain-list family-caption muted">
          {others.slice(0, OTHERS).map((other) => (
            <li key={`${other.kind} ${other.id}`}>
              also from{" "}
              <a href={links.family(other.id)} title={other.invocation?.arguments ?? undefined}>
                {visibleLine(`${other.invocation?.task_id_key ?? KIND_WORDS[other.kind]} ${shortId(other.id)}`)}
              </a>
              {moreOf(other)}
            </li>
          ))}
          {others.length > OTHERS && <li>and from {count(others.length - OTHERS)} others</li>}
        </ul>
      )}
      {truncated && (
        <p class="family-caption row muted">
          {above_id !== null && <a href={links.family(above_id)}>There are more ancestors</a>}
          {limit < MORE && <a href={links.family(focus_id, { limit: MORE })}>Draw up to {count(MORE)}</a>}
        </p>
      )}
      <Notes notes={notes} tone="warn" />
    </figure>
  );
}

/** Other causes that are named. */
const OTHERS = 5;

/** Maximum size of a picture. */
const MORE = 2_000;

/** `8 invocations, 2 events and 2 trigger runs in 14.2 s`. */
function summary({ rows, from, to, ongoing }: FamilyPicture): string {
  const marks = rows.flatMap((row) => row.marks);
  const numbers = [
    [rows.filter((row) => row.kind === "invocation" && !row.awaited).length, "invocation"],
    [marks.filter((mark) => mark.kind === "event").length, "event"],
    [marks.filter((mark) => mark.kind === "trigger_run").length, "trigger run"],
  ] as const;
  const words = numbers.filter(([n]) => n > 0).map(([n, word]) => `${count(n)} ${word}${n === 1 ? "" : "s"}`);
  const [start, end] = [from === null ? null : epochFromIso(from), to === null ? null : epochFromIso(to)];
  const whole = start === null || end === null ? "" : ` in ${duration(end - start)}${ongoing ? " so far" : ""}`;
  return `${words.join(", ")}${whole}`;
}

/** Invocations that are named. */
const NAMED = 5;

/** How many of them the focus led to, by name if it is an event or a trigger run. The others are its causes, and what those led to. */
function effects(picture: FamilyPicture): string {
  const { focus_kind, truncated, rows } = picture;
  const found = effectsOf(picture);
  const least = truncated ? "at least " : "";
  const led = `. This ${KIND_WORDS[focus_kind]} led to`;
  if (focus_kind === "invocation") {
    const all = rows.filter((row) => row.kind === "invocation" && !row.awaited).length - 1;
    return found.length === all
      ? ""
      : `${led} ${found.length === 0 && !truncated ? "none" : `${least}${count(found.length)}`} of the others.`;
  }
  if (found.length === 0) return truncated ? "" : `${led} no invocation.`;
  const names = found.slice(0, NAMED).map(({ id, invocation }) => {
    return visibleLine(invocation?.task_id_key?.split(".").at(-1) ?? shortId(id));
  });
  const more = found.length > NAMED ? `, and ${count(found.length - NAMED)} more` : "";
  return `${led} ${least}${count(found.length)} invocation${found.length === 1 ? "" : "s"}: ${names.join(", ")}${more}.`;
}

const SAMPLES: readonly (readonly [phase: string, status: string, words: string])[] = [
  ["queued", "registered", "queued"],
  ["pending", "pending", "pending"],
  ["paused", "paused", "paused: it waits for another"],
  ["waiting", "rerouted", "held back or being recovered"],
  ["running", "running", "run (colour = outcome; blue: it paused or goes on)"],
  ["dead_runner", "running_recovery", PATH_PHASE_WORDS.dead_runner],
];

/** Legend of the marks that occur. */
function legendOf(
  { rows, edges, critical_path, path_of, focus_id, focus_kind }: FamilyPicture,
  aside: boolean,
): LegendEntry[] {
  const task = rows
    .find(({ id }) => id === path_of)
    ?.invocation?.task_id_key?.split(".")
    .at(-1);
  const owner = visibleLine(task ?? shortId(path_of ?? ""));
  const phases = new Set<string>(rows.flatMap((row) => row.stretches.map((stretch) => stretch.phase)));
  const kinds = new Set(rows.flatMap((row) => row.marks.map((mark) => mark.kind)));
  const bar = (classes: string, full: boolean) => (
    <rect class={`bar ${classes}`} x="1" width="22" y={full ? 2 : 4} height={full ? 10 : 6} />
  );
  const marker = (kind: string, path: string) => (
    <g class={`marker marker-${kind}`}>
      <path d={path} />
    </g>
  );
  return [
    ...SAMPLES.map(([phase, status, words]): LegendEntry => {
      const sample = bar(`bar-${phase} ${statusClass(status)}`, phase === "running");
      return [phases.has(phase), sample, words];
    }),
    [kinds.has("event"), marker("matched", "M8 3H16V11H8Z"), "event"],
    [kinds.has("trigger_run"), marker("cron", "M12 2L17 7L12 12L7 7Z"), "trigger run"],
    [
      edges.some(({ kind }) => kind !== "call"),
      <g class="family-lead family-lead-event">
        <line x1="1" x2="23" y1="7" y2="7" />
      </g>,
      "through an event or a trigger",
    ],
    [
      critical_path !== null,
      <rect class="path-line" x="1" width="22" y="6" height="3" />,
      `critical path of ${path_of === focus_id ? "this invocation" : owner}: what its time went to`,
    ],
    [
      aside,
      <g class="family-aside">{bar(statusClass("success"), true)}</g>,
      `neither a cause nor an effect of this ${KIND_WORDS[focus_kind]}`,
    ],
  ];
}
