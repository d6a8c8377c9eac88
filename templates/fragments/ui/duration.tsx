import { duration, NOTHING } from "../../../src/presentation/text.ts";

/** A stretch of time in seconds; null when it has not ended or is unknown. */
export function Duration({ seconds }: { seconds: number | null }) {
  if (seconds === null) return <span class="muted">{NOTHING}</span>;
  return (
    <span
      class={seconds < 0 ? "number skewed" : "number"}
      title={Number.isFinite(seconds) ? `${seconds} seconds` : undefined}
    >
      {duration(seconds)}
    </span>
  );
}
