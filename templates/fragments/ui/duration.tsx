import { duration, NOTHING } from "../../../src/presentation/text.ts";

/** A stretch of time in seconds; null when it has not ended or is unknown. @param atLeast clocks disagree about more. */
export function Duration({ seconds, atLeast = false }: { seconds: number | null; atLeast?: boolean | undefined }) {
  if (seconds === null) return <span class="muted">{NOTHING}</span>;
  return (
    <span
      class={seconds < 0 ? "number skewed" : "number"}
      title={Number.isFinite(seconds) ? `${seconds} seconds` : undefined}
    >
      {atLeast ? "≥ " : ""}
      {duration(seconds)}
    </span>
  );
}
