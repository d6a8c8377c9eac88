import type { RunnerIdMatch } from "../../ports/common.ts";
import { text } from "../tables/columns.ts";
import { idRange } from "../tables/id-range.ts";
import type { Queries } from "../tables/queries.ts";

/** Ids of a table that start with or contain each of these parts. Prefixes use the table's index; other parts scan it. */
export function matchingRunnerIds(
  handle: Queries,
  table: string,
  parts: readonly string[],
  place: "beginning" | "anywhere",
  limit: number,
): RunnerIdMatch[] {
  return parts.flatMap((part) => {
    const { from, to } = idRange(part);
    const rows =
      place === "beginning"
        ? handle.all(`SELECT runner_id FROM ${table} WHERE runner_id BETWEEN ? AND ? LIMIT ?`, from, to, limit)
        : handle.all(`SELECT runner_id FROM ${table} WHERE instr(runner_id, ?) > 0 LIMIT ?`, part, limit);
    return rows.map((row) => ({ part, runner_id: text(row.runner_id) }));
  });
}
