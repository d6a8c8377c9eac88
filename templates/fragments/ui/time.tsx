import { useContext } from "preact/hooks";
import { instant, NOTHING } from "../../../src/presentation/text.ts";
import { TodayContext } from "../../links.ts";

export interface TimeProps {
  /** ISO 8601 in UTC, as in view models; null if there is none. */
  iso: string | null;
  /**
   * With scripts shown as a ticking age, otherwise to the second and without the date of today, with the instant in the title: `2 min ago`, `06:25, 2 min ago` if the time
   * of day matters (`at`), `for 2 min` after `since` it, or `in 2 min` until what is due. One that is not due but in the future was stamped by another clock, and has no age.
   */
  relative?: boolean | "at" | "for" | "due" | undefined;
  /** Only the time of day: always, or on the day of this other instant. */
  clock?: boolean | string | undefined;
  /** Only the date, and nothing where the time before it in the table is of the same day. */
  day?: { previous: string | null } | undefined;
  /** Without seconds. */
  minute?: boolean | undefined;
}

/** An instant in UTC. The markup holds no age, so that an unchanged fragment keeps its ETag (client/times.ts adds ages and zones). */
export function Time({ iso, relative = false, clock = false, day, minute = false }: TimeProps) {
  const today = useContext(TodayContext);
  if (iso === null) return <span class="muted">{NOTHING}</span>;
  const text = instant(iso);
  const seconds = relative ? text.replace(/\.\d+$/, "") : text;
  const date = relative && today !== null ? today : clock;
  const exact =
    clock === true || (date !== false && date !== true && dayOf(date) === dayOf(iso)) ? clockOf(seconds) : seconds;
  const precise = minute ? exact.replace(SECONDS, "") : exact;
  const shown = relative === "for" ? `since ${precise}` : precise;
  return (
    <time
      class="time"
      dateTime={iso}
      title={`${text} UTC`}
      data-relative={relative === true ? "" : relative || undefined}
      data-minute={minute ? "" : undefined}
      data-clock={clock === true ? "" : clock || undefined}
      data-day={day === undefined ? undefined : (day.previous ?? "")}
      hidden={day?.previous != null && dayOf(day.previous) === dayOf(iso)}
    >
      {day === undefined ? shown : dayOf(iso)}
    </time>
  );
}

const SECONDS = /:\d{2}(?:\.\d{3})?$/;

/** The zone of times beside it; without scripts and by default they are in UTC (client/times.ts hides it where times name their own zone). */
export function TimeZone({ text = "UTC" }: { text?: string }) {
  return <span data-utc="">{text}</span>;
}

function dayOf(iso: string): string {
  return instant(iso).slice(0, 10);
}

/** The part after the date; text that is not an instant is not changed. */
function clockOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2} /.test(text) ? text.slice(11) : text;
}
