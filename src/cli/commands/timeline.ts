import { TIMELINE_FORMATS } from "../../api/words.ts";
import type { WrittenFile } from "../../api/written-file.ts";
import { loadAssets } from "../../http/assets.ts";
import { type TimelineFormat, timelineFile } from "../../http/timeline-file.tsx";
import { visible } from "../../presentation/text.ts";
import { timeline } from "../../questions/timeline.ts";
import { unknownNames } from "../../services/invocations/unknown-names.ts";
import { geometryOf, timeline as loadTimeline, readTimelineInput } from "../../services/timeline/timeline.ts";
import { sayAsOf } from "../as-of.ts";
import { conflict, oneOf } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { assertFileForJson, outFile, writeOut } from "../out-file.ts";
import { terminalSafeJson } from "../print/json.ts";
import { timelineLines } from "../print/timeline.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

/** Longest first, because `.trace.json` also ends in `.json`. */
const ENDINGS: readonly [ending: string, format: TimelineFormat][] = [
  [".trace.json", "trace"],
  [".json", "json"],
  [".svg", "svg"],
];

/** `monitor timeline`: what every runner did in a window, as lines or as a file. */
export async function run(flags: Flags): Promise<void> {
  const format = fileFormat(flags);
  const raw = rawInput(flags, timeline.input);
  await withApp(flags, async (app, out) => {
    if (format !== null) assertFileForJson(flags, out);
    const drawn = format === null ? !out.json : format === "svg";
    const input = await inFlagWords(timeline.input, () => readTimelineInput(app, raw, drawn ? "drawing" : "data"));
    const loaded = await loadTimeline(app, input);
    const { changes, invocations } = loaded.counts;
    if (changes.total + invocations.drawn === 0) refuseUnknown(await unknownNames(app, input.filter));
    if (format !== null) {
      const { text } = timelineFile(app.app_id, loaded, format, loadAssets());
      const file = await writeOut(flags, [text], (svgOrJson) => {
        if (format !== "svg") return terminalSafeJson(svgOrJson);
        return out.terminal ? visible(svgOrJson) : svgOrJson;
      });
      if (out.json && file !== null) {
        const written = { path: file, format, invocations: invocations.drawn, notes: loaded.notes };
        return out.document(written satisfies WrittenFile);
      }
      out.say(...(file === null ? [] : [`Written to ${file}.`]), ...loaded.notes);
      return;
    }
    if (out.json) return out.document(loaded);
    out.lines(timelineLines(loaded, geometryOf(loaded), out));
    sayAsOf(loaded.at, out);
    if (changes.total + invocations.drawn === 0 && loaded.data_span !== null) {
      out.say(`Nothing in this window. The latest change was at ${time(loaded.data_span.last)}.`);
    }
    out.say(...loaded.notes);
  });
}

/** What is written; null for lines on the terminal. @throws InvalidInputError */
function fileFormat(flags: Flags): TimelineFormat | null {
  if (flags.format !== undefined) return oneOf("--format", flags.format, TIMELINE_FORMATS);
  if (flags.out === undefined) return null;
  const path = outFile(flags);
  const ending = ENDINGS.find(([known]) => path?.toLowerCase().endsWith(known));
  if (ending !== undefined) return ending[1];
  const choice = "add --format svg, trace or json";
  throw conflict(
    "--out",
    String(flags.out),
    path === null ? choice : `the file name must end in .svg, .json or .trace.json, or ${choice}`,
  );
}
