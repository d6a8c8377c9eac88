import type { ActionCount, ActionPreview, AliveRunners } from "../../../src/api/actions.ts";
import { count, visible } from "../../../src/presentation/text.ts";
import { RunnerName } from "../facts/runner-name.tsx";
import { Card } from "../ui/card.tsx";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

/** What an action would do: what is removed, the consequences, what stays. */
export function ActionEffects({ preview }: { preview: ActionPreview }) {
  return (
    <>
      <RunnersAtWork alive={preview.runners_alive} />
      <Card title={total(preview)} flush>
        <ActionCounts counts={preview.counts} />
      </Card>
      <Sentences title="Consequences" sentences={preview.consequences} />
      <Sentences title="Kept" sentences={preview.stays} />
    </>
  );
}

function total({ total, counts }: ActionPreview): string {
  const about = counts.every((one) => one.exact) ? "" : "about ";
  return total === 1 ? "1 row would be deleted" : `${about}${count(total)} rows would be deleted`;
}

function ActionCounts({ counts }: { counts: readonly ActionCount[] }) {
  return (
    <DataTable
      caption="Rows that would be deleted"
      columns={[{ label: "Component" }, { label: "What", rowHeader: true }, { label: "Rows", align: "end" }]}
      rows={counts.map(({ component, name, rows, exact }) => ({
        key: `${component} ${name}`,
        cells: [
          <span key="component" class="muted">
            {component.replaceAll("_", " ")}
          </span>,
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

function Sentences({ title, sentences }: { title: string; sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <Card title={title}>
      <ul class="sentences stack">
        {sentences.map((sentence) => (
          <li key={sentence}>{visible(sentence)}</li>
        ))}
      </ul>
    </Card>
  );
}

/** Whether runners may write while data is removed. */
function RunnersAtWork({ alive }: { alive: AliveRunners }) {
  if (alive.count === 0) return <Notice tone="info">No runner is active now.</Notice>;
  return (
    <Notice tone="warn">
      <p>
        {alive.count === 1 ? "1 runner is active now" : `${count(alive.count)} runners are active now`}
        {alive.runners.length < alive.count ? ", latest heartbeats first:" : ":"}
      </p>
      <ul class="notes stack">
        {alive.runners.map((runner) => (
          <li key={runner.runner_id}>
            <RunnerName {...runner} missing={runner.context_missing} />, heartbeat{" "}
            <Time iso={runner.last_heartbeat} relative />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
