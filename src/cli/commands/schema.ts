import { resolveConfiguration } from "../../config/options.ts";
import { answerSchema, schemaList, similarNames } from "../../questions/derived/schemas.ts";
import { conflict } from "../exported.ts";
import type { Flags } from "../flags.ts";
import { jsonDocument } from "../print/json.ts";
import { Output } from "../print/output.ts";
import { facts } from "../print/text.ts";
import { ownSurroundings } from "../session.ts";

/** `monitor schema [name]`: the JSON Schema of one answer, or the names of all of them. Opens no store. @throws InvalidInputError */
export async function run(flags: Flags, [name = null]: readonly (string | null)[]): Promise<void> {
  const out = new Output(resolveConfiguration({ flags, ...ownSurroundings(flags) }).options);
  if (name === null) {
    const list = await schemaList();
    if (out.json) return out.document(list);
    const rows = list.schemas.map(({ name: one, description, commands }): [string, string] => [
      one,
      `${description}${commands.length === 0 ? "" : ` monitor ${commands.join(", ")}`}`,
    ]);
    return out.paged(async () => out.lines(facts(rows, out)));
  }
  const found = await answerSchema(name);
  if (found === null) {
    const similar = await similarNames(name);
    throw conflict(
      "[name]",
      name,
      similar.length > 0 ? `did you mean ${similar.join(" or ")}?` : "use one of the names that monitor schema lists",
    );
  }
  process.stdout.write(jsonDocument(found));
}
