import { EVENT_COLUMNS } from "../../presentation/facts/event.ts";
import { events } from "../../questions/events.ts";
import type { RawInput } from "../../services/input/input.ts";
import { exportEvents, listEvents, parseEventInput, unknownEventCode } from "../../services/triggers/events.ts";
import { followEvents } from "../../services/triggers/follow-events.ts";
import { whyUnrecorded } from "../../services/triggers/known-event.ts";
import { assertNoJson, exportFormat, printExport } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { asksToFollow, printFollowed } from "../followed.ts";
import { refuseUnknown } from "../known-names.ts";
import { printRows } from "../print/facts.ts";
import { pageNotes } from "../print/text.ts";
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
      return printExport((as) => exportEvents(app, input.conditions, as), "event_id", format, out);
    }
    const list = await listEvents(app, input);
    if (list.events.length === 0) refuseUnknown(await unknownEventCode(app, input.conditions));
    if (out.json) return out.document(list);
    if (list.unrecorded !== null) return out.say(list.unrecorded);
    printRows(EVENT_COLUMNS, list.events, out, { now: app.now() });
    if (list.events.length === 0 && list.page.number === 1) {
      out.say(Object.keys(raw).length > 0 ? "No event matches the filter." : "No events yet.");
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
    { paged: false },
  );
}
