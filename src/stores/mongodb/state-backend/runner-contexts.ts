/** Contexts of runners: one JSON text each. */
import { parseRunnerContext } from "../../../pynenc/json-documents.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import { EXTERNAL_ID } from "../../../pynenc/rerun.ts";
import type { RunnerContextReads } from "../../ports/state-backend.ts";
import { text } from "../collections/fields.ts";
import { containing, findIn, idsStartingWith } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document } from "../server/db.ts";

/** Contexts that contain the id of a parent, which is known only after parsing. */
const MOST_CHILDREN = 100_000;

export function runnerContextReads(reading: MongoReading): RunnerContextReads {
  const contexts = reading.of("state_backend", "runner_contexts");

  return {
    runnerContexts: async (runnerIds) => (await findIn(contexts, "runner_id", runnerIds)).flatMap(contextRecord),

    async listRunnerContexts({ limit, offset }, parent) {
      const sort = { _id: -1 } as const;
      if (parent === undefined) return (await contexts.find({}, { sort, skip: offset, limit })).flatMap(contextRecord);
      // A context holds that of its parent, so it has the id of every ancestor. There is no index: every context is compared.
      const where = { context_json: containing(pythonString(parent)) };
      const found = (await contexts.find(where, { sort, limit: MOST_CHILDREN })).flatMap(contextRecord);
      return found.filter((context) => context.parent_ctx_id === parent).slice(offset, offset + limit);
    },

    async countRunnerContexts(of) {
      if (of === "all") return contexts.count({});
      if (of === "callers") return contexts.count({ runner_id: idsStartingWith(EXTERNAL_ID) });
      return contexts.count({ runner_id: { $in: [...new Set(of)] } });
    },
  };
}

function contextRecord({ runner_id, context_json }: Document): RunnerContextRecord[] {
  const record = parseRunnerContext(text(runner_id), text(context_json));
  return record === null ? [] : [record];
}
