import type { ShownKind } from "../../api/show.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { identifiedObject } from "../../services/find/identified-object.ts";
import { taskNamed } from "../../services/find/task-name.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { asOf } from "../as-of.ts";
import { type AnyDetail, DETAILS } from "../details/all.ts";
import { detailsAsOf } from "../details/as-of.ts";
import { conflict } from "../exported.ts";
import type { Flags } from "../flags.ts";
import { NOTHING_FOUND, printFound, printNothing } from "../print/found.ts";
import { withApp } from "../session.ts";
import { foundOnTerminal } from "./find.ts";

/** The exit code of an ambiguous id. */
const SEVERAL_FOUND = 2;

/**
 * `monitor show <text...>`: everything about the one object that the text identifies. If there are several, it prints what `find` prints and
 * exits with 2. Lists and pages with that name, such as those of a workflow type, count only if no object matches.
 */
export async function show(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const found = await foundOnTerminal(app, words, out);
    const thing = identifiedObject(found);
    if (thing !== null) {
      const { kind, id } = thing;
      const { load, print } = flags.at === undefined ? DETAILS[kind] : ofThePast(kind, flags);
      const detail = await asOf(flags, app, out, (then) => load(then, id));
      if (out.json) return out.document({ kind, id, detail });
      return print(detail, app.now(), out);
    }
    process.exitCode = found.matches.length === 0 ? NOTHING_FOUND : SEVERAL_FOUND;
    if (out.json) return out.document(found);
    if (found.matches.length === 0) printNothing(found, app.now(), out);
    else printFound(found, app.now(), out);
  });
}

function ofThePast(kind: ShownKind, flags: Flags): AnyDetail {
  const details = detailsAsOf(kind);
  if (details !== null) return details;
  const accepted =
    "an invocation, a workflow run, an event or a trigger run; only the present state of other things is known";
  throw conflict("--at", String(flags.at), accepted);
}

/** `monitor invocation <id>`, `monitor event <id>` and so on: everything about one object of this kind. @throws NotFoundError, AmbiguousIdError */
export async function showOf(kind: ShownKind, flags: Flags, text: string): Promise<void> {
  const { load, print } = DETAILS[kind];
  await withApp(flags, async (app, out) => {
    const detail = await loaded(kind, app, text, (id) => load(app, id));
    if (out.json) return out.document(detail);
    print(detail, app.now(), out);
  });
}

async function loaded(
  kind: ShownKind,
  app: OpenedApp,
  text: string,
  load: (id: string) => Promise<object>,
): Promise<object> {
  if (kind === "task") return load(await taskNamed(app, "<name>", text));
  return withId(app, { parameter: "<id>", kinds: [kind], text }, load);
}
