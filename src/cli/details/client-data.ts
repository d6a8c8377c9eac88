import type { ClientDataOverview } from "../../api/components.ts";
import { bytes, visible, visibleLine } from "../../presentation/text.ts";
import { clientDataOverview } from "../../services/components/client-data.ts";
import type { Output } from "../print/output.ts";
import { facts, heading, indented } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** One value of the client data store. */
export const clientDataDetails: Detail<ClientDataOverview> = {
  load: (app, id) => clientDataOverview(app, { reference: [id] }),
  print,
};

function print({ looked_up: found }: ClientDataOverview, _now: number, out: Output): void {
  if (found === null) return;
  const { value } = found;
  out.lines(
    facts(
      [
        ["Client data", visibleLine(found.data_key)],
        ["Size", bytes(found.size)],
        ["Stored", found.stored_at === null ? null : time(found.stored_at)],
        ["Note", value.note === null ? null : visibleLine(value.note)],
      ],
      out,
    ),
  );
  out.lines([...heading("Value", out), ...indented(visible(value.text).split("\n"))]);
  if (value.truncated) out.say("Only the start of the value is shown.");
}
