import supportsHyperlinks from "supports-hyperlinks";
import type { LogLine } from "../../api/logs.ts";
import { versioned } from "../../api/version.ts";
import { wantsJson } from "../../config/options.ts";
import { shellWord } from "../../config/shell-word.ts";
import type { LogEntry } from "../../log-lines/model.ts";
import { LogReader } from "../../log-lines/reader.ts";
import { visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { logs } from "../../questions/logs.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { parseInput } from "../../services/input/input.ts";
import { UnknownIds } from "../../services/logs/known-elsewhere.ts";
import { logFilter, logLine, meetsLogFilter } from "../../services/logs/log-entries.ts";
import { NOTHING_RESOLVED, resolveReferences } from "../../services/logs/log-references.ts";
import { taskKeys } from "../../services/model/task-keys.ts";
import { conflict } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { untilStopped } from "../followed.ts";
import { followedLog, type LogPieces, wholeLog } from "../log-source.ts";
import { terminalSafeJson } from "../print/json.ts";
import { type LogPrinter, logLines } from "../print/log-line.ts";
import type { Output } from "../print/output.ts";
import { fieldColumns, withOnly } from "../print/rows.ts";
import { streamed } from "../print/stream.ts";
import { printTable } from "../print/table.ts";
import { withApp } from "../session.ts";

/** `monitor logs <file>`: each entry with what the store knows about the ids in it; with `--json` one record per entry. */
export async function run(flags: Flags, [file = ""]: readonly string[]): Promise<void> {
  const follow = flags.follow === true;
  if (follow && file === "-") throw conflict("--follow", "-", "standard input is always read to its end");
  const baseUrl = readBaseUrl(flags.baseUrl);
  const raw = rawInput(flags, logs.input);
  const filter = await inFlagWords(logs.input, async () => logFilter(parseInput(logs.input, raw)));
  await withApp(
    flags,
    async (app, out) => {
      const source = follow ? followedLog(file, untilStopped()) : wholeLog(file);
      const printer = { paint: out.paint, baseUrl: linksIn(baseUrl), appId: app.app_id, named: new Set<string>() };
      const textOf = textIn(flags, out, printer);
      const unknown = new UnknownIds();
      let zoneless = 0;
      const shown = async function* () {
        for await (const batch of entryBatches(source)) {
          const entries = batch.filter(meetsLogFilter(filter, NOTHING_RESOLVED));
          zoneless += entries.filter((entry) => entry.zone_assumed).length;
          if (entries.length > 0) yield textOf(await linesOf(app, entries, unknown));
        }
      };
      await streamed(shown(), (text) => text);
      if (zoneless > 0) out.say(`${counted(zoneless, "entry", "entries")} without a time zone, read as UTC.`);
      for (const { app_id, words } of await unknown.knownElsewhere(app)) {
        out.say(`${words} in the app ${visibleLine(app_id)}: --app ${shellWord(app_id)}`);
      }
    },
    { paged: false },
  );
}

/** Yields entries as they become complete. Entries read together are looked up together. */
async function* entryBatches(source: LogPieces): AsyncGenerator<LogEntry[]> {
  const reader = new LogReader(Number.POSITIVE_INFINITY);
  for await (const piece of source) {
    const entries = piece === "" ? reader.pause() : reader.read(piece);
    if (entries.length > 0) yield entries;
  }
  yield reader.end();
}

async function linesOf(app: OpenedApp, entries: readonly LogEntry[], unknown: UnknownIds): Promise<LogLine[]> {
  const keys = await taskKeys(app);
  const resolved = await app.store.read((reads) => resolveReferences(reads, entries, keys));
  const lines = entries.map((entry) => logLine(entry, resolved));
  for (const { references } of lines) unknown.add(references);
  return lines;
}

/** What is printed of entries that were read together: JSON lines, with `--fields` a part of a table, otherwise the lines with what they name. */
function textIn(flags: Flags, out: Output, printer: LogPrinter): (lines: readonly LogLine[]) => string {
  const { rows: chosen } = flags;
  const fields = chosen?.print === "fields" ? chosen.fields : null;
  const rowOf = (line: LogLine) => (fields === null ? line : withOnly(line, fields));
  let begun = 0;
  return (lines) => {
    const texts = () => {
      if (wantsJson(flags.json, process.env))
        return lines.map((line) => terminalSafeJson(JSON.stringify(versioned(rowOf(line)))));
      if (fields === null) return lines.flatMap((line) => logLines(line, printer));
      const table = printTable(
        fieldColumns(fields),
        lines.map((line) => withOnly(line, fields)),
        out.width,
        out.paint.dim,
      );
      // The titles are above the first entries alone.
      return table.lines.slice(begun++ === 0 ? 0 : 1);
    };
    return `${texts().join("\n")}\n`;
  };
}

/** @throws InvalidInputError */
function readBaseUrl(given: unknown): URL | null {
  if (given === undefined) return null;
  const url = URL.canParse(String(given)) ? new URL(String(given)) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw conflict("--base-url", String(given), "expected an address such as http://127.0.0.1:8000/");
  }
  return url;
}

/** Links only on terminals that support them: others print the escape sequences. */
function linksIn(baseUrl: URL | null): URL | null {
  return supportsHyperlinks.stdout ? baseUrl : null;
}
