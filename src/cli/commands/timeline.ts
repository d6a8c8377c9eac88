import { loadAssets } from "../../http/assets.ts";
import { type TimelineFormat, timelineFile } from "../../http/timeline-file.tsx";
import { geometryOf, timeline as loadTimeline, readTimelineInput } from "../../services/timeline/timeline.ts";
import { conflict } from "../exported.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseExisting, writeWhole } from "../out-file.ts";
import { timelineLines } from "../print/timeline.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";
import { FILTER_FLAGS } from "./invocations.ts";

/** Parameters of the page, by flag. */
const FLAGS: FlagNames = { ...FILTER_FLAGS, inv_ids: "id", group: "group", limit: "limit", at: "at" };

/** Longest first, because `.trace.json` also ends in `.json`. */
const ENDINGS: readonly [ending: string, format: TimelineFormat][] = [
  [".trace.json", "trace"],
  [".json", "json"],
  [".svg", "svg"],
];

/** `monitor timeline`: what every runner did in a window, as lines or as a file. */
export async function timeline(flags: Flags): Promise<void> {
  const file = outFile(flags);
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    if (out.json && file !== null) {
      throw conflict("--out", file.path, "--json prints the document; use one or the other");
    }
    const input = await inFlagWords(FLAGS, () => readTimelineInput(app, raw));
    const loaded = await loadTimeline(app, input);
    if (out.json) return out.document(loaded);
    if (file !== null) {
      await writeWhole(
        file.path,
        [timelineFile(app.app_id, loaded, file.format, loadAssets()).text],
        flags.force === true,
      );
      out.say(`Written to ${file.path}.`, ...loaded.notes);
      return;
    }
    out.lines(timelineLines(loaded, geometryOf(loaded), out));
    if (loaded.at !== null) out.say(`As of ${time(loaded.at)}, from the status history.`);
    if (loaded.counts.changes.total === 0 && loaded.counts.invocations.drawn === 0 && loaded.data_span !== null) {
      out.say(`Nothing in this window. The latest status change was at ${time(loaded.data_span.last)}.`);
    }
    out.say(...loaded.notes);
  });
}

function outFile(flags: Flags): { path: string; format: TimelineFormat } | null {
  if (flags.out === undefined) return null;
  const path = String(flags.out);
  const ending = ENDINGS.find(([known]) => path.toLowerCase().endsWith(known));
  if (ending === undefined) throw conflict("--out", path, "the file name must end in .svg, .json or .trace.json");
  // Checked before the store is read, which may take long.
  if (flags.force !== true) refuseExisting(path);
  return { path, format: ending[1] };
}
