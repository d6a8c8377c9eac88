import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import { COLLECTIONS, type CollectionOf } from "./names.ts";
import type { MongoReading } from "./reading.ts";

/** A collection of an app that exists. */
export interface PresentCollection {
  component: ComponentName;
  collection: CollectionOf<ComponentName>;
}

/** In the order of the components. */
export async function presentCollections(reading: MongoReading): Promise<PresentCollection[]> {
  const own = new RegExp(`^${reading.names.prefix}_`);
  const found = await Promise.all(
    COMPONENTS.map(async (component) => {
      const names = new Set(await reading.db(component).collections(own));
      return Object.keys(COLLECTIONS[component]).flatMap((collection): PresentCollection[] => {
        const known = collection as CollectionOf<ComponentName>;
        return names.has(reading.names.name(component, known as never)) ? [{ component, collection: known }] : [];
      });
    }),
  );
  return found.flat();
}

/** What begins the names of a component's collections; the client data store has nothing of the kind. */
const BEGINNING = /^(broker|orchestrator|state_backend|trg)_/;

/** The name of a collection as it is shown with its component. */
export function shownName({ component, collection }: PresentCollection): string {
  const names: Readonly<Record<string, string>> = COLLECTIONS[component];
  return (names[collection] ?? "").replace(BEGINNING, "");
}
