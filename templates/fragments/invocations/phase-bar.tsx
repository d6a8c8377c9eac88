import type { Phase, PhaseDuration } from "../../../src/api/invocations.ts";
import { PATH_PHASE_WORDS, phaseTime } from "../../../src/presentation/critical-path.ts";
import { phaseRemarks } from "../../../src/presentation/facts/invocation-history.ts";
import { duration } from "../../../src/presentation/text.ts";
import { statusClass } from "../../assets/status-css.ts";
import { Duration } from "../ui/duration.tsx";

/** Each phase has the colour of its status. */
export const PHASES: Readonly<Record<Phase, { status: string; meaning: string }>> = {
  queued: { status: "registered", meaning: "in the queue, waiting for a runner to take it" },
  pending: { status: "pending", meaning: "taken by a runner, not started yet" },
  running: { status: "running", meaning: "a runner worked on it" },
  paused: { status: "paused", meaning: "waiting for the result of another invocation" },
  waiting: { status: "concurrency_controlled", meaning: "stopped or being recovered, not in the queue yet" },
  dead_runner: { status: "running_recovery", meaning: "after the last heartbeat of its runner" },
  not_known: { status: "", meaning: "the stored data does not say" },
};

/** Sets the colour of a phase. */
function phaseClass(phase: Phase): string {
  return `phase-${phase} ${statusClass(PHASES[phase].status)}`;
}

const WIDTH = 1000;
const LEAST = 4;

/** How an invocation spent its time: proportions as a bar, exact figures beneath. */
export function PhaseBar({ phases }: { phases: readonly PhaseDuration[] }) {
  const lasting = phases.map((phase) => Math.max(0, phase.duration_seconds));
  const total = lasting.reduce((sum, seconds) => sum + seconds, 0);
  const widths = lasting.map((seconds) => (seconds === 0 ? 0 : Math.max(LEAST, (seconds / total) * WIDTH)));
  const scale = WIDTH / (widths.reduce((sum, width) => sum + width, 0) || 1);
  let x = 0;
  return (
    <div class="stack">
      <svg
        class="share-bar phase-bar"
        viewBox={`0 0 ${WIDTH} 8`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Time by phase: ${phases.map((phase) => `${PATH_PHASE_WORDS[phase.phase]} ${duration(phase.duration_seconds)}`).join(", ")}`}
      >
        <rect class="share-ground" width={WIDTH} height="8" />
        {phases.map(({ phase, duration_seconds: seconds }, index) => {
          const width = (widths[index] ?? 0) * scale;
          const left = x;
          x += width;
          return (
            <rect
              key={phase}
              class={`share ${phaseClass(phase)}`}
              x={left.toFixed(2)}
              width={width.toFixed(2)}
              height="8"
            >
              <title>{`${PATH_PHASE_WORDS[phase]}: ${duration(seconds)}`}</title>
            </rect>
          );
        })}
      </svg>
      <dl class="row">
        {phases.map((phase, index) => (
          <div key={phase.phase} class={phaseClass(phase.phase)}>
            <dt class="status muted" title={PHASES[phase.phase].meaning}>
              <span class="status-dot" />
              {PATH_PHASE_WORDS[phase.phase]}
            </dt>
            <dd class="large">
              {phase.across_clocks ? phaseTime(phase) : <Duration seconds={phase.duration_seconds} />}
            </dd>
            <dd class="phase-note small">{noteOn(phase, total === 0 ? null : (lasting[index] ?? 0) / total)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function noteOn(phase: PhaseDuration, share: number | null): string {
  return [...(share === null ? [] : [percent(share)]), ...phaseRemarks(phase)].join(" · ");
}

function percent(share: number): string {
  if (share > 0 && share < 0.01) return "<1 %";
  if (share < 1 && share > 0.99) return ">99 %";
  return `${Math.round(share * 100)} %`;
}
