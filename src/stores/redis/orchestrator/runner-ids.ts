import type { RunnerIdMatch } from "../../ports/common.ts";

/** Ids that start with or contain each of these parts, at most `limit` per part. Stops reading once every part has enough. */
export async function matchingRunnerIds(
  steps: AsyncIterable<readonly string[]>,
  parts: readonly string[],
  where: "beginning" | "anywhere",
  limit: number,
): Promise<RunnerIdMatch[]> {
  const open = new Map(parts.map((part) => [part, [] as string[]]));
  const found = new Map(open);
  if (open.size === 0 || limit <= 0) return [];
  for await (const ids of steps) {
    for (const [part, matches] of open) {
      for (const id of ids) {
        if (!(where === "beginning" ? id.startsWith(part) : id.includes(part))) continue;
        if (matches.push(id) === limit) break;
      }
      if (matches.length >= limit) open.delete(part);
    }
    if (open.size === 0) break;
  }
  return [...found].flatMap(([part, ids]) => ids.map((runner_id) => ({ part, runner_id })));
}
