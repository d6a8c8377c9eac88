import type { ServerLoad } from "../../../src/api/model/common.ts";
import { loadWords } from "../../../src/presentation/load.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { Card } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";

/** The load that the monitor puts on the servers. Renders nothing for stores in files. */
export function MonitorLoad({ loads }: { loads: readonly ServerLoad[] }) {
  if (loads.length === 0) return null;
  return (
    <Card title="Load caused by this monitor">
      <Facts rows={loads.map((load) => ({ label: visibleLine(load.location), value: loadWords(load) }))} />
    </Card>
  );
}
