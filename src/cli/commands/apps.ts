import type { AppEntry, AppList } from "../../api/app.ts";
import { NOTHING } from "../../presentation/text.ts";
import { appEntries } from "../../services/runners/active-apps.ts";
import type { Flags } from "../flags.ts";
import type { Column } from "../print/table.ts";
import { outputOf, withWorkspace } from "../session.ts";

export const APP_COLUMNS: readonly Column<AppEntry>[] = [
  { title: "APP", cell: (app) => app.app_id, cut: "middle", min: 12 },
  { title: "SHOWN", cell: (app) => (app.shown ? "yes" : NOTHING) },
  { title: "ACTIVE", cell: (app) => (app.active ? "yes" : NOTHING) },
  { title: "EMPTY", cell: (app) => (app.phantom ? "yes" : NOTHING) },
  { title: "MODULE", cell: (app) => app.module ?? NOTHING, cut: "start", min: 12 },
];

/** `monitor apps`: what is registered in the store. */
export async function run(flags: Flags): Promise<void> {
  await withWorkspace(flags, async ({ workspace, configuration }) => {
    const out = outputOf(configuration.options, flags);
    const { store, discovery } = workspace;
    const entries = await appEntries(workspace);
    const list: AppList = { location: store.location, origin: discovery.origin, apps: entries };
    if (out.json) return out.document(list);
    await out.paged(async () => {
      out.table(APP_COLUMNS, entries);
      if (entries.length === 0) out.say(`No pynenc app is registered in ${store.location}.`);
      if (entries.some((app) => app.phantom)) {
        out.say("An empty app is registered without invocations, usually by a process that only connected.");
      }
    });
  });
}
