import { FILE_FORMATS } from "../../api/words.ts";
import type { WrittenFile } from "../../api/written-file.ts";
import { exportLimit } from "../../inputs/invocations.ts";
import { counted } from "../../pynenc/numbers.ts";
import { exportFile as question } from "../../questions/export.ts";
import { type ExportReport, exportFile } from "../../services/exports/export.ts";
import { parseInput } from "../../services/input/input.ts";
import { readInvocationInput } from "../../services/invocations/invocations.ts";
import { unknownNames } from "../../services/invocations/unknown-names.ts";
import { conflict, oneOf, shownExport } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { assertFileForJson, outFile, writeOut } from "../out-file.ts";
import { withTerms } from "../search-terms.ts";
import { withApp } from "../session.ts";
import { version } from "../version.ts";

/** `monitor export`: invocations as a file for another program, to stdout or `-o file`. */
export async function run(typed: Flags, terms: readonly string[]): Promise<void> {
  const flags = withTerms(typed, terms);
  const format = oneOf("--format", flags.format ?? "", FILE_FORMATS);
  const { limit: given = [], ...raw } = rawInput(flags, question.input);
  const { limit = null } = await inFlagWords(question.input, async () =>
    parseInput({ limit: exportLimit }, { limit: given }),
  );
  await withApp(
    flags,
    async (app, out) => {
      assertFileForJson(flags, out);
      if (outFile(flags) === null && out.terminal && format === "parquet") {
        throw conflict("--format", format, "it is binary; write it to a file with -o, or into a pipe");
      }
      const { filter } = await inFlagWords(question.input, () => readInvocationInput(app, raw));
      refuseUnknown(await unknownNames(app, filter));
      const report: ExportReport = { invocations: 0, notes: [] };
      const choice = { limit, noValues: flags.values === false, version: version() };
      const pieces = exportFile(app, filter, format, choice, report);
      const shown = (piece: string | Uint8Array) =>
        typeof piece === "string" ? shownExport(piece, format, out) : piece;
      const file = await writeOut(flags, pieces, shown);
      if (out.json && file !== null) return out.document({ path: file, format, ...report } satisfies WrittenFile);
      if (file !== null) out.say(`${counted(report.invocations, "invocation")} written to ${file}.`);
      out.say(...report.notes);
    },
    { paged: false },
  );
}
