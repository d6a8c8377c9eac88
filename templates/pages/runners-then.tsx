import type { RunnersAt } from "../../src/api/runners.ts";
import { type Column, timeColumn } from "../../src/presentation/facts/column.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";

/** The runners that were active at an instant of the past. */
export function RunnersThen({ model: { runners, more } }: { model: RunnersAt }) {
  const links = useLinks();
  return (
    <>
      <PageHeader title="Runners" />
      <Card
        title={`${more ? "At least " : ""}${counted(runners.length, "runner")} then`}
        flush
        actions={<a href={links.timeline()}>What they ran</a>}
      >
        <ColumnTable
          caption="Runners that were active then, the latest heartbeat first"
          columns={COLUMNS}
          records={runners}
          keyOf={({ name }) => name.runner_id}
          empty={<Empty title="No runner that is still recorded was active then" />}
        />
      </Card>
    </>
  );
}

const COLUMNS: readonly Column<RunnersAt["runners"][number]>[] = [
  { of: ["name"], label: "Runner", value: ({ name }) => ({ runner: name }) },
  timeColumn("since", "First heartbeat", { roomy: true, instants: true }),
  {
    of: ["silent_since"],
    label: "State",
    hint: "Only the first and the last heartbeat are stored",
    value: ({ silent_since: time }) =>
      time === null ? "active: heartbeats came later" : { parts: ["last heartbeat at", { time, of_day: true }] },
  },
];
