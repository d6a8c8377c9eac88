import { count, visibleLine } from "../../../src/presentation/text.ts";
import { statusClass } from "../../assets/status-css.ts";

export interface Share {
  status: string;
  count: number;
}

export interface ShareBarProps {
  /** What is divided: `Invocations by status`. */
  label: string;
  shares: readonly Share[];
}

const WIDTH = 1000;
/** Minimum share, so that three of a thousand are still visible. */
const LEAST = 3;

const HEIGHT = 8;
/** Failures are taller than the bar, because some viewers cannot distinguish red from green. */
const TALL: readonly string[] = ["failed", "killed"];
const LOW = 5;

/** Proportions as one bar. Rare statuses are widened to stay visible, so the words carry the exact counts. */
export function ShareBar({ label, shares }: ShareBarProps) {
  const present = shares.filter((share) => share.count > 0);
  const total = present.reduce((sum, share) => sum + share.count, 0);
  const words = present.map((share) => `${visibleLine(share.status)} ${count(share.count)}`).join(", ");
  const widths = present.map((share) => Math.max(LEAST, (share.count / total) * WIDTH));
  const scale = WIDTH / widths.reduce((sum, width) => sum + width, 0);
  let x = 0;
  return (
    <svg
      class="share-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${words || "none"}`}
    >
      <rect class="share-ground" y={HEIGHT - LOW} width={WIDTH} height={LOW} />
      {present.map((share, index) => {
        const width = (widths[index] ?? 0) * scale;
        const left = x;
        x += width;
        const height = TALL.includes(share.status) ? HEIGHT : LOW;
        return (
          <rect
            key={share.status}
            class={`share ${statusClass(share.status)}`}
            x={left.toFixed(2)}
            width={width.toFixed(2)}
            y={HEIGHT - height}
            height={height}
          >
            <title>{`${visibleLine(share.status)}: ${count(share.count)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
