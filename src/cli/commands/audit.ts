import type { AuditEntry } from "../../api/audit.ts";
import { VIA_WORDS } from "../../presentation/audit.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { audit } from "../../questions/audit.ts";
import { ActionLog } from "../../services/actions/action-log.ts";
import { auditPage } from "../../services/actions/audit.ts";
import { auditFile } from "../audit-location.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { pageNotes } from "../print/text.ts";
import { timeToSeconds, zoneMark } from "../print/zone.ts";
import { withApp } from "../session.ts";

/** `monitor audit`: actions on this app by monitors of this user, assistants included, newest first. */
export async function run(flags: Flags): Promise<void> {
  const raw = rawInput(flags, audit.input);
  await withApp(flags, async (app, out, options) => {
    const nothing = () => undefined;
    const log = new ActionLog({ via: "cli", file: auditFile(options), write: nothing, warn: nothing });
    const list = await inFlagWords(audit.input, () => auditPage(app, log, raw));
    if (out.json) return out.document(list);
    if (list.entries.length > 0) out.table(columns(out), list.entries);
    else if (list.page.number === 1) out.say("No actions yet.");
    out.say(...list.notes, ...pageNotes(list.page, "action"));
  });
}

function columns(out: Output): Column<AuditEntry>[] {
  return [
    { title: `WHEN${zoneMark()}`, cell: (entry) => timeToSeconds(entry.at) },
    { title: "ACTION", cell: (entry) => visibleLine(entry.action), cut: "end", min: 8 },
    {
      title: "OUTCOME",
      cell: ({ outcome }) => (outcome === "done" ? outcome : { text: outcome, paint: out.paint.warning }),
    },
    { title: "WHO", cell: (entry) => `${visibleLine(entry.who)} (${VIA_WORDS[entry.via]})`, cut: "end", min: 8 },
    { title: "WHAT HAPPENED", cell: (entry) => visibleLine(visible(entry.message)), cut: "end", min: 20 },
  ];
}
