import type { ExecutionRow } from "../../../src/api/runners.ts";
import { serviceStatus } from "../../../src/presentation/facts/service-run.ts";
import { NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { FactValueView } from "../facts/fact-value.tsx";
import { NamedRunner } from "../facts/runner-name.tsx";
import { Id } from "../ui/id.tsx";

/** Status of a run, and whether it will ever end. */
export function RunStatus({ run }: { run: Pick<ExecutionRow, "status" | "stuck"> }) {
  return <FactValueView value={{ parts: serviceStatus(run) }} />;
}

/** The runner of a run. A dead one is marked, because its unfinished runs will never end. */
export function RunRunner({ run }: { run: Pick<ExecutionRow, "runner" | "runner_active"> }) {
  return (
    <span class="with-mark">
      <NamedRunner name={run.runner} />
      {!run.runner_active && (
        <span class="mark" title="Its last heartbeat is older than the app allows, or there is none">
          silent
        </span>
      )}
    </span>
  );
}

/** Why a run ended as it did, with a link to the run that blocked it. */
export function ServiceReason({ run }: { run: Pick<ExecutionRow, "reason" | "prior_run"> }) {
  const links = useLinks();
  const { prior_run: prior, reason } = run;
  if (reason === "") return <span class="muted">{NOTHING}</span>;
  if (prior === null) return <span class="cell-text">{visibleLine(beginning(reason))}</span>;
  return (
    <span class="with-mark" title={visibleLine(reason)}>
      blocked by{" "}
      <Id value={prior.atomic_service_run_id} href={links.atomicRun(prior.atomic_service_run_id)} copy={false} />
    </span>
  );
}

/** A stored text may have any length; the run's own page shows all of it. */
function beginning(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200).replace(/[\ud800-\udbff]$/, "")}…`;
}
