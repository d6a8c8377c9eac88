import type { OverviewThen as Model } from "../../src/services/health/overview-at.ts";
import { StatusesThen } from "../fragments/invocations/statuses-then.tsx";
import { NothingRecorded, NotRead } from "../fragments/stats/nothing-recorded.tsx";
import { Failing } from "../fragments/stats/recent.tsx";
import { StatsStrip } from "../fragments/stats/stats-strip.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";

/** The overview at an instant of the past. What looked wrong then is not known. */
export function OverviewThen({ model }: { model: Model }) {
  const links = useLinks();
  const { statuses, queue, runners, recent, recent_note } = model;
  return (
    <>
      <PageHeader title="Overview" />
      <Tiles>
        <Tile
          label="Waited"
          value={<Count value={queue.page.total} />}
          href={links.broker()}
          hint={queue.queues_complete ? "for a runner" : "for a runner, at least"}
        />
        <Tile
          label="Runners"
          value={<Count value={runners.runners.length} />}
          href={links.runners()}
          hint={runners.more ? "active, at least" : "active"}
        />
        <Tile label="Invocations" value={<Count value={statuses.invocations} />} href={links.invocations()} />
      </Tiles>
      <StatusesThen statuses={statuses} />
      {recent === null && recent_note !== null && <NotRead title="Failures by group" note={recent_note} />}
      {recent !== null && recent.entries === 0 && (
        <Card title="Failures by group" flush>
          <NothingRecorded model={recent} href={(range) => links.dashboard(range)} />
        </Card>
      )}
      {recent !== null && recent.entries > 0 && (
        <>
          <StatsStrip stats={recent} href={links.stats} />
          <Failing recent={recent} />
        </>
      )}
    </>
  );
}
