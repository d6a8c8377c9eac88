import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import { type AnyCollection, COLLECTIONS, shownName } from "./names.ts";
import type { MongoReading } from "./reading.ts";

/** A collection of an app that exists. */
export interface PresentCollection {
  component: ComponentName;
  collection: AnyCollection;
  /** Without the prefix of the app and without the component. */
  shown: string;
}

/** In the order of the components. */
export async function presentCollections(reading: MongoReading): Promise<PresentCollection[]> {
  const own = new RegExp(`^${reading.names.prefix}_`);
  const found = await Promise.all(
    COMPONENTS.map(async (component) => {
      const names = new Set(await reading.db(component).collections(own));
      return Object.entries(COLLECTIONS[component]).flatMap(([collection, name]): PresentCollection[] =>
        names.has(`${reading.names.prefix}_${name}`)
          ? [{ component, collection: collection as AnyCollection, shown: shownName(name) }]
          : [],
      );
    }),
  );
  return found.flat();
}

/** Whether events and trigger runs are recorded: since 0.2.4, whose plugin makes their collections at its first start. */
export async function recordsEvents(reading: MongoReading): Promise<boolean> {
  return (await reading.once(presentCollections)).some(({ collection }) => collection === "events");
}
