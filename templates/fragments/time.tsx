import { instant, NOTHING } from "../text.ts";

export interface TimeProps {
  /** ISO 8601, UTC, as view models carry it; null when there is none. */
  iso: string | null;
  /** With scripts shown as a ticking age, with the instant in the title. */
  relative?: boolean | undefined;
}

/** An instant in UTC. The markup holds no age, so that an unchanged fragment keeps its ETag (client/times.ts adds ages and zones). */
export function Time({ iso, relative = false }: TimeProps) {
  if (iso === null) return <span class="muted">{NOTHING}</span>;
  return (
    <time class="time" dateTime={iso} title={`${instant(iso)} UTC`} data-relative={relative ? "" : undefined}>
      {instant(iso)}
    </time>
  );
}
