import type { Problem } from "../../../src/api/health.ts";
import type { Links } from "../../../src/presentation/links.ts";
import { count, visible, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";

/** Ids shown in the list itself; the links lead to all of them. */
const IDS_SHOWN = 4;

/** What looks wrong now, errors first. Renders nothing if there are no problems. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  const links = useLinks();
  if (problems.length === 0) return null;
  const inOrder = [...problems].sort((a, b) => rank(a) - rank(b));
  return (
    <section class="card problems" id="problems" aria-labelledby="problems-title">
      <h2 id="problems-title" class="problems-title">
        Looks wrong now
      </h2>
      <ul>
        {inOrder.map((problem) => (
          <li
            key={`${problem.kind} ${problem.severity}`}
            class={problem.severity === "error" ? "problem problem-error" : "problem"}
          >
            <p class="problem-title">
              <span class={problem.severity === "error" ? "mark mark-bad" : "mark mark-warn"}>
                {problem.severity === "error" ? "Error" : "Warning"}
              </span>
              <strong>{visibleLine(problem.title)}</strong>
            </p>
            <p class="problem-detail">{visible(problem.detail)}</p>
            <ProblemIds problem={problem} />
            <p class="problem-links">
              {HELP[problem.kind](links, problem).map((link) => (
                <a key={link.label} href={link.href}>
                  {link.label}
                </a>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ProblemIds({ problem }: { problem: Problem }) {
  const links = useLinks();
  if (problem.ids.length === 0) return null;
  const hrefOf = problem.kind === "stuck_atomic_service" ? links.atomicRun : links.invocation;
  const more = Math.max(problem.count, problem.ids.length) - IDS_SHOWN;
  return (
    <ul class="problem-ids">
      {problem.ids.slice(0, IDS_SHOWN).map((id) => (
        <li key={id}>
          <Id value={id} href={hrefOf(id)} />
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more)} more</li>}
    </ul>
  );
}

/** Links to more about the problem. */
const HELP: Record<Problem["kind"], (links: Links, problem: Problem) => { label: string; href: string }[]> = {
  stuck_pending: (links, { ids }) => [
    { label: "These invocations", href: links.invocations({ inv_ids: ids }) },
    { label: "All pending", href: links.invocations({ status: ["pending"] }) },
    { label: "Recovery", href: links.orchestrator() },
  ],
  running_on_dead_runner: (links, { ids }) => [
    { label: "These invocations", href: links.invocations({ inv_ids: ids }) },
    { label: "All running", href: links.invocations({ status: ["running"] }) },
    { label: "All runners", href: links.runners({ show: "all" }) },
    { label: "Recovery", href: links.orchestrator() },
  ],
  paused_on_dead_runner: (links, { ids }) => [
    { label: "These invocations", href: links.invocations({ inv_ids: ids }) },
    { label: "All paused", href: links.invocations({ status: ["paused"] }) },
    { label: "All runners", href: links.runners({ show: "all" }) },
  ],
  waiting_in_no_queue: (links, { ids }) => [
    { label: "Requeue …", href: links.requeueMany({ inv_ids: ids }) },
    { label: "These invocations", href: links.invocations({ inv_ids: ids }) },
    { label: "Queue", href: links.queue() },
  ],
  deadlocked_pool: (links, { ids }) => [
    { label: "These invocations", href: links.invocations({ inv_ids: ids }) },
    { label: "Who waits for whom", href: `${links.orchestrator()}#blocking` },
    { label: "Queue", href: links.queue() },
    { label: "Runners", href: links.runners() },
  ],
  stuck_atomic_service: (links) => [
    { label: "Whose turn it is", href: links.atomicScheduling() },
    { label: "All service runs", href: links.atomicTimeline() },
    { label: "All runners", href: links.runners({ show: "all" }) },
  ],
  unreachable_queue: (links) => [{ label: "Broker", href: links.broker() }],
  unconsumed_queue: (links) => [
    { label: "Queue", href: links.queue() },
    { label: "Runners", href: links.runners() },
  ],
  undeclared_queue: (links) => [
    { label: "Queues", href: links.broker() },
    { label: "Runners", href: links.runners() },
  ],
  no_service_runner: (links) => [
    { label: "Active runners", href: links.runners() },
    { label: "Whose turn it is", href: links.atomicScheduling() },
  ],
  no_triggers: (links) => [
    { label: "Triggers", href: links.triggers() },
    { label: "Active runners", href: links.runners() },
  ],
  no_recovery: (links) => [
    { label: "Triggers", href: links.triggers() },
    { label: "Recovery", href: links.orchestrator() },
  ],
  invalid_slots: (links) => [
    { label: "Active runners", href: links.runners() },
    { label: "Whose turn it is", href: links.atomicScheduling() },
  ],
};

function rank(problem: Problem): number {
  return problem.severity === "error" ? 0 : 1;
}
