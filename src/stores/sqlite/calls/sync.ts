/**
 * A port as the SQLite adapter implements it: SQLite answers at once, so the methods are the port's without the promise. A lane
 * (lanes.ts) makes them asynchronous, in this thread or in another.
 */
export type Sync<Port> = {
  [Method in keyof Port]: Port[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never;
};
