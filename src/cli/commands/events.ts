import type { EventRow } from "../../api/events.ts";
import { count, NOTHING, shortId } from "../../presentation/text.ts";
import { events } from "../../questions/events.ts";
import type { RawInput } from "../../services/input/input.ts";
import { exportEvents, listEvents, parseEventInput, unknownEventCode } from "../../services/triggers/events.ts";
import { followEvents } from "../../services/triggers/follow-events.ts";
import { whyUnrecorded } from "../../services/triggers/known-event.ts";
import { assertNoJson, exportFormat, printExport } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { asksToFollow, printFollowed } from "../followed.ts";
import { refuseUnknown } from "../known-names.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, timeColumn } from "../print/text.ts";
import { withApp } from "../session.ts";

/** `monitor events`: one page of the filtered list, all of it with `--format`, or what is new with `--follow`. */
export async function run(flags: Flags): Promise<void> {
  const format = exportFormat(flags);
  const raw = rawInput(flags, events.input);
  if (asksToFollow(flags, ["format", "limit", "page"])) return follow(flags, raw);
  await withApp(flags, async (app, out) => {
    assertNoJson(out, format);
    const input = await inFlagWords(events.input, async () => parseEventInput(raw, app.now()));
    if (format !== null) {
      refuseUnknown(await unknownEventCode(app, input.conditions));
      return printExport(exportEvents(app, input.conditions, format), format, out);
    }
    const list = await listEvents(app, input);
    if (list.events.length === 0) refuseUnknown(await unknownEventCode(app, input.conditions));
    if (out.json) return out.document(list);
    if (list.unrecorded !== null) return out.say(list.unrecorded);
    out.table(columns(app.now()), list.events);
    if (list.events.length === 0 && list.page.number === 1) {
      out.say(Object.keys(raw).length > 0 ? "No event matches the filter." : "No event is stored.");
    }
    out.say(...pageNotes(list.page, "event"), ...list.notes);
  });
}

function follow(flags: Flags, raw: RawInput): Promise<void> {
  return withApp(
    flags,
    (app, out) =>
      inFlagWords(events.input, async () => {
        const { conditions } = parseEventInput(raw, app.now());
        const unrecorded = await app.store.read(whyUnrecorded);
        if (unrecorded !== null) return out.say(unrecorded);
        await printFollowed((clock) => followEvents(app, conditions, clock), out);
      }),
    false,
  );
}

function columns(now: number): Column<EventRow>[] {
  return [
    idColumn("EVENT", (row) => row.event_id),
    { title: "CODE", cell: (row) => row.event_code, cut: "end", min: 10 },
    timeColumn("TIME", (row) => row.timestamp, now),
    { title: "MATCHED", align: "right", cell: (row) => count(row.matched_conditions) },
    { title: "TRIGGERED", cell: triggered, narrow: (row) => count(row.triggered_invocations_count), cut: "end" },
    idColumn("EMITTER", (row) => row.emitted_by_invocation_id ?? "external", { optional: true }),
  ];
}

/** The first few ids, and how many more there are. */
function triggered(row: EventRow): string {
  if (!row.triggered) return NOTHING;
  const more = row.triggered_invocations_count - row.triggered_invocation_ids.length;
  return [...row.triggered_invocation_ids.map(shortId), ...(more > 0 ? [`+${count(more)}`] : [])].join(" ");
}
