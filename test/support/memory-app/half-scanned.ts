/** An app of which a part was looked through, as a large store is when it has just been opened. */
import { InventoryScanner } from "../../../src/services/app/inventory.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { at, type MemoryApp, memoryApp } from "./memory-app.ts";

/** 100 invocations of which the older half is forgotten, looked at back to number 79 or further. */
export function halfScanned(): { app: MemoryApp; opened: OpenedApp } {
  const app = memoryApp().invocations(100, (n) => ({
    history: [
      [at(n), "registered"],
      [at(n + 0.5), n % 10 === 0 ? "failed" : "success"],
    ],
    ...(n < 50 ? { status: null } : {}),
  }));
  const taker = new InventoryScanner(
    app.store,
    { patience: 0, background: false, steps: { step: 10, young: 1, most_young: 5, wait_up_to: 20, trusted_above: 0 } },
    () => 0,
  );
  return {
    app,
    opened: { ...app.opened, inventory: () => taker.inventory(), completeInventory: () => taker.completeInventory() },
  };
}
