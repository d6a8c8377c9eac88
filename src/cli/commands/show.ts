import type { ShownKind } from "../../api/show.ts";
import { createLinks } from "../../presentation/links.ts";
import { NAV_ENTRIES } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { type Findings, type Found, find } from "../../services/find/find.ts";
import { taskNamed } from "../../services/find/task-name.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { DETAILS } from "../details/all.ts";
import type { Flags } from "../flags.ts";
import { NOTHING_FOUND, printFound, printNothing } from "../print/found.ts";
import { withApp } from "../session.ts";

/** As of an id that fits several things. */
const SEVERAL_FOUND = 2;

/**
 * `monitor show <text...>`: everything about the one thing that a text names. Where it names several, what `find` prints, and exit code 2. Lists and
 * pages that have the name too, such as those of a workflow type, are what is meant only where no thing has it.
 */
export async function show(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const found = withPaths(createLinks(null), await find(app, { q: [words.join(" ")] }, NAV_ENTRIES));
    const thing = thingMeant(found);
    if (thing !== null) {
      const { kind, id } = thing;
      const detail = await DETAILS[kind].load(app, id);
      if (out.json) return out.document({ kind, id, detail });
      return DETAILS[kind].print(detail, app.now(), out);
    }
    process.exitCode = found.matches.length === 0 ? NOTHING_FOUND : SEVERAL_FOUND;
    if (out.json) return out.document(found);
    if (found.matches.length === 0) printNothing(found, app.now(), out);
    else printFound(found, app.now(), out);
  });
}

/** The one thing that a text names; null where it is none, where it is several, and where there may be more. */
export function thingMeant({ matches, complete }: Findings): { kind: ShownKind; id: string } | null {
  const [thing, ...others] = matches.filter(isShown);
  return thing !== undefined && others.length === 0 && complete ? thing : null;
}

/** Not of what is a list or a page: event codes, workflow types, searches. */
function isShown(found: Found): found is Found & { kind: ShownKind } {
  return found.kind in DETAILS;
}

/** `monitor invocation <id>` and its like: everything about one thing of this kind. @throws NotFoundError, AmbiguousIdError */
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
