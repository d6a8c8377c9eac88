import type { PendingCondition, PendingList, PendingTrigger } from "../../../src/api/conditions.ts";
import { count, NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { TaskName } from "../invocations/task-name.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";
import { ConditionWords } from "./condition-words.tsx";
import { Causes } from "./run-cause.tsx";

/** Conditions that were met and are still stored, with what each waits for. */
export function PendingTable({
  rows,
  caption,
  hide = [],
}: {
  rows: readonly PendingCondition[];
  caption: string;
  hide?: readonly ("condition" | "cause")[];
}) {
  const links = useLinks();
  const condition = !hide.includes("condition");
  const cause = !hide.includes("cause");
  return (
    <DataTable
      caption={caption}
      columns={[
        ...(condition ? [{ label: "Condition", rowHeader: true }] : []),
        ...(cause ? [{ label: "Met by" }] : []),
        { label: "Met at" },
        { label: "Effect on triggers" },
        { label: "Valid condition", roomy: true },
      ]}
      rows={rows.map((row) => ({
        key: row.valid_condition_id,
        cells: [
          ...(condition ? [<Words key="condition" row={row} />] : []),
          ...(cause ? [<Cause key="cause" row={row} />] : []),
          <MetAt key="at" row={row} />,
          <Becomes key="becomes" row={row} />,
          <Id
            key="id"
            value={row.valid_condition_id}
            href={links.validCondition(row.valid_condition_id)}
            copy={false}
          />,
        ],
      }))}
      empty={null}
    />
  );
}

/** `3`, `1,000+`, or nothing where it is not known. */
export function pendingTotal({ total, capped }: PendingList): string {
  return total === null ? "" : ` (${count(total)}${capped ? "+" : ""})`;
}

function Words({ row: { condition_id, sentence } }: { row: PendingCondition }) {
  return (
    <span class="cell-text">
      {condition_id === null ? (
        <bdi>{visibleLine(sentence ?? "unreadable")}</bdi>
      ) : (
        <ConditionWords condition_id={condition_id} sentence={sentence} registered />
      )}
    </span>
  );
}

function Cause({ row: { cause } }: { row: PendingCondition }) {
  if (cause === null) return <span class="muted">{NOTHING}</span>;
  return <Causes causes={[cause]} total={1} />;
}

function MetAt({ row: { met_at, met_at_is_local } }: { row: PendingCondition }) {
  return (
    <span class="with-mark">
      <Time iso={met_at} relative />
      {met_at !== null && met_at_is_local && (
        <span class="mark" title="pynenc before 0.2.4 stored local times without a time zone">
          local time
        </span>
      )}
    </span>
  );
}

function Becomes({ row: { triggers, triggers_truncated } }: { row: PendingCondition }) {
  if (triggers.length === 0) return <span class="muted">no registered trigger has this condition</span>;
  return (
    <ul class="plain-list">
      {triggers.map((trigger) => (
        <li key={trigger.trigger_id}>
          <PendingTriggerWords trigger={trigger} />
        </li>
      ))}
      {triggers_truncated && <li class="muted">and more</li>}
    </ul>
  );
}

/** A trigger that has the condition, and whether it runs, waits or ran. */
function PendingTriggerWords({ trigger }: { trigger: PendingTrigger }) {
  const links = useLinks();
  return (
    <span class="cell-text">
      <TaskName task_id_key={trigger.task_id_key} href={links.trigger(trigger.trigger_id)} />{" "}
      <PendingState trigger={trigger} />
    </span>
  );
}

/** What a trigger does about a condition that was met. */
export function PendingState({ trigger: { state, missing, missing_count } }: { trigger: PendingTrigger }) {
  switch (state) {
    case "ready":
      return <>is due at the next turn of the atomic service</>;
    case "ran":
      return <span class="muted">has already run for it</span>;
    case "unknown":
      return <span class="muted">has other conditions, which are still being checked</span>;
    case "waiting": {
      const more = missing_count - missing.length;
      return (
        <>
          is waiting for{" "}
          {missing.map((condition, index) => (
            <span key={condition.condition_id}>
              {index > 0 && ", "}
              <ConditionWords {...condition} registered={condition.sentence !== null} />
            </span>
          ))}
          {more > 0 && <span class="muted"> and {count(more)} more</span>}
        </>
      );
    }
  }
}
