/** What commands that change data share: preview, confirmation, the action and its audit record, the outcome. */
import { userInfo } from "node:os";
import type { ActionOutcome } from "../api/actions.ts";
import type { ResolvedOptions } from "../config/options.ts";
import { RefusedError } from "../errors.ts";
import { visible, visibleLine } from "../presentation/text.ts";
import { ActionLog } from "../services/actions/action-log.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { auditFile } from "./audit-location.ts";
import { assertConsent, canAsk } from "./confirm.ts";
import type { Flags } from "./flags.ts";
import { terminalSafeJson } from "./print/json.ts";
import { Output } from "./print/output.ts";
import { withApp } from "./session.ts";

/** An action with everything that is known before it runs. */
export interface Action {
  /** Its name in the record of actions. */
  name: string;
  /** For `--json --dry-run`. */
  preview: object;
  /** Prints the preview as text. */
  show(out: Output): void;
  /** Why it would be refused now; null if it is allowed. */
  refused: string | null;
  /** The remedy. */
  hint?: string | null;
  /** Nothing would change, so there is nothing to confirm. */
  empty?: boolean;
  /** Says what would happen, and to which app. */
  question: string;
  /** Text to type instead of yes, the same as on the page. */
  typed?: string;
  act(record: RecordedPart): Promise<Done>;
}

/** Performs the action and records who did it and how it ended. */
export type Recorded = <Outcome extends ActionOutcome>(action: string, act: () => Promise<Outcome>) => Promise<Outcome>;

/** As `Recorded`, with the name of the action by default; a part of the action may have a name of its own. */
export type RecordedPart = <Outcome extends ActionOutcome>(
  act: () => Promise<Outcome>,
  name?: string,
) => Promise<Outcome>;

export interface Done {
  /** For `--json`. */
  outcome: object & { message?: string };
  /** Prints it; its message if absent. */
  print?(out: Output): void;
  /** Ids of what was registered or put back, for `--quiet`; absent if the action makes nothing. */
  ids?: readonly string[];
  /** The error that stopped it halfway, if any; thrown after the outcome is printed. */
  failure?: unknown;
}

/**
Prints the preview, asks for confirmation and performs the action. The preview goes to stderr, so that stdout has the outcome only; with
 * `--dry-run` the preview goes to stdout.
 *
 * @throws RefusedError, InterruptedError: then nothing was changed.
 */
export async function runAction(
  flags: Flags,
  prepare: (app: OpenedApp, out: Output) => Promise<Action>,
): Promise<void> {
  await withApp(
    flags,
    async (app, out, options) => {
      const action = await prepare(app, out);
      const { refused } = action;
      if (flags.dryRun === true) {
        if (out.json) out.document(action.preview);
        else action.show(out);
        out.say("", refused === null ? "Nothing was changed (--dry-run)." : `Would be refused: ${refused}`);
        return;
      }
      const talk = new Output(options, process.stderr);
      if (refused !== null) {
        const hint = ["Nothing was changed.", action.hint ?? ""].join(" ").trimEnd();
        // The error already says it on stderr.
        const refuse = () => Promise.reject(new RefusedError(refused, hint));
        await recorderOf(options, talk, false).record(app, action.name, refuse);
      }
      const asks = flags.yes !== true;
      // The preview must be readable before the question is asked.
      if (!options.quiet.value || (asks && canAsk())) {
        action.show(talk);
        talk.lines([""]);
      }
      if (asks && action.empty && !out.json) {
        out.say("There is nothing to do.");
        return;
      }
      if (asks) await assertConsent(action.question, action.typed);
      const recorder = recorderOf(options, talk, true);
      const {
        outcome,
        print,
        ids,
        failure = null,
      } = await action.act((act, name = action.name) => recorder.record(app, name, act));
      if (out.json) out.document(outcome);
      else if (options.quiet.value && ids !== undefined) out.lines(ids.map(visibleLine));
      else if (print !== undefined) print(out);
      else out.lines([visible(outcome.message ?? "")]);
      if (failure !== null) throw failure;
      out.say(...recorder.place());
    },
    { paged: false, changes: true },
  );
}

/** What was done, for the record of actions and, with `--json`, as a line on stderr for log collectors. */
function recorderOf(options: ResolvedOptions, talk: Output, logs: boolean) {
  const file = auditFile(options);
  const logged =
    logs && options.json.value && !options.quiet.value && ["info", "debug"].includes(options.logLevel.value);
  let written = 0;
  const log = new ActionLog({
    via: "cli",
    file,
    write(line) {
      written++;
      if (logged) talk.lines([talk.paint.dim(terminalSafeJson(line))]);
    },
    warn(words) {
      written--;
      talk.say(words);
    },
  });
  return {
    async record<Outcome extends ActionOutcome>(app: OpenedApp, action: string, act: () => Promise<Outcome>) {
      return (await log.record(shellUser(), action, app, act)).outcome;
    },
    /** For people: where the record is, if anything was added to it. */
    place: () =>
      file === null || written === 0 || options.json.value ? [] : [`Recorded in ${file.path}: monitor audit`],
  };
}

/** Users in containers may have no name. */
export function shellUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
