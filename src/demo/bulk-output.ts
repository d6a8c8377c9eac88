/** Writes generated invocations to the tables of a file in large batches. */
import type { InvocationRecord, InvocationStatusRecord } from "../pynenc/records.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { Statement } from "../stores/sqlite/file/connection.ts";
import { type TableKey, tableColumns } from "./writer/schema.ts";
import type { Row } from "./writer/table-writer.ts";
import type { DemoWriter } from "./writer/writer.ts";

/** Output for the four kinds of rows that make up nearly all data; all others go through the writer. */
export interface BulkOutput {
  /** Number of invocations written between two flushes. */
  readonly batch: number;
  definition(record: InvocationRecord): void;
  /** @param status final state of the status; the invocation was registered at `registeredAt`. */
  status(status: InvocationStatusRecord, registeredAt: EpochSeconds): void;
  history(invocationId: string, at: EpochSeconds, status: string, json: string): void;
  result(invocationId: string, stored: string): void;
  /** Called at the end of a batch. */
  flush(): void;
}

/** Writes rows to a file with dedicated statements. */
export class TableOutput implements BulkOutput {
  readonly batch = 20_000;
  readonly #writer: DemoWriter;
  readonly #definitionColumns: readonly string[];
  readonly #insertInvocation: Statement;
  readonly #insertStatus: Statement;
  readonly #insertResult: Statement;
  readonly #histories: RowBatches;

  constructor(writer: DemoWriter) {
    this.#writer = writer;
    this.#definitionColumns = tableColumns("state_backend_invocations", writer.layout);
    this.#insertInvocation = this.#insertInto("state_backend_invocations");
    this.#insertStatus = this.#insertInto("orchestrator_invocations");
    this.#insertResult = this.#insertInto("state_backend_results");
    this.#histories = new RowBatches((rows) => this.#insertInto("state_backend_history", rows));
  }

  #insertInto(key: TableKey, rows = 1): Statement {
    const columns = tableColumns(key, this.#writer.layout);
    // By position: binding by name would add half of the insert's cost.
    const marks = `(${columns.map(() => "?").join(", ")})`;
    const sql = `INSERT INTO ${this.#writer.table(key)} (${columns.join(", ")}) VALUES ${Array(rows).fill(marks).join(", ")}`;
    return this.#writer.statement(sql);
  }

  definition(record: InvocationRecord): void {
    const row: Row = { ...record, parent_call_id: null };
    this.#insertInvocation.run(...this.#definitionColumns.map((column) => row[column] ?? null));
  }

  status(status: InvocationStatusRecord): void {
    this.#insertStatus.run(
      status.invocation_id,
      status.task_id_key,
      status.call_id_key,
      status.status,
      status.status_runner_id,
      status.status_timestamp,
      status.retry_count,
      status.auto_purge_timestamp,
    );
  }

  history(invocationId: string, at: EpochSeconds, status: string, json: string): void {
    this.#histories.add(invocationId, at, status, json);
  }

  result(invocationId: string, stored: string): void {
    this.#insertResult.run(invocationId, stored);
  }

  flush(): void {
    this.#histories.flush();
  }
}

/** Inserts several rows per statement, because a quarter of the time of an insert is spent on the call, not the row. */
class RowBatches {
  static readonly #SIZE = 12;
  readonly #prepare: (rows: number) => Statement;
  #rows = 0;
  #values: (string | number)[] = [];

  constructor(prepare: (rows: number) => Statement) {
    this.#prepare = prepare;
  }

  add(...row: (string | number)[]): void {
    this.#values.push(...row);
    this.#rows++;
    if (this.#rows === RowBatches.#SIZE) this.flush();
  }

  /** Writes the remaining rows; call it before the transaction ends. */
  flush(): void {
    if (this.#rows > 0) this.#prepare(this.#rows).run(...this.#values);
    this.#rows = 0;
    this.#values = [];
  }
}
