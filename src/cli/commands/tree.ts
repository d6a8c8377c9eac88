import { tree } from "../../questions/tree.ts";
import { familyPicture, readFamilyInput } from "../../services/causes/family-picture.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { asOf } from "../as-of.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { pictureLines, pictureRemarks } from "../print/families.ts";
import { withApp } from "../session.ts";

/** `monitor tree <invocation>`: the family of an invocation: its callers and everything it started. */
export async function run(flags: Flags, [id = ""]: readonly string[]): Promise<void> {
  const raw = rawInput(flags, tree.input);
  await withApp(flags, async (app, out) => {
    const input = await inFlagWords(tree.input, () => readFamilyInput(app, raw));
    const family = await withId(app, { parameter: "<invocation>", kinds: ["invocation"], text: id }, (known) =>
      asOf(flags, app, out, (then) => familyPicture(then, "invocation", known, input)),
    );
    if (out.json) return out.document(family);
    out.lines(pictureLines(family, out));
    out.say(...pictureRemarks(family));
  });
}
