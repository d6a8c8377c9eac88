/**
 * A port as implemented by the SQLite adapter: SQLite is synchronous, so the methods return values instead of promises. A lane (lanes.ts) makes them
 * asynchronous, in this thread or another.
 */
export type Sync<Port> = {
  [Method in keyof Port]: Port[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never;
};
