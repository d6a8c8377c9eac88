import type { ComponentChildren } from "preact";
import type { ActionCount, ActionPreview, AliveRunners } from "../../../src/api/actions.ts";
import { count, visible, visibleLine } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { RunnerName } from "../facts/runner-name.tsx";
import { Card } from "../ui/card.tsx";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

/** Rows of a table that is read at once. */
const SHOWN = 8;

/** What an action would do: what is removed, the consequences, what stays. @param children what is removed, if that says more than the counts do */
export function ActionEffects({ preview, children }: { preview: ActionPreview; children?: ComponentChildren }) {
  const { consequences, stays } = preview;
  const counts = preview.counts.some(({ rows }) => rows > 0)
    ? preview.counts.filter(({ rows, exact }) => rows > 0 || !exact)
    : preview.counts;
  const table = <ActionCounts counts={counts} />;
  return (
    <>
      <RunnersAtWork alive={preview.runners_alive} />
      <Card title={total(preview)} id="card-rows" flush>
        {children ? (
          children
        ) : counts.length > SHOWN ? (
          <details class="more-rows" id="rows-by-table">
            <summary>{byComponent(counts)}</summary>
            {table}
          </details>
        ) : (
          table
        )}
      </Card>
      <Consequences sentences={consequences} stays={stays} />
    </>
  );
}

/** What follows from an action, and what stays as it is. */
export function Consequences({ sentences, stays = [] }: { sentences: readonly string[]; stays?: readonly string[] }) {
  if (sentences.length + stays.length === 0) return null;
  return (
    <Card title={sentences.length === 0 ? "What is kept" : "Consequences"}>
      <ul class="bullets">
        {sentences.map((sentence) => (
          <li key={sentence}>{visible(sentence)}</li>
        ))}
        {stays.map((sentence) => (
          <li key={sentence} class="muted">
            {sentences.length > 0 && "Kept: "}
            {visible(sentence)}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** `broker 6, orchestrator 887`. */
function byComponent(counts: readonly ActionCount[]): string {
  const sums = new Map<string, number>();
  for (const { component, rows } of counts) sums.set(component, (sums.get(component) ?? 0) + rows);
  return [...sums].map(([component, rows]) => `${component.replaceAll("_", " ")} ${count(rows)}`).join(", ");
}

/** `3 messages would be deleted`, or rows where other things are too. */
function total({ total, counts }: ActionPreview): string {
  const about = counts.every((one) => one.exact) ? "" : "about ";
  const word = counts.every(({ component }) => component === "broker") ? "message" : "row";
  return `${about}${counted(total, word)} would be deleted`;
}

function ActionCounts({ counts }: { counts: readonly ActionCount[] }) {
  const several = counts.some(({ component }) => component !== counts[0]?.component);
  return (
    <DataTable
      caption="Rows that would be deleted"
      columns={[
        ...(several ? [{ label: "Component" }] : []),
        { label: "What", rowHeader: true },
        { label: "Rows", align: "end" },
      ]}
      rows={counts.map(({ component, name, rows, exact }) => ({
        key: `${component} ${name}`,
        cells: [
          ...(several
            ? [
                <span key="component" class="muted">
                  {component.replaceAll("_", " ")}
                </span>,
              ]
            : []),
          name.replaceAll("_", " "),
          <span key="rows">
            {exact ? "" : "about "}
            <Count value={rows} />
          </span>,
        ],
      }))}
      empty={<Empty title="Nothing is stored here">The component has no data in this store.</Empty>}
    />
  );
}

/** Whether runners may write while data is removed. */
function RunnersAtWork({ alive }: { alive: AliveRunners }) {
  const { takes_from: queue } = alive;
  if (alive.count === 0) {
    return (
      <Notice tone="info">
        {queue === null ? "No runner is active now." : `No active runner takes from ${visibleLine(queue)}.`}
      </Notice>
    );
  }
  const words =
    queue === null
      ? `${counted(alive.count, "runner is", "runners are")} active now`
      : `${counted(alive.count, "active runner takes", "active runners take")} from ${visibleLine(queue)}`;
  return (
    <Notice tone="warn">
      <details id="runners-at-work">
        <summary>{words}</summary>
        <ul class="notes">
          {alive.runners.map((runner) => (
            <li key={runner.runner_id}>
              <RunnerName {...runner} missing={runner.context_missing} />, heartbeat{" "}
              <Time iso={runner.last_heartbeat} relative />
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}
