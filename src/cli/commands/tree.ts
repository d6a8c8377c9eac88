import type { FamilyTree } from "../../api/causes.ts";
import { tree } from "../../questions/tree.ts";
import { familyTree, readFamilyInput } from "../../services/causes/family-tree.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { asOf } from "../as-of.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { familyLines } from "../print/families.ts";
import { withApp } from "../session.ts";

/** `monitor tree <invocation>`: the family of an invocation: its callers and everything it started. */
export async function run(flags: Flags, [id = ""]: readonly string[]): Promise<void> {
  const raw = rawInput(flags, tree.input);
  await withApp(flags, async (app, out) => {
    const input = await inFlagWords(tree.input, () => readFamilyInput(app, raw));
    const family = await withId(app, { parameter: "<invocation>", kinds: ["invocation"], text: id }, (known) =>
      asOf(flags, app, out, (then) => familyTree(then, known, input)),
    );
    if (out.json) return out.document(family);
    out.lines(familyLines(family, out.paint));
    out.say(...remarks(family));
  });
}

/** What precedes the root, and what is missing. */
function remarks({ above_id, root_event, truncated, notes }: FamilyTree): string[] {
  const lines: string[] = [];
  if (above_id !== null) lines.push(`More ancestors: monitor tree ${above_id}`);
  if (root_event !== null) {
    lines.push(`The first was started by event ${root_event.event_code ?? "(not stored)"} ${root_event.event_id}.`);
  }
  if (truncated && above_id === null)
    lines.push("Some invocations are not shown: raise --limit or --depth, or use --expand with an id.");
  return [...lines, ...notes];
}
