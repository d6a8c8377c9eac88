import type { EventDetail } from "../../api/events.ts";
import { pendingPart } from "../../presentation/facts/condition.ts";
import { eventFacts, eventParts } from "../../presentation/facts/event.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { eventDetail } from "../../services/triggers/event-detail.ts";
import { namedValueLines } from "../print/arguments.ts";
import { factLines, noteLines, printPart } from "../print/facts.ts";
import { traceLines } from "../print/families.ts";
import type { Output } from "../print/output.ts";
import { heading, indented } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** Everything about one event. */
export const eventDetails: Detail<EventDetail> = {
  load: eventDetail,
  print,
  thing: (detail) => ({ kind: "event", detail }),
};

function print(detail: EventDetail, now: number, out: Output): void {
  const { conditions, runs, started } = eventParts(detail);
  const pending = { rows: detail.pending, total: detail.pending.length, capped: false };
  out.lines([out.paint.bold(visibleLine(detail.event_code)), ""]);
  out.lines(factLines("event", detail.event_id, eventFacts(detail), out, ["event_code"]));
  out.lines(noteLines(detail.notes, out));
  if (detail.payload_too_large !== null) {
    const large = `  ${count(detail.payload_too_large)} bytes: too large to show.`;
    out.lines([...heading("Payload", out), large]);
  }
  if (detail.payload.length > 0) out.lines([...heading("Payload", out), ...namedValueLines(detail.payload, out)]);
  const stillMet = pendingPart("Met conditions still stored", pending, "Conditions that the event met");
  for (const part of [conditions, { ...stillMet, hide: ["cause"] }, runs, started]) printPart(part, out, now);
  const within = { paint: out.paint, width: out.width && out.width - 2, now };
  if (detail.caused.nodes > 1) {
    out.lines([...heading("What it caused", out), ...indented(traceLines(detail.caused, within))]);
  }
  if (detail.led_to_it !== null) {
    out.lines([...heading("What led to it", out), ...indented(traceLines(detail.led_to_it, within))]);
  }
  if (detail.caused.truncated || detail.led_to_it?.truncated) {
    out.say(`The chains are cut. To see all of them: monitor trace ${detail.event_id} --direction both`);
  }
}
