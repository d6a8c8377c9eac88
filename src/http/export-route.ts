import { fileFormat } from "../inputs/common.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { parseInput, type RawInput } from "../services/input/input.ts";
import type { ExportFormat } from "../services/model/export-lines.ts";
import type { Route } from "./context.ts";
import { download } from "./respond.tsx";

/** A download of everything that a list's filters match, as CSV or JSON lines. @param name of the file, without extension. */
export function exportRoute(
  path: string,
  name: string,
  lines: (app: OpenedApp, filters: RawInput, format: ExportFormat) => Promise<Parameters<typeof download>[0]>,
): Route {
  return {
    method: "GET",
    path,
    async handle(request) {
      const { format: given, ...filters } = request.query;
      const { format } = parseInput({ format: fileFormat }, { format: given });
      const app = await request.app();
      const type = format === "csv" ? "text/csv" : "application/x-ndjson";
      return download(await lines(app, filters, format), type, `${name}.${format}`);
    },
  };
}
