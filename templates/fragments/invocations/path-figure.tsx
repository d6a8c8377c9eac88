import type { CriticalPath, PathPhase, PathShare } from "../../../src/api/model/critical-path.ts";
import { PATH_PHASE_WORDS, PATH_SHARES, pathRemark } from "../../../src/presentation/critical-path.ts";
import { count, duration, percentage, visibleLine } from "../../../src/presentation/text.ts";
import { statusClass } from "../../assets/status-css.ts";
import { useLinks } from "../../links.ts";
import { DataTable } from "../ui/data-table.tsx";
import { Duration } from "../ui/duration.tsx";
import { Id } from "../ui/id.tsx";
import { Notes } from "../ui/notes.tsx";
import { PHASES } from "./phase-bar.tsx";
import { TaskName } from "./task-name.tsx";

const MEANINGS: Readonly<Record<PathPhase, { status: string; meaning: string }>> = {
  ...PHASES,
  clock_skew: { status: "", meaning: "measured between the clocks of two hosts that disagree" },
};

const WIDTH = 1000;

export interface PathFigureProps {
  path: CriticalPath;
  /** The page is about the invocation of the path. */
  own?: boolean;
}

/** Where the time went, including awaited invocations: one bar in order of time, and the largest shares below. */
export function PathFigure({ path, own = true }: PathFigureProps) {
  const links = useLinks();
  const { shares, microseconds: whole } = path;
  const more = shares.length - PATH_SHARES;
  const remark = pathRemark(path);
  return (
    <section class="critical-path stack" aria-label="Critical path">
      <h3 title="Traced back from the end: time in which it waited for or called others belongs to the one that ended last">
        Critical path
      </h3>
      <PathBar path={path} />
      <DataTable
        caption="Where the time went, the largest share first"
        columns={[
          { label: "Time", align: "end" },
          { label: "Share", align: "end" },
          { label: "Phase" },
          { label: "Task", rowHeader: true },
          { label: "Invocation" },
        ]}
        rows={shares.slice(0, PATH_SHARES).map((share) => ({
          key: `${share.invocation_id} ${share.phase}`,
          cells: [
            <Duration key="time" seconds={share.duration_seconds} />,
            percentage(share.microseconds / whole),
            <Phase key="phase" share={share} />,
            share.task_id_key === null ? (
              <span class="muted">not stored</span>
            ) : (
              <TaskName task_id_key={share.task_id_key} href={links.task(share.task_id_key)} />
            ),
            own && share.link === null ? (
              <span class="muted">this one</span>
            ) : (
              <Id value={share.invocation_id} href={links.invocation(share.invocation_id)} />
            ),
          ],
        }))}
        empty={null}
      />
      {more > 0 && (
        <p class="muted">{`${count(more)} smaller ${more === 1 ? "share is" : "shares are"} left out here.`}</p>
      )}
      {remark !== null && <p class="muted">{remark}</p>}
      <Notes notes={path.notes} tone="warn" />
    </section>
  );
}

function Phase({ share: { phase, segments } }: { share: PathShare }) {
  const { status, meaning } = MEANINGS[phase];
  return (
    <span class={`status phase-${phase} ${statusClass(status)}`} title={meaning}>
      <span class="status-dot" />
      {PATH_PHASE_WORDS[phase]}
      {segments > 1 && <span class="muted">{` ${count(segments)} times`}</span>}
    </span>
  );
}

/** Pieces thinner than a thousandth of the bar are not drawn. */
function PathBar({ path: { from, microseconds, segments } }: { path: CriticalPath }) {
  let at = 0;
  const pieces = segments.map((segment) => {
    const left = (at / microseconds) * WIDTH;
    at += segment.microseconds;
    return { segment, left, width: (segment.microseconds / microseconds) * WIDTH };
  });
  return (
    <svg
      class="share-bar phase-bar"
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`The path in order of time, ${count(segments.length)} pieces; the table below has the same by share`}
    >
      <rect class="share-ground" width={WIDTH} height="8" />
      {pieces
        .filter(({ width }) => width >= 1)
        .map(({ segment, left, width }) => (
          <rect
            key={`${from} ${left}`}
            class={`share path-piece phase-${segment.phase} ${statusClass(MEANINGS[segment.phase].status)}`}
            x={left.toFixed(2)}
            width={width.toFixed(2)}
            height="8"
          >
            <title>
              {`${visibleLine(segment.task_id_key ?? segment.invocation_id)} ${PATH_PHASE_WORDS[segment.phase]}: ${duration(segment.duration_seconds)}`}
            </title>
          </rect>
        ))}
    </svg>
  );
}
