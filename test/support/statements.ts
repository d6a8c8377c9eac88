/** Counts SQL statements of snapshots, by the method of the port that ran them. Pragmas that begin a snapshot are not counted. */
import { SqliteSession } from "../../src/stores/sqlite/session.ts";
import { SqliteHandle } from "../../src/stores/sqlite/tables/handle.ts";

export interface Statements {
  /** Statements since the last call, by port and method. */
  taken(): Map<string, number>;
  stop(): void;
}

export function countStatements(): Statements {
  const handle = SqliteHandle.prototype;
  const session = SqliteSession.prototype;
  const { all, get, number } = handle;
  const { call } = session;
  let counts = new Map<string, number>();
  let current = "";
  const counted = <Args extends unknown[], Answer>(run: (...args: Args) => Answer) =>
    function (this: SqliteHandle, ...args: Args): Answer {
      counts.set(current, (counts.get(current) ?? 0) + 1);
      return run.apply(this, args);
    };
  Object.assign(handle, { all: counted(all), get: counted(get), number: counted(number) });
  session.call = function (this: SqliteSession, order) {
    current = `${order.port}.${String(order.method)}`;
    return call.call(this, order);
  };
  return {
    taken() {
      const taken = counts;
      counts = new Map();
      return taken;
    },
    stop() {
      Object.assign(handle, { all, get, number });
      session.call = call;
    },
  };
}

export function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
