import type { RerunCall, RerunGroup } from "../../../src/api/reruns.ts";
import { count, NOTHING, shortId, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Count } from "../ui/count.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";
import { InvocationStatus } from "./invocation-status.tsx";
import { TaskName } from "./task-name.tsx";

export interface CallGroupsProps {
  groups: readonly RerunGroup[];
  /** Group by group. */
  calls: readonly RerunCall[];
  /** Each may call more again than is counted. */
  capped: boolean;
  /** Each call has a box, checked at first unless it was already rerun, that sends its id as `selected`. */
  selectable: boolean;
}

/** Up to this many calls are shown expanded; beyond, only the groups are. */
const OPEN_UP_TO = 40;

/** Calls that would be registered again, by task and exception. Selecting works without scripts; whole groups need them (client/selection.ts). */
export function CallGroups({ groups, calls, capped, selectable }: CallGroupsProps) {
  return (
    <div class="stack">
      {groups.map((group) => {
        const name = `${visibleLine(group.task_id_key ?? "task not stored")} ${visibleLine(group.exception_type ?? "")}`;
        return (
          <div key={name} class="call-group">
            {selectable && (
              <label class="check needs-script" title="All calls of the group">
                <input
                  type="checkbox"
                  class="select-group"
                  checked={group.registered > 0}
                  disabled={group.registered === 0}
                />
                <span class="visually-hidden">All calls of {name.trim()}</span>
              </label>
            )}
            <details open={calls.length <= OPEN_UP_TO || groups.length === 1}>
              <summary>
                <GroupName group={group} />
              </summary>
              <Calls
                calls={calls.filter((call) => belongs(call, group))}
                capped={capped}
                selectable={selectable}
                name={name}
              />
            </details>
          </div>
        );
      })}
    </div>
  );
}

function belongs(call: RerunCall, group: RerunGroup): boolean {
  return call.task_id_key === group.task_id_key && call.exception_type === group.exception_type;
}

function GroupName({ group: { task_id_key, exception_type, registered, refused } }: { group: RerunGroup }) {
  return (
    <span class="call-group-name">
      {task_id_key === null ? <span class="muted">task not stored</span> : <TaskName task_id_key={task_id_key} />}
      {exception_type !== null && <bdi class="mono">{visibleLine(exception_type)}</bdi>}
      <span class="muted">
        {registered === 1 ? "1 call" : `${count(registered)} calls`}
        {refused > 0 && `, ${count(refused)} not registered`}
      </span>
    </span>
  );
}

function Calls({ calls, capped, selectable, name }: Omit<CallGroupsProps, "groups"> & { name: string }) {
  const links = useLinks();
  const box: Column = { label: "Run" };
  const columns: Column[] = [
    ...(selectable ? [box] : []),
    { label: "Invocation", rowHeader: true },
    { label: "Arguments" },
    { label: "Status" },
    { label: "Registered", hint: "First entry of its history" },
    { label: "Calls below", align: "end", hint: "Calls below this one, which it makes again if it runs the same way" },
  ];
  return (
    <DataTable
      columns={columns}
      caption={`Calls of ${name.trim()}`}
      empty={<p class="muted">Not among the calls listed here.</p>}
      rows={calls.map((call) => ({
        key: call.invocation_id,
        cells: [
          ...(selectable ? [<Box key="box" call={call} />] : []),
          <span key="id">
            <Id value={call.invocation_id} href={links.invocation(call.invocation_id)} />
            {call.rerun_as !== null && (
              <span class="small">
                {" rerun as "}
                <Id value={call.rerun_as} href={links.invocation(call.rerun_as)} copy={false} />
              </span>
            )}
          </span>,
          <Arguments key="arguments" line={call.arguments_line} />,
          <InvocationStatus key="status" row={call} />,
          <Time key="registered" iso={call.registered_at} relative />,
          <Count key="calls" value={call.led_to} capped={capped} />,
        ],
      }))}
    />
  );
}

function Box({ call: { invocation_id, rerun_as, refusal } }: { call: RerunCall }) {
  if (refusal !== null) {
    return (
      <span class="mark mark-warn" title={refusal}>
        refused
      </span>
    );
  }
  return (
    <input
      type="checkbox"
      name="selected"
      value={invocation_id}
      checked={rerun_as === null}
      aria-label={`Rerun ${visibleLine(shortId(invocation_id))}`}
    />
  );
}

function Arguments({ line }: { line: string | null }) {
  if (line === null) return <span class="muted">not stored</span>;
  if (line === "") return <span class="muted">{NOTHING}</span>;
  return (
    <bdi class="mono call-arguments" title={visibleLine(line)}>
      {visibleLine(line)}
    </bdi>
  );
}
