/** Runs of the atomic service that are too close to each other to be pointed at, taken together. */
import { rowsBy } from "../pynenc/groups.ts";
import { epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import type { ServiceShape, TimelineGeometry } from "./geometry.ts";
import { PARTS } from "./zoom-groups.ts";

/** One run, or several in a part of the window from `start` to `end`. */
export interface ServiceMark {
  lane_key: string;
  runs: [ServiceShape, ...ServiceShape[]];
  start: string;
  end: string;
}

/** More completed runs than this in a part of the window are one mark of their lane. */
const MOST_APART = 3;

/** @param selected never taken together with others; null takes none together */
export function serviceMarks(
  { services, start, end }: Pick<TimelineGeometry, "services" | "start" | "end">,
  selected: ReadonlySet<string> | null,
): ServiceMark[] {
  const epoch = (iso: string) => epochFromIso(iso) ?? 0;
  // Parts begin at multiples of their length, so that those of a window that moves on stay where they are.
  const part = Math.ceil(((epoch(end) - epoch(start)) * 1_000) / PARTS) / 1_000;
  const partOf = ({ start_time }: ServiceShape) => Math.floor(epoch(start_time) / part + 1e-6);
  const together = rowsBy(services, (run) =>
    run.status === "completed" && selected?.has(run.atomic_service_run_id) === false
      ? `${partOf(run)} ${run.lane_key}`
      : run.atomic_service_run_id,
  );
  return [...together.values()].flatMap((runs) => {
    const marks = runs.length > MOST_APART ? [runs] : runs.map((run) => [run]);
    return marks.flatMap(([run, ...more]): ServiceMark[] => {
      if (run === undefined) return [];
      const [from, to] = [partOf(run) * part, (partOf(run) + 1) * part];
      return [{ lane_key: run.lane_key, runs: [run, ...more], start: isoFromEpoch(from), end: isoFromEpoch(to) }];
    });
  });
}
