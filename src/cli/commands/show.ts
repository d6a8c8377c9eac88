import type { ShownKind } from "../../api/show.ts";
import { NotFoundError } from "../../errors.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { identifiedObject } from "../../services/find/identified-object.ts";
import { taskNamed } from "../../services/find/task-name.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { asOf } from "../as-of.ts";
import { DETAILS } from "../details/all.ts";
import { detailsAsOf } from "../details/as-of.ts";
import type { Detail } from "../details/detail.ts";
import { shownWithVerdicts, type VerdictsOnShown } from "../details/verdicts.ts";
import { conflict } from "../exported.ts";
import type { Flags } from "../flags.ts";
import { NOTHING_FOUND, printFound } from "../print/found.ts";
import type { Output } from "../print/output.ts";
import { notCheckedLines, verdictLines } from "../print/verdicts.ts";
import { withApp } from "../session.ts";
import { foundOnTerminal } from "./find.ts";

/** The exit code of an ambiguous id. */
const SEVERAL_FOUND = 2;

/**
 * `monitor show <text...>`: everything about the one object that the text identifies. If there are several, it prints what `find` prints and
 * exits with 2. Lists and pages with that name, such as those of a workflow type, count only if no object matches.
 */
export async function run(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const found = await foundOnTerminal(app, words, out);
    const thing = identifiedObject(found);
    if (thing !== null) {
      const { kind, id } = thing;
      const past = flags.at === undefined ? null : ofThePast(kind, flags);
      const { print } = past ?? DETAILS[kind];
      const { detail, found } =
        past === null
          ? await shownWithVerdicts(app, kind, id)
          : { detail: await asOf(flags, app, out, (then) => past.load(then, id)), found: NO_VERDICTS };
      if (out.json) return out.document({ kind, id, detail, ...found });
      return printWith(found, out, (said) => print(detail, app.now(), out, said));
    }
    if (found.matches.length === 0 && out.json) {
      throw new NotFoundError("thing", found.query, `Looked for ${found.tried.join("; ")}.`);
    }
    process.exitCode = found.matches.length === 0 ? NOTHING_FOUND : SEVERAL_FOUND;
    if (out.json) return out.document(found);
    printFound(found, await app.addressedAs(), app.now(), out);
  });
}

function ofThePast(kind: ShownKind, flags: Flags): Detail {
  const details = detailsAsOf(kind);
  if (details !== null) return details;
  const accepted =
    "an invocation, a workflow run, an event or a trigger run; only the present state of other things is known";
  throw conflict("--at", String(flags.at), accepted);
}

/** Kinds with a command of their own that takes an id or a name. */
type Named = Exclude<ShownKind, "queue" | "workflow_type">;

/** `monitor invocation <id>`, `monitor event <id>` and so on: everything about one object of this kind. @throws NotFoundError, AmbiguousIdError */
export async function showOf(kind: Named, flags: Flags, text: string): Promise<void> {
  const { load, print } = DETAILS[kind];
  await withApp(flags, async (app, out) => {
    const { detail, found } = await loaded(kind, app, text, async (id) =>
      out.json ? { detail: await load(app, id), found: NO_VERDICTS } : shownWithVerdicts(app, kind, id),
    );
    if (out.json) return out.document(detail);
    printWith(found, out, (said) => print(detail, app.now(), out, said));
  });
}

// Of the past, none are known.
const NO_VERDICTS = { verdicts: [], not_looked_at: [] };

/** What looks wrong comes first. */
function printWith(
  { verdicts, not_looked_at }: VerdictsOnShown,
  out: Output,
  print: (said: VerdictsOnShown["verdicts"]) => void,
): void {
  if (verdicts.length > 0) out.lines([...verdictLines(verdicts, out), ""]);
  // Of muted ones only the sentence is printed.
  print(verdicts.filter(({ muted_until }) => muted_until === null));
  out.say(...notCheckedLines(not_looked_at, out));
}

async function loaded<Shown>(
  kind: Named,
  app: OpenedApp,
  text: string,
  load: (id: string) => Promise<Shown>,
): Promise<Shown> {
  if (kind === "task") return load(await taskNamed(app, "<name>", text));
  return withId(app, { parameter: "<id>", kinds: [kind], text }, load);
}
