import type { RunnersAt } from "../../src/api/runners.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Time } from "../fragments/ui/time.tsx";
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
        <DataTable
          caption="Runners that were active then, the latest heartbeat first"
          columns={[
            { label: "Runner", rowHeader: true },
            { label: "First heartbeat", roomy: true },
            { label: "State", hint: "Only the first and the last heartbeat are stored" },
          ]}
          rows={runners.map(({ name, since, silent_since }) => ({
            key: name.runner_id,
            cells: [
              <FactValueView key="runner" value={{ runner: name }} cell />,
              <Time key="since" iso={since} />,
              silent_since === null ? (
                "active: heartbeats came later"
              ) : (
                <span key="state">
                  last heartbeat at <Time iso={silent_since} clock />
                </span>
              ),
            ],
          }))}
          empty={<Empty title="No runner that is still recorded was active then" />}
        />
      </Card>
    </>
  );
}
