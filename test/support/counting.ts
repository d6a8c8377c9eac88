import type { AppReads, AppStore } from "../../src/stores/ports/store.ts";

/** A store that counts what is asked of its ports. */
export function counting(store: AppStore): { store: AppStore; calls(): number } {
  let calls = 0;
  const counted = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        calls++;
        return Reflect.get(target, name) as unknown;
      },
    });
  const read: AppStore["read"] = (fn, signal) =>
    store.read(
      (reads) =>
        fn(
          Object.fromEntries(Object.entries(reads).map(([name, port]) => [name, counted(port)])) as unknown as AppReads,
        ),
      signal,
    );
  return {
    store: storeWith(store, read),
    calls: () => calls,
  };
}

/** The store with another way to read. */
export function storeWith(store: AppStore, read: AppStore["read"]): AppStore {
  const { app_id, location, kind, gaps, loads, readOnly, isolated, actions } = store;
  return { app_id, location, kind, gaps, loads, readOnly, isolated, actions, version: () => store.version(), read };
}
