import type { TraceTree, TraceTreeNode } from "../../../src/api/causes.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { InvocationStatus } from "../invocations/invocation-table.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";

export interface TraceTreeViewProps {
  tree: TraceTree;
  /** Read out: what the tree shows. */
  label: string;
}

/** A chain of causes as nested lists: what stands below a node is what the node led to. */
export function TraceTreeView({ tree, label }: TraceTreeViewProps) {
  return (
    <section class="trace-scroll" tabindex={0} aria-label={label}>
      <Nodes nodes={tree.roots} />
    </section>
  );
}

function Nodes({ nodes }: { nodes: readonly TraceTreeNode[] }) {
  return (
    <ul class="trace">
      {nodes.map((node) => (
        <li key={`${node.kind}:${node.id}`} data-kind={node.kind} data-repeat={node.repeat ? "" : undefined}>
          <Node node={node} />
          {(node.children.length > 0 || node.repeats_omitted > 0) && <Below node={node} />}
        </li>
      ))}
    </ul>
  );
}

function Below({ node }: { node: TraceTreeNode }) {
  return (
    <>
      {node.children.length > 0 && <Nodes nodes={node.children} />}
      {node.repeats_omitted > 0 && (
        <p class="trace-more">and {count(node.repeats_omitted)} more shown elsewhere in this tree</p>
      )}
    </>
  );
}

/** How the node above led to this one. */
const EDGES: Readonly<Record<TraceTreeNode["by"][number], string>> = {
  call: "called",
  emit: "emitted",
  event: "took part in",
  status: "by its status",
  result: "by its result",
  exception: "by its exception",
  source: "took part in",
  trigger: "started",
  parent_event: "started",
};

const KINDS = { invocation: "invocation", event: "event", trigger_run: "trigger run" } as const;

function Node({ node }: { node: TraceTreeNode }) {
  const links = useLinks();
  const href = {
    invocation: links.invocation,
    event: links.event,
    trigger_run: links.triggerRun,
  }[node.kind](node.id);
  const stored = node.invocation !== null || node.event !== null || node.trigger_run !== null;
  return (
    <div class="trace-node">
      {node.by.length > 0 && <span class="trace-edge">{node.by.map((kind) => EDGES[kind]).join(", ")}</span>}
      <span class="trace-kind">{KINDS[node.kind]}</span>
      {!node.repeat && <About node={node} />}
      <Id value={node.id} href={stored ? href : undefined} copy={!node.repeat} />
      {!stored && (
        <span class="mark mark-warn" title="The store only has a reference to it">
          not stored
        </span>
      )}
      {node.repeat && <span class="mark">shown elsewhere in this tree</span>}
      {node.focus && <span class="mark mark-info">this {KINDS[node.kind]}</span>}
    </div>
  );
}

function About({ node: { invocation, event, trigger_run } }: { node: TraceTreeNode }) {
  const links = useLinks();
  if (invocation !== null) {
    const { task_id_key: task } = invocation;
    return (
      <>
        {task !== null && <TaskName task_id_key={task} href={links.task(task)} />}
        {invocation.status_source !== "none" && <InvocationStatus row={invocation} />}
        {invocation.registered_at !== null && <Time iso={invocation.registered_at} clock />}
      </>
    );
  }
  if (event !== null) {
    return (
      <>
        <bdi class="event-code">{visibleLine(event.event_code) || "(empty)"}</bdi>
        <Time iso={event.timestamp} clock />
      </>
    );
  }
  if (trigger_run === null) return null;
  return (
    <>
      <span class="trace-edge">of</span>
      <TaskName task_id_key={trigger_run.task_id_key} href={links.task(trigger_run.task_id_key)} />
      <Time iso={trigger_run.executed_at ?? trigger_run.claimed_at} clock />
    </>
  );
}
