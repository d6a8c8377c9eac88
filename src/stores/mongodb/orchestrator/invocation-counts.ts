import { STATUSES } from "../../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { StatusCountReads } from "../../ports/orchestrator.ts";
import { instantOrNull, madeAt, membersOf, number, text, texts } from "../collections/fields.ts";
import { amongNewest, GROUPS, idBefore } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";

const KNOWN = STATUSES.map(({ name }) => name);

/** Newest invocations read per step to find the latest change of tasks. */
const STEP = 5_000;

/** Steps of such a search, all of them among the newest. The rarest tasks of a large store may have no answer. */
const STEPS = 4;

/** Newest invocations of a task among which its latest change is looked for. */
const NEWEST = 20;

/** Counts of invocations by status and task, and the list of tasks. No index has the tasks. */
export function invocationCounts(reading: MongoReading): StatusCountReads {
  const invocations = reading.of("orchestrator", "invocations");

  return {
    async countByStatus() {
      // Keys of the index are counted several times faster than they are grouped. The number of all documents that the server keeps is wrong after it was killed.
      const [counts, others] = await Promise.all([
        Promise.all(KNOWN.map((status) => invocations.count({ status }))),
        invocations.aggregate(
          [
            { $match: { status: { $nin: KNOWN } } },
            { $sort: { status: 1 } },
            { $group: { _id: "$status", n: { $sum: 1 } } },
          ],
          GROUPS,
        ),
      ]);
      const known = KNOWN.map((status, i) => [status, counts[i] ?? 0] as const);
      const unknown = others.map(({ _id, n }) => [text(_id), number(n)] as const);
      return Object.fromEntries([...known, ...unknown].filter(([, n]) => n > 0));
    },

    async countByTaskAndStatus() {
      const groups = await invocations.aggregate(
        [{ $group: { _id: { task: "$task_id_key", status: "$status" }, n: { $sum: 1 } } }],
        GROUPS,
      );
      return groups.map(({ _id, n }) => {
        const { task, status } = membersOf(_id);
        return { task_id_key: text(task), status: text(status), count: number(n) };
      });
    },

    /** A walk has found them once, so only what was registered since is looked at, unless all of that time is gone. */
    async taskKeys() {
      const before = reading.walked("tasks");
      const [newest, older] = await Promise.all([
        invocations.findOne({}, { sort: { _id: -1 }, only: { _id: 1 } }),
        before && invocations.findOne({ _id: { $lte: before.upTo } }, { only: { _id: 1 } }),
      ]);
      const known = older ? before : undefined;
      const since = known === undefined ? [] : [{ $match: { _id: { $gt: known.upTo } } }];
      const groups = await invocations.aggregate([...since, { $group: { _id: "$task_id_key" } }], GROUPS);
      const found = [...new Set([...texts(known?.found), ...groups.map(({ _id }) => text(_id))])].sort();
      const second = madeAt(newest?._id);
      if (second !== null) reading.remember("tasks", { found, upTo: idBefore(second) });
      return found;
    },

    async lastActivityOfTasks(taskIdKeys) {
      const latest = new Map<string, EpochSeconds>();
      const newest = await amongNewest(reading);
      let left = [...taskIdKeys];
      for (let step = 0; step < STEPS && left.length > 0; step++) {
        const found = await invocations.find(
          { task_id_key: { $in: left }, ...newest },
          { sort: { _id: -1 }, limit: STEP, only: { task_id_key: 1, status_timestamp: 1 } },
        );
        const seen = new Map<string, number>();
        for (const { task_id_key, status_timestamp } of found) {
          const task = text(task_id_key);
          const earlier = seen.get(task) ?? 0;
          seen.set(task, earlier + 1);
          const at = instantOrNull(status_timestamp);
          if (earlier < NEWEST && at !== null) latest.set(task, Math.max(latest.get(task) ?? at, at));
        }
        left = found.length < STEP ? [] : left.filter((task) => !seen.has(task));
      }
      return Object.fromEntries(latest);
    },
  };
}
