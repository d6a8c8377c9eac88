import { Fragment } from "preact";
import type { Diff, DiffNode, DiffPhase } from "../../src/api/diff.ts";
import {
  DIFFERENCE_WORDS,
  diffSentence,
  outcomeText,
  PHASE_COLUMNS,
  signedDuration,
} from "../../src/presentation/diff.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import type { DiffPairs } from "../../src/services/causes/diff-pairs.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { FilterForm, TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Maximum indentation; deeper levels are not indented further. */
const INDENTED = 8;

export interface DiffPage {
  /** The values of the form. */
  asked: { a: string; b: string };
  /** Null until two ids are given. */
  diff: Diff | null;
  /** What is offered until then. */
  pairs: OfferedPairs | null;
}

/** Those of A come first: successes of its task. */
type OfferedPairs = DiffPairs & { of_a: DiffPairs["failed"] };

export function DiffHeader({ model: { asked, diff }, path }: View<DiffPage>) {
  const links = useLinks();
  return (
    <>
      {diff === null ? (
        <PageHeader
          title="Side by side"
          trail={[{ label: "Compare", href: links.compare() }]}
          summary="Two invocations or workflow runs, with the invocations below them"
        />
      ) : (
        <PageHeader
          title="Side by side"
          trail={[
            { label: "Invocations", href: links.invocations() },
            { label: <Id value={diff.a} copy={false} />, href: links.invocation(diff.a) },
          ]}
          summary={
            diff.nodes[0]?.task_id_key == null ? undefined : <TaskName task_id_key={diff.nodes[0].task_id_key} />
          }
          actions={<ButtonLink href={links.diff({ a: diff.b, b: diff.a })}>Swap</ButtonLink>}
        />
      )}
      <FilterForm path={path}>
        <TextField name="a" label="A" value={asked.a} hint="Id of an invocation or a workflow run" code />
        <TextField
          name="b"
          label="B"
          value={asked.b}
          hint="Another one, or last-success: the last success of its task before A"
          code
        />
      </FilterForm>
    </>
  );
}

/** Two invocations with those below them: what differs, the times of the two, and all of them in pairs. */
export function DiffContent({ model: { diff, pairs } }: View<DiffPage>) {
  return diff === null ? <NothingChosen pairs={pairs} /> : <Differing model={diff} />;
}

function NothingChosen({ pairs }: { pairs: OfferedPairs | null }) {
  const links = useLinks();
  return (
    <>
      {pairs !== null && <PairTable title="A and other runs of its task" pairs={pairs.of_a} />}
      {pairs !== null && <PairTable title="Failures and the last success before each" pairs={pairs.failed} />}
      {pairs !== null && <PairTable title="Slowest and fastest of recent successes" pairs={pairs.slow} />}
      <p class="muted">
        Or give two ids, whole or their beginnings. <a href={links.invocations()}>The list of invocations</a> has them;
        the page of each leads here.
      </p>
    </>
  );
}

function PairTable({ title, pairs }: { title: string; pairs: DiffPairs["failed"] }) {
  const links = useLinks();
  if (pairs.length === 0) return null;
  return (
    <Card title={title} flush>
      <DataTable
        caption={title}
        columns={[
          { label: "Compare", rowHeader: true, speaking: true },
          { label: "A" },
          { label: "A took", align: "end" },
          { label: "B" },
          { label: "B took", align: "end" },
        ]}
        rows={pairs.map(({ task_id_key, a, b }) => ({
          key: `${a.invocation_id} ${b.invocation_id}`,
          cells: [
            <TaskName
              key="task"
              task_id_key={task_id_key}
              href={links.diff({ a: a.invocation_id, b: b.invocation_id })}
            />,
            <Row key="a" row={a} />,
            <Duration key="a took" seconds={a.duration_seconds} />,
            <Row key="b" row={b} />,
            <Duration key="b took" seconds={b.duration_seconds} />,
          ],
        }))}
        empty={null}
      />
    </Card>
  );
}

function Differing({ model }: { model: Diff }) {
  const { a, b, last_success, nodes, notes } = model;
  const [top] = nodes;
  const given = nodes.filter((node) => node.differs.includes("arguments") || node.differs.includes("outcome"));
  return (
    <>
      <div class="columns">
        <Side name="A" id={a} row={top?.a ?? null} remark={null} />
        <Side name="B" id={b} row={top?.b ?? null} remark={last_success ? "the last success before A" : null} />
      </div>
      <p class="diff-sentence">{diffSentence(model)}</p>
      <Notes notes={notes} tone="warn" />
      {given.length > 0 && <Changes nodes={given} />}
      {top?.phases != null && top.phases.length > 0 && <Phases phases={top.phases} />}
      <Pairs nodes={nodes} />
    </>
  );
}

function Side({ name, id, row, remark }: { name: string; id: string; row: DiffNode["a"]; remark: string | null }) {
  const links = useLinks();
  return (
    <Card title={remark === null ? name : `${name}: ${remark}`}>
      <p>
        <Id value={id} href={links.invocation(id)} />
      </p>
      {row !== null && (
        <p class="with-mark">
          <InvocationStatus row={row} />
          <Time iso={row.registered_at} />
        </p>
      )}
      {row?.exception != null && <p class="diff-value">{outcomeText(row)}</p>}
    </Card>
  );
}

/** Arguments and outcomes that differ, of all pairs. */
function Changes({ nodes }: { nodes: readonly DiffNode[] }) {
  const value = (text: string | null) =>
    text === null ? <span class="muted">not given</span> : <code class="diff-value">{visibleLine(text)}</code>;
  const rows = nodes.flatMap((node, at) => [
    ...(node.differs.includes("outcome")
      ? [{ key: `${at} outcome`, node, what: "outcome", a: outcomeText(node.a), b: outcomeText(node.b) }]
      : []),
    ...node.arguments.map((one) => ({ key: `${at} ${one.name}`, node, what: one.name, a: one.a, b: one.b })),
    ...(node.differs.includes("arguments") && node.arguments.length === 0
      ? [{ key: `${at} arguments`, node, what: "arguments", a: "not readable in full", b: "not readable in full" }]
      : []),
  ]);
  return (
    <Card title="Arguments and outcomes" flush>
      <DataTable
        caption="Arguments and outcomes that differ"
        columns={[{ label: "Task", rowHeader: true }, { label: "What" }, { label: "A" }, { label: "B" }]}
        rows={rows.map(({ key, node, what, a, b }) => ({
          key,
          cells: [<Task key="task" node={node} />, visibleLine(what), value(a), value(b)],
        }))}
        empty={null}
      />
    </Card>
  );
}

function Phases({ phases }: { phases: readonly DiffPhase[] }) {
  return (
    <Card title="Times of the two" flush>
      <ColumnTable
        caption="Times of the two by phase"
        columns={PHASE_COLUMNS}
        records={phases}
        keyOf={({ phase }) => phase}
        empty={null}
      />
    </Card>
  );
}

function Pairs({ nodes }: { nodes: readonly DiffNode[] }) {
  return (
    <Card title="Invocations" flush>
      <DataTable
        caption="Invocations of both, in pairs by task and order"
        columns={[
          { label: "Task", rowHeader: true },
          { label: "A" },
          { label: "B" },
          { label: "B − A", align: "end", hint: "How much longer all phases of B took" },
          { label: "Differs" },
        ]}
        rows={nodes.map((node, at) => ({
          key: `${at}`,
          cells: [
            <Fragment key="task">
              {Array.from({ length: Math.min(node.depth, INDENTED) }, (_, depth) => (
                <span key={String(depth)} class="diff-indent" />
              ))}
              <Task node={node} />
            </Fragment>,
            <Row key="a" row={node.a} />,
            <Row key="b" row={node.b} />,
            node.difference_seconds === null ? (
              ""
            ) : (
              <span key="difference" class="number">
                {signedDuration(node.difference_seconds)}
              </span>
            ),
            node.differs.map((kind) => DIFFERENCE_WORDS[kind]).join(", "),
          ],
        }))}
        empty={null}
      />
    </Card>
  );
}

function Task({ node: { task_id_key } }: { node: DiffNode }) {
  const links = useLinks();
  if (task_id_key === null) return <span class="muted">unknown task</span>;
  return <TaskName task_id_key={task_id_key} href={links.task(task_id_key)} />;
}

function Row({ row }: { row: DiffNode["a"] }) {
  const links = useLinks();
  if (row === null) return <span class="muted">none</span>;
  return (
    <span class="with-mark">
      <Id value={row.invocation_id} href={links.invocation(row.invocation_id)} copy={false} />
      <InvocationStatus row={row} />
    </span>
  );
}
