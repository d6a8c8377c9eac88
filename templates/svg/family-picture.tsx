/**
 * A family over time, from its geometry: names on the left, indented below what led to them, and what each did on the right. All marks are
 * links. Scripts and tests may rely on `g.family-row[data-kind][data-id]`, `rect.bar[data-phase]`, `rect.path-line` and
 * `a.marker[data-id]`, and on `g.family-more[data-more-of]`.
 */
import type { FamilyRow, LifeStretch } from "../../src/api/causes.ts";
import { PATH_PHASE_WORDS } from "../../src/presentation/critical-path.ts";
import { alsoFrom, howLed } from "../../src/presentation/edge-words.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, duration, exceptionText, instant, shortId, visibleLine } from "../../src/presentation/text.ts";
import { KIND_WORDS, thingHref } from "../../src/presentation/thing-links.ts";
import { rowsBy } from "../../src/pynenc/groups.ts";
import type { FamilyBar, FamilyGeometry, FamilyRowShape, PlacedMark } from "../../src/timeline/family.ts";
import { statusClass } from "../assets/status-css.ts";
import { useLinks } from "../links.ts";
import { BarWords, LETTER } from "./bar-words.tsx";
import { Linked } from "./linked.tsx";
import { naive, percent, trimmed } from "./numbers.ts";
import { ScaleBreaks } from "./scale-breaks.tsx";
import { TimeAxis } from "./time-axis.tsx";
import { MarkerGlyph } from "./timeline-causes.tsx";

export interface FamilyPictureSvgProps {
  geometry: FamilyGeometry;
  /** Words for those who do not see it. */
  label: string;
  /** Address of the family with more of what an invocation led to. */
  moreHref: (id: string) => string;
}

export function FamilyPictureSvg({ geometry, label, moreHref }: FamilyPictureSvgProps) {
  const { height, width, axis, now, rows } = geometry;
  return (
    <div class="timeline family-picture">
      <svg class="timeline-labels" width="100%" height={height} aria-label="Members of the family">
        <Labels geometry={geometry} moreHref={moreHref} />
      </svg>
      <svg class="timeline-plot" width="100%" height={height} aria-label={label}>
        <Grounds geometry={geometry} />
        <TimeAxis geometry={{ ...geometry, compact: false }} />
        <ScaleBreaks geometry={geometry} />
        <Leads geometry={geometry} />
        {rows
          .filter(({ more }) => !more)
          .map((shape) => (
            <Row key={`${shape.row.kind} ${shape.row.id}`} shape={shape} geometry={geometry} />
          ))}
        {now !== null && <line class="now" x1={percent(now, width)} x2={percent(now, width)} y1={axis} y2={height} />}
      </svg>
    </div>
  );
}

function Grounds({ geometry: { rows, row } }: { geometry: FamilyGeometry }) {
  return (
    <g>
      {rows.map(({ row: member, y, more }, index) => {
        const odd = index % 2 === 1 ? " family-odd" : "";
        const ground = isFocus(member) && !more ? " family-focus-row" : odd;
        return <rect key={y} class={`family-ground${ground}`} y={y - row / 2} width="100%" height={row} />;
      })}
    </g>
  );
}

/** What the picture is about, or what bears the mark of it. */
function isFocus({ focus, marks }: FamilyRow): boolean {
  return focus || marks.some((mark) => mark.focus);
}

/** Deeper rows are not indented any further. */
const DEEPEST = 10;
const INDENT = 14;

function indent({ depth }: FamilyRow): number {
  return 10 + Math.min(depth, DEEPEST) * INDENT;
}

function Labels({ geometry: { rows, row }, moreHref }: Omit<FamilyPictureSvgProps, "label">) {
  const links = useLinks();
  const yOf = new Map(rows.flatMap(({ row: member, y, more }) => (more ? [] : [[member.id, y] as const])));
  return (
    <>
      {rows.map(({ row: member, folded, more, y, aside }) => {
        if (more) return <More key={y} row={member} y={y} href={moreHref(member.id)} />;
        const x = indent(member);
        const above = member.above_id === null ? undefined : yOf.get(member.above_id);
        return (
          <g
            key={y}
            id={`family-${member.id}`}
            class={`family-name${member.focus ? " family-focus-name" : ""}${aside ? " family-aside" : ""}`}
          >
            {isFocus(member) && <rect class="family-focus-row" y={y - row / 2} width="100%" height={row} />}
            {above !== undefined && (
              <path
                class={`family-branch${member.awaited ? " family-awaits" : ""}`}
                d={`M${x - INDENT + 4} ${above + 9}V${y}H${x - 3}`}
              />
            )}
            <Linked class="lane-link" href={hrefOf(member, folded, links)}>
              <title>{folded === null ? titleOf(member) : foldedWords(folded)}</title>
              <text class="lane-name" x={x} y={y + 4}>
                {folded === null ? nameOf(member) : `${count(folded.length)} more ${nameOf(member)}`}
              </text>
            </Linked>
          </g>
        );
      })}
    </>
  );
}

/** In place of what a row led to and is not drawn. */
function More({ row, y, href }: { row: FamilyRow; y: number; href: string }) {
  const { effects_left_out: n, effects_counted } = row;
  const x = indent({ ...row, depth: row.depth + 1 });
  return (
    <g class="family-more" data-more-of={row.id}>
      <a href={href} aria-label={`Load more of what ${nameOf(row)} led to`}>
        <text class="lane-name" x={x} y={y + 4}>
          {`Load more: ${count(n)}${effects_counted ? "" : " or more"} left out`}
        </text>
      </a>
    </g>
  );
}

/** Ids of an address. */
const MOST_IDS = 100;

function hrefOf({ kind, id, invocation, marks }: FamilyRow, folded: FamilyRow[] | null, links: Links): string | null {
  if (folded !== null) {
    const ids = folded.slice(0, MOST_IDS).map((row) => row.id);
    return links.invocations({ inv_ids: ids.join(",") });
  }
  const stored =
    kind === "invocation" ? invocation !== null : marks.some((mark) => mark.id === id && mark.label !== "");
  return stored ? thingHref(links, { kind, id }) : null;
}

function nameOf({ kind, id, invocation, marks, depth, awaited }: FamilyRow): string {
  const deeper = `${depth > DEEPEST ? `${depth}: ` : ""}${awaited ? "waits for " : ""}`;
  if (kind !== "invocation") {
    const what = kind === "event" ? "event" : "trigger run for";
    return visibleLine(`${deeper}${what} ${marks[0]?.label || shortId(id)}`);
  }
  const failed = invocation?.status === "failed" ? "✕ " : "";
  return visibleLine(`${deeper}${failed}${invocation?.task_id_key?.split(".").at(-1) ?? shortId(id)}`);
}

/** `13: 12 success, 1 failed`. */
function foldedWords(folded: readonly FamilyRow[]): string {
  const statuses = rowsBy(folded, ({ invocation }) => invocation?.status ?? "status not known");
  return `${count(folded.length)}: ${[...statuses].map(([status, some]) => `${count(some.length)} ${visibleLine(status)}`).join(", ")}`;
}

function titleOf({ id, kind, invocation, stretches, by, also_from }: FamilyRow): string {
  if (invocation === null)
    return `${KIND_WORDS[kind]} ${visibleLine(id)}${kind === "invocation" ? ", not stored" : ""}`;
  const { task_id_key, status, exception } = invocation;
  return [
    `${visibleLine(task_id_key ?? "task not known")} ${visibleLine(shortId(id))}`,
    [visibleLine(status), howLed(by), alsoFrom(also_from)].filter(Boolean).join(", "),
    ...(exception === null ? [] : [visibleLine(exceptionText(exception))]),
    ...stretches.map(stretchWords),
  ].join("\n");
}

function stretchWords({ phase, from, duration_seconds: seconds, ongoing }: LifeStretch): string {
  return `${PATH_PHASE_WORDS[phase]} from ${instant(from).slice(11)}, ${duration(seconds)}${ongoing ? " so far" : ""}`;
}

function Row({ shape, geometry }: { shape: FamilyRowShape; geometry: FamilyGeometry }) {
  const links = useLinks();
  const { row, folded, y, bars, marks, path, aside } = shape;
  const { width, bar: height } = geometry;
  return (
    <g
      class={`family-row${aside ? " family-aside" : ""}${isFocus(row) ? " family-focus" : ""}`}
      data-kind={row.kind}
      data-id={row.id}
      data-folded={folded?.length}
    >
      <Linked class="strand" href={row.kind === "invocation" ? hrefOf(row, folded, links) : null}>
        <title>{folded === null ? titleOf(row) : foldedWords(folded)}</title>
        {bars.map((bar) => {
          const tall = heightOf(bar, height);
          return (
            <rect
              key={bar.stretch.from}
              class={`bar bar-${bar.phase} ${bar.ongoing ? "ongoing " : ""}${statusClass(bar.status)}`}
              x={percent(bar.x, width)}
              width={percent(bar.width, width)}
              y={y - tall / 2}
              height={tall}
              data-phase={bar.phase}
            />
          );
        })}
        {path.map((piece) => (
          <rect
            key={piece.x}
            class="path-line"
            x={percent(piece.x, width)}
            width={percent(piece.width, width)}
            y={y + height / 2 + 1}
            height="3"
          />
        ))}
        <Words shape={shape} width={width} height={height} />
      </Linked>
      {marks.map((mark) => (
        <Mark key={mark.id} mark={mark} y={y - height / 2} width={width} links={links} />
      ))}
    </g>
  );
}

/** Running stands out; waiting of any kind is thinner. */
function heightOf({ phase }: FamilyBar, full: number): number {
  return phase === "running" ? full : 6;
}

/** In or beside its bars: how long it took, what went wrong, and what it was called with. */
function Words({
  shape: { row, folded, words, y },
  ...size
}: {
  shape: FamilyRowShape;
} & Record<"width" | "height", number>) {
  if (words === null) return null;
  const parts = folded === null ? wordsOf(row) : [foldedWords(folded)];
  // Before a bar, what matters most would be cut last, but a sentence cut at its beginning misleads: what has no room is left out.
  const shown = words.mode === "before" ? fitting(parts, words.to - words.from) : parts;
  const text = shown.map(visibleLine).join(", ");
  return text === "" ? null : <BarWords text={text} {...words} {...size} y={y - size.height / 2 + 1} />;
}

/** The first of these that fit; the first one always. */
function fitting(parts: readonly string[], room: number): readonly string[] {
  return parts.filter((_, index) => index === 0 || parts.slice(0, index + 1).join(", ").length * LETTER <= room);
}

/** What matters most comes first. */
function wordsOf({ invocation, stretches, also_from }: FamilyRow): string[] {
  if (invocation === null) return [];
  const { status, exception } = invocation;
  const took = stretches.reduce((sum, { duration_seconds: seconds }) => sum + seconds, 0);
  const ongoing = stretches.at(-1)?.ongoing === true;
  return [
    stretches.length === 0 ? "" : ongoing ? `${duration(took)} so far` : `took ${duration(took)}`,
    alsoFrom(also_from),
    status === "success" ? "" : status,
    exception === null ? "" : exceptionText(exception),
    invocation.arguments ?? "",
  ].filter(Boolean);
}

/** Events are squares and trigger runs diamonds, as on the timeline. */
function Mark({ mark, y, width, links }: { mark: PlacedMark; y: number; width: number; links: Links }) {
  const { kind, id, label, at, focus } = mark;
  const isEvent = kind === "event";
  return (
    <Linked
      class={`marker ${isEvent ? "marker-matched" : "marker-cron"}${focus ? " selected" : ""}`}
      href={label === "" ? null : thingHref(links, mark)}
      data-id={id}
      data-at={naive(at)}
    >
      <title>
        {`${isEvent ? "event" : "trigger run for"} ${visibleLine(label)} ${visibleLine(shortId(id))}\n${isEvent ? "at" : "began at"} ${instant(at).slice(11)}`}
      </title>
      <MarkerGlyph square={isEvent} x={percent(mark.x, width)} y={y} />
    </Linked>
  );
}

/** Along the edge of the row of the cause, where there are no words, then down or up to the effect. */
function Leads({ geometry: { links, width, row } }: { geometry: FamilyGeometry }) {
  return (
    <g class="family-leads">
      {links.map(({ kind, x1, y1, x2, y2 }) => {
        const edge = x1 === x2 ? y1 : y1 + Math.sign(y2 - y1) * (row / 2 - 1);
        const corners = [
          [x1, y1],
          [x1, edge],
          [x2, edge],
          [x2, y2],
        ] as const;
        return (
          <g key={`${kind} ${x1} ${y1} ${x2} ${y2}`} class={`family-lead family-lead-${kind}`}>
            {corners.slice(1).map(([x, y], index) => {
              const [fromX, fromY] = corners[index] ?? [x, y];
              if (fromX === x && fromY === y) return null;
              const at = { x1: percent(fromX, width), x2: percent(x, width), y1: trimmed(fromY), y2: trimmed(y) };
              return <line key={String(index)} {...at} />;
            })}
          </g>
        );
      })}
    </g>
  );
}
