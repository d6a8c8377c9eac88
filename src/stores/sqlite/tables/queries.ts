import type { Bind, Row } from "../file/connection.ts";

/** SQL reads, shared by snapshots (handle.ts) and actions (changes.ts). */
export interface Queries {
  all<T extends Row = Row>(sql: string, ...values: Bind[]): T[];
  get<T extends Row = Row>(sql: string, ...values: Bind[]): T | undefined;
  /** First column of the first row as a number; 0 without a row. */
  number(sql: string, ...values: Bind[]): number;
}

/** Values for the `?` of a statement, in order. */
export type Values = (string | number)[];
