import { duration } from "../../src/presentation/text.ts";
import type { ScaleBreak } from "../../src/timeline/broken-scale.ts";
import { percent } from "./numbers.ts";

export interface ScaleBreaksProps {
  geometry: { breaks: readonly ScaleBreak[]; width: number; height: number; axis: number };
}

/** Times in which nothing happened, narrow as they are drawn. */
export function ScaleBreaks({ geometry: { breaks, width, height, axis } }: ScaleBreaksProps) {
  return (
    <g>
      {breaks.map(({ x, width: wide, seconds, labelled }) => (
        <g key={x} class="scale-break">
          <title>{`Nothing happened for ${duration(seconds)}`}</title>
          <rect
            class="scale-break-ground"
            x={percent(x, width)}
            width={percent(wide, width)}
            y={axis}
            height={height - axis}
          />
          {labelled && (
            <text x={percent(x + wide / 2, width)} y={axis - 8} text-anchor="middle">
              {`${duration(seconds)} idle`}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
