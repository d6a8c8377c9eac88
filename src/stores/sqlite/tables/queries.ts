import type { Bind, Row } from "../file/connection.ts";

/** Reading with SQL: what a snapshot (handle.ts) and an action (changes.ts) have in common. */
export interface Queries {
  all<T extends Row = Row>(sql: string, ...values: Bind[]): T[];
  get<T extends Row = Row>(sql: string, ...values: Bind[]): T | undefined;
  /** First column of the first row as a number; 0 when there is no row. */
  number(sql: string, ...values: Bind[]): number;
}

/** Values for the `?` of a statement, in their order. */
export type Values = (string | number)[];
