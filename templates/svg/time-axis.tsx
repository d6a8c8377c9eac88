import { labelAnchor, NARROW_END, type Tick } from "../../src/timeline/time-scale.ts";
import { percent, trimmed } from "./numbers.ts";

export interface AxisGeometry {
  ticks: readonly Tick[];
  /** Nominal; the drawing takes all the width there is. */
  width: number;
  height: number;
  /** Height of the labels above. */
  axis: number;
  /** Without dates. */
  compact: boolean;
}

/** Total characters of the labels of an axis, gaps included: in a full-width drawing, and on a phone. */
const MOST_CHARACTERS = 40;
const PHONE_CHARACTERS = 34;
const GAP = 2;

function longest(ticks: readonly Tick[]): number {
  return Math.max(0, ...ticks.map((tick) => tick.label.length));
}

/** Round times above, and a line down through all lanes for each. The last label must not leave the drawing. */
export function TimeAxis({ geometry: { ticks, width, height, axis, compact } }: { geometry: AxisGeometry }) {
  // Made for the nominal width; where the drawing is narrower every second label has to go.
  const crowded = ticks.length * longest(ticks) > MOST_CHARACTERS;
  const kept = Math.ceil((ticks.length * (longest(ticks) + GAP)) / PHONE_CHARACTERS);
  const classes = (index: number, x: number) => {
    const anchor = labelAnchor(x, width, NARROW_END);
    const own = [crowded && index % 2 === 1 && "tick-second", index % kept !== 0 && "tick-roomy"];
    return [...own, anchor !== "middle" && `tick-${anchor}`].filter(Boolean).join(" ") || undefined;
  };
  return (
    <svg class="axis" aria-hidden="true" width="100%" height="100%" overflow="visible" data-part="axis">
      {ticks.map((tick, index) => {
        const x = percent(tick.x, width);
        const anchor = labelAnchor(tick.x, width);
        return (
          <g key={tick.at} class={classes(index, tick.x)}>
            <line class="grid" x1={x} x2={x} y1={axis} y2={trimmed(height)} />
            <text x={x} y={axis - 8} text-anchor={anchor}>
              {tick.label}
            </text>
            {tick.date !== null && !compact && (
              <text class="axis-date" x={x} y={axis - 21} text-anchor={anchor}>
                {tick.date}
              </text>
            )}
          </g>
        );
      })}
      <line class="axis-line" x1="0" x2="100%" y1={axis} y2={axis} />
    </svg>
  );
}
