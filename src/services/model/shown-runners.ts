/** Runners by what pages and commands print of them: class, host, process and id, cut where space was short. */
import type { RunnerName } from "../../api/model/runner-names.ts";
import { runnerIdOf } from "../../pynenc/keys.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { runnerNames } from "./runner-names.ts";
import { fits, MIN_CHARACTERS, writtenId } from "./written-id.ts";

/** Runners whose ids contain the digits, looked at for one text. */
const CANDIDATES = 200;

/** `ThreadRu…d824`, `ThreadRunner worker-1:4101 9b4ba90c…d824` or `ThreadRunner 9b4ba90c`. */
const NAMED = /^[A-Z]\w*(?:…|\.{3}|\s)/;

/** Ids of the runners that the text may be; empty unless it looks like the name of one. Two reads. */
export async function runnersShownAs(reads: AppReads, text: string): Promise<{ ids: string[]; complete: boolean }> {
  const form = writtenId(text);
  const digits = form.pieces.at(-1)?.split(/\s/).at(-1) ?? "";
  if (!NAMED.test(text) || digits.length < MIN_CHARACTERS) return { ids: [], complete: true };
  const found = await reads.ids.runnersLike([digits], "anywhere", CANDIDATES);
  const names = await runnerNames(reads, found.map(runnerIdOf));
  const ids = [...names.values()].filter((name) => formsOf(name).some((one) => fits(form, one)));
  return { ids: ids.map(runnerIdOf), complete: found.length < CANDIDATES };
}

/** A name is cut between its beginning and the end of its id, or of the first eight digits of it. */
function formsOf({ runner_id: id, runner_cls, hostname, pid }: RunnerName): string[] {
  return [`${runner_cls} ${hostname}:${pid ?? "?"} ${id}`, `${runner_cls} ${id}`, `${runner_cls} ${id.slice(0, 8)}`];
}
