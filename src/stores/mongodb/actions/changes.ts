/**
 * The changes an action can make. There are two implementations: one executes them step by step; the other, for previews, only counts. Each action is
 * written once against this interface, so a preview cannot differ from the action.
 */

import type { ComponentName } from "../../ports/common.ts";
import { inChunks } from "../../server/chunks.ts";
import type { CollectionOf } from "../collections/names.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";

export interface Changes {
  /** Maximum steps of a walk. A page cannot wait for a million documents, so a preview of more is an estimate. */
  readonly maxSteps: number;
  /** Deletes the documents that match, which a step has bounded. Returns their number. */
  remove<C extends ComponentName>(component: C, collection: CollectionOf<C>, filter: Filter): Promise<number>;
  /** Deletes all documents that match, in steps. Returns their number. */
  empty<C extends ComponentName>(component: C, collection: CollectionOf<C>, filter: Filter): Promise<number>;
  insert<C extends ComponentName>(
    component: C,
    collection: CollectionOf<C>,
    documents: readonly Document[],
  ): Promise<void>;
  /** Inserts a document unless one has its member; says whether it did. A preview says yes. */
  insertMissing<C extends ComponentName>(
    component: C,
    collection: CollectionOf<C>,
    member: string,
    document: Document,
  ): Promise<boolean>;
}

/** A few thousand documents: a tenth of a second. */
const PREVIEW_STEPS = 10;

/** Documents deleted per command. */
const ERASE_STEP = 2_000;

/** Documents written per command. */
const INSERT_STEP = 100;

/** Counts what would be deleted. */
export function previewChanges(reading: MongoReading): Changes {
  const count = <C extends ComponentName>(component: C, collection: CollectionOf<C>, filter: Filter) =>
    reading.of(component, collection).count(filter);
  return {
    maxSteps: PREVIEW_STEPS,
    remove: count,
    empty: count,
    insert: async () => undefined,
    insertMissing: async () => true,
  };
}

/** @param beforeStep called before a step is sent: a failure after that may leave the action partly done. */
export function performedChanges(reading: MongoReading, beforeStep: () => void): Changes {
  const performer = <C extends ComponentName>(component: C, collection: CollectionOf<C>) => {
    const [db, name] = [reading.db(component), reading.names.name(component, collection)];
    return { db, name };
  };
  const remove: Changes["remove"] = async (component, collection, filter) => {
    const { db, name } = performer(component, collection);
    beforeStep();
    return (await db.perform(name, (stored) => stored.deleteMany(filter))).deletedCount;
  };
  return {
    maxSteps: Number.POSITIVE_INFINITY,
    remove,
    async empty(component, collection, filter) {
      for (let removed = 0; ; ) {
        const some = await reading.of(component, collection).find(filter, { limit: ERASE_STEP, only: { _id: 1 } });
        if (some.length === 0) return removed;
        removed += await remove(component, collection, { _id: { $in: some.map(({ _id }) => _id) } });
      }
    },
    async insert(component, collection, documents) {
      const { db, name } = performer(component, collection);
      for (const some of inChunks(documents, INSERT_STEP)) {
        beforeStep();
        await db.perform(name, (stored) => stored.insertMany(some.map((document) => ({ ...document }))));
      }
    },
    async insertMissing(component, collection, member, document) {
      const { db, name } = performer(component, collection);
      beforeStep();
      const { upsertedCount } = await db.perform(name, (stored) =>
        stored.updateOne({ [member]: document[member] }, { $setOnInsert: document }, { upsert: true }),
      );
      return upsertedCount === 1;
    },
  };
}
