import { instant, NOTHING } from "../../../src/presentation/text.ts";

export interface TimeProps {
  /** ISO 8601 in UTC, as in view models; null if there is none. */
  iso: string | null;
  /** With scripts shown as a ticking age, with the instant in the title. */
  relative?: boolean | undefined;
  /** Only the time of day, for lists that show the date when it changes. */
  clock?: boolean | undefined;
}

/** An instant in UTC. The markup holds no age, so that an unchanged fragment keeps its ETag (client/times.ts adds ages and zones). */
export function Time({ iso, relative = false, clock = false }: TimeProps) {
  if (iso === null) return <span class="muted">{NOTHING}</span>;
  return (
    <time
      class="time"
      dateTime={iso}
      title={`${instant(iso)} UTC`}
      data-relative={relative ? "" : undefined}
      data-clock={clock ? "" : undefined}
    >
      {clock ? clockOf(instant(iso)) : instant(iso)}
    </time>
  );
}

/** The part after the date; text that is not an instant is not changed. */
function clockOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2} /.test(text) ? text.slice(11) : text;
}
