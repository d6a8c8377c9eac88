import type { OrchestratorOverview } from "../../src/api/components.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { Blocking, LISTED, StaleBlocking } from "../fragments/invocations/blocking.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { ComponentHead } from "../fragments/store/component-head.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

export function OrchestratorContent({ model, readOnly }: View<OrchestratorOverview>) {
  const links = useLinks();
  return (
    <>
      <ComponentHead
        title="Orchestrator"
        name="the orchestrator"
        present={model.present}
        removals={[
          {
            href: links.autoPurgeOrchestrator(),
            label: "Auto-purge",
            effect: "Removes final invocations whose retention has passed, and old runs of the atomic service.",
          },
          {
            href: links.purgeOrchestrator(),
            label: "Purge",
            effect: "Deletes all statuses, heartbeats, waits for results, and runs of the atomic service.",
          },
        ]}
        readOnly={readOnly}
      >
        <p>Statuses, ownership, which invocation waits for which, and recovery of stuck invocations.</p>
      </ComponentHead>
      <Kept model={model} />
      <StaleBlocking model={model} />
      <Settings
        settings={model.settings}
        caption="Settings of the orchestrator"
        words={{
          recover_pending_invocations_cron: model.crons.pending,
          recover_running_invocations_cron: model.crons.running,
        }}
      />
    </>
  );
}

/** What it keeps, and what is wrong with it. */
function Kept({ model }: { model: OrchestratorOverview }) {
  const links = useLinks();
  const { pending, running } = model.recovery;
  const due = pending.length + running.length;
  if (model.totals.with_status + model.runners.known === 0) {
    return !model.present ? null : (
      <Empty title="No status and no heartbeat is stored">
        Both appear once a runner has started and a task is called.
      </Empty>
    );
  }
  return (
    <>
      <Tiles>
        <Tile
          label="Stuck"
          value={<Count value={due} capped={Math.max(pending.length, running.length) >= LISTED} />}
          href={due > 0 ? "#recovery" : undefined}
          tone={due > 0 ? "warn" : "plain"}
          hint="invocations due for recovery"
        />
        <Tile
          label="Waits"
          value={<Count value={model.blocking_count} capped={!model.blocking_complete} />}
          href="#blocking"
          hint={`of one invocation for another${model.stale_blocking_count === 0 ? "" : `; ${count(model.stale_blocking_count)} left over`}`}
        />
        <Tile
          label="Active runners"
          value={<Count value={model.runners.active} />}
          href={links.runners()}
          hint={`of ${count(model.runners.known)}${model.runners.known_capped ? "+" : ""} recorded`}
        />
        <Tile
          label="In the atomic service"
          value={<Count value={model.runners.eligible_for_atomic_service} />}
          href={links.atomicScheduling()}
          hint={serviceHint(model.atomic_service_executions)}
        />
        <Tile
          label="Invocations"
          value={<Count value={model.totals.with_status} />}
          href={links.invocations()}
          hint={keptHint(model.totals)}
        />
      </Tiles>
      {due > 0 && <Recovery model={model} />}
      <Card title="Invocations by status">
        <StatusCounts
          counts={model.statuses.map(({ status, count }) => ({
            status,
            count,
            href: links.invocations({ status: [status] }),
          }))}
        />
      </Card>
      <Blocking model={model} />
    </>
  );
}

function keptHint({ forgotten, complete }: OrchestratorOverview["totals"]): string {
  if (forgotten === 0) return "with a status";
  return `with a status; ${complete ? "" : "at least "}${count(forgotten)} without one, counted by their last history entry`;
}

function serviceHint(executions: Record<string, number> | null): string {
  const abandoned = executions?.abandoned ?? 0;
  return abandoned === 0 ? "active runners take turns" : `active runners; ${counted(abandoned, "run")} abandoned`;
}

/** What the app's own recovery will put back into the queue, and when. */
function Recovery({ model: { recovery, stuck_after, crons, runners } }: { model: OrchestratorOverview }) {
  const { pending, running } = recovery;
  const more = Math.max(pending.length, running.length) >= LISTED;
  return (
    <Card
      id="recovery"
      title={`${counted(pending.length + running.length, "stuck invocation")}${more ? " or more" : ""}`}
      flush
      actions={
        <Info about="stuck invocations">
          <p>
            Pending: picked up but not started for more than {stuck_after.pending}. Checked {inSentence(crons.pending)}.
          </p>
          <p>
            Running: its runner has stored no heartbeat for the last {stuck_after.running}. Checked{" "}
            {inSentence(crons.running)}.
          </p>
          <p>An active runner checks and puts them back into the queue.</p>
        </Info>
      }
    >
      <InvocationTable
        invocations={[...pending, ...running]}
        caption="Invocations due for recovery"
        empty={null}
        hide={["duration_seconds"]}
      />
      {runners.active === 0 && <p class="card-foot">No runner is active to put them back into the queue.</p>}
    </Card>
  );
}

/** `Every 5 minutes` within a sentence. */
function inSentence(words: string): string {
  return visibleLine(words.charAt(0).toLowerCase() + words.slice(1));
}

export const page: Page<OrchestratorOverview> = {
  region: "orchestrator-stats",
  nav: "orchestrator",
  title: () => "Orchestrator",
  content: OrchestratorContent,
};
