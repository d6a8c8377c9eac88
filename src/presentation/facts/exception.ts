import type { ExceptionStatsRow } from "../../api/stats.ts";
import { NO_EXCEPTION } from "../text.ts";
import { type Column, countColumn } from "./column.ts";
import { absent } from "./fact.ts";

/** How often each exception ended or interrupted a run. */
export const EXCEPTION_COLUMNS: readonly Column<ExceptionStatsRow>[] = [
  { of: ["exception"], label: "Exception", min: 16, value: ({ exception }) => exception ?? absent(NO_EXCEPTION) },
  countColumn("failed", "Failed"),
  countColumn("retries", "Retries"),
  countColumn("tasks", "Tasks"),
];
