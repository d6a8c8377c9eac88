import { Fragment } from "preact";
import type { OrchestratorOverview } from "../../src/api/components.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { Blocking, LISTED, StaleBlocking } from "../fragments/invocations/blocking.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DangerZone } from "../fragments/ui/danger-zone.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { SettingsTable } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

export function OrchestratorContent({ model, readOnly }: View<OrchestratorOverview>) {
  const links = useLinks();
  const { pending, running } = model.recovery;
  const due = pending.length + running.length;
  const recovery = <Recovery model={model} />;
  return (
    <>
      <PageHeader
        title="Orchestrator"
        summary="Statuses, ownership, which invocation waits for which, and recovery of stuck invocations."
      />
      {!model.present && (
        <Notice tone="warn">
          The orchestrator has no data in this store: the app keeps statuses in memory or in another store, which this
          monitor cannot see.
        </Notice>
      )}
      <Tiles>
        <Tile
          label="Due for recovery"
          value={<Count value={due} capped={Math.max(pending.length, running.length) >= LISTED} />}
          href="#recovery"
          tone={due > 0 ? "warn" : "plain"}
          hint="stuck invocations"
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
          href={links.runners()}
          hint="active runners that take turns"
        />
        <Tile
          label="Invocations"
          value={<Count value={model.totals.with_status} />}
          href={links.invocations()}
          hint={keptHint(model.totals)}
        />
      </Tiles>
      {due > 0 && recovery}
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
      <StaleBlocking model={model} />
      {due === 0 && recovery}
      <AtomicService executions={model.atomic_service_executions} />
      <Card title="Settings" flush>
        <SettingsTable
          settings={model.settings}
          caption="Settings of the orchestrator"
          words={{
            recover_pending_invocations_cron: model.crons.pending,
            recover_running_invocations_cron: model.crons.running,
          }}
        />
      </Card>
      <DangerZone
        readOnly={readOnly}
        actions={[
          {
            label: "Auto-purge …",
            href: links.autoPurgeOrchestrator(),
            text: "Removes final invocations whose retention has passed, and old executions of the atomic service.",
          },
          {
            label: "Purge the orchestrator …",
            href: links.purgeOrchestrator(),
            text: "Deletes all statuses, heartbeats, blocking edges and executions.",
          },
        ]}
      />
    </>
  );
}

function keptHint({ forgotten, complete }: OrchestratorOverview["totals"]): string {
  if (forgotten === 0) return "with a status";
  return `with a status; ${complete ? "" : "at least "}${count(forgotten)} others have no status and are counted below by the last entry of their history`;
}

function Recovery({ model: { recovery, stuck_after, crons, runners } }: { model: OrchestratorOverview }) {
  const parts = [
    {
      rows: recovery.pending,
      title: `pending for more than ${stuck_after.pending}`,
      meaning: "Taken by a runner but not started since.",
      cron: inSentence(crons.pending),
      caption: "Invocations stuck in pending",
    },
    {
      rows: recovery.running,
      title: `running on a runner with no heartbeat stored for the last ${stuck_after.running}`,
      meaning: "Such a runner is considered dead.",
      cron: inSentence(crons.running),
      caption: "Invocations running on a dead runner",
    },
  ];
  const found = parts.filter((part) => part.rows.length > 0);
  if (found.length === 0) {
    return (
      <Card id="recovery" title="Due for recovery">
        <Empty title="No stuck invocations">
          <p>Runners recover invocations that are</p>
          <ul class="bullets">
            {parts.map((part) => (
              <li key={part.title}>
                {part.title}, checked {part.cron} (with the settings found here)
              </li>
            ))}
          </ul>
        </Empty>
      </Card>
    );
  }
  return (
    <Card id="recovery" title="Due for recovery" flush>
      {found.map(({ rows, title, meaning, cron, caption }) => (
        <Fragment key={caption}>
          <div class="card-part">
            <h3>
              {rows.length >= LISTED ? `${LISTED} or more` : count(rows.length)} {title}
            </h3>
            <p class="muted">
              {meaning}{" "}
              {runners.active === 0
                ? "No runner is active to put them back into the queue."
                : `With the settings found here, an active runner checks for them ${cron} and puts them back into the queue.`}
            </p>
          </div>
          <InvocationTable invocations={rows} caption={caption} empty={null} hide={["duration_seconds"]} />
        </Fragment>
      ))}
    </Card>
  );
}

/** `Every 5 minutes` within a sentence. */
function inSentence(words: string): string {
  return visibleLine(words.charAt(0).toLowerCase() + words.slice(1));
}

/** Words of storage-format.md 6.1 explained; a word that is not here is shown alone. */
const EXECUTION_HINT: ReadonlyMap<string, string> = new Map([
  ["running", "in progress"],
  ["completed", "ended normally"],
  ["blocked", "blocked by another run"],
  ["abandoned", "ended by an exception"],
]);

function AtomicService({ executions }: { executions: Record<string, number> | null }) {
  const links = useLinks();
  const turns = <a href={links.atomicScheduling()}>Schedule</a>;
  if (executions === null) {
    return (
      <Card title="Runs of the atomic service" actions={turns}>
        <Empty title="This layout does not record them">
          <p>pynenc records each run since 0.2.4; older layouts keep only the last run of each runner.</p>
        </Empty>
      </Card>
    );
  }
  const entries = Object.entries(executions).sort(([, a], [, b]) => b - a);
  return (
    <Card title="Runs of the atomic service" flush={entries.length > 0} actions={turns}>
      {entries.length === 0 ? (
        <Empty title="No run is recorded">
          <p>
            Runners take turns running triggers and recovery. No runner has had a turn yet, or the records were removed.
          </p>
        </Empty>
      ) : (
        <Tiles>
          {entries.map(([status, runs]) => (
            <Tile
              key={status}
              label={visibleLine(status)}
              value={<Count value={runs} />}
              href={EXECUTION_HINT.has(status) ? links.atomicTimeline({ status }) : undefined}
              hint={EXECUTION_HINT.get(status)}
            />
          ))}
        </Tiles>
      )}
    </Card>
  );
}

export const page: Page<OrchestratorOverview> = {
  region: "orchestrator-stats",
  nav: "orchestrator",
  title: () => "Orchestrator",
  content: OrchestratorContent,
};
