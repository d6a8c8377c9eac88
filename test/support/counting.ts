import type { AppReads, AppStore } from "../../src/stores/ports.ts";

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
  const read: AppStore["read"] = (fn) =>
    store.read((reads) =>
      fn(Object.fromEntries(Object.entries(reads).map(([name, port]) => [name, counted(port)])) as unknown as AppReads),
    );
  return {
    store: { app_id: store.app_id, location: store.location, kind: store.kind, version: () => store.version(), read },
    calls: () => calls,
  };
}
