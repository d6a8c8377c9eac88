/** What the commands that change data share: preview, consent, the deed with its line in the log, the outcome. */
import { userInfo } from "node:os";
import type { ActionOutcome } from "../api/actions.ts";
import type { ResolvedOptions } from "../config/options.ts";
import { RefusedError } from "../errors.ts";
import { ActionLog } from "../services/actions/action-log.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { auditFile } from "./audit-location.ts";
import { assertConsent, canAsk } from "./confirm.ts";
import type { Flags } from "./flags.ts";
import { terminalSafeJson } from "./print/json.ts";
import { Output } from "./print/output.ts";
import { withApp } from "./session.ts";

/** An action with everything that is known before it is done. */
export interface Action {
  /** For `--json --dry-run`. */
  preview: object;
  /** Shows the preview to people. */
  show(out: Output): void;
  /** Why it would be refused now, with what helps; null when nothing forbids it. */
  refused: Refusal | null;
  /** Nothing would happen, so nobody is asked. */
  empty: boolean;
  /** Names what would happen, and to which app. */
  question: string;
  /** What has to be typed instead of yes, as the page asks for it; null for yes. */
  typed: string | null;
  act(record: Recorded): Promise<Done>;
}

export interface Refusal {
  reason: string;
  hint?: string | null;
}

/** Does one thing and writes down who did it and how it ended. */
export type Recorded = <Outcome extends ActionOutcome>(action: string, act: () => Promise<Outcome>) => Promise<Outcome>;

export interface Done {
  /** For `--json`. */
  outcome: object;
  print(out: Output): void;
  /** What kept the rest of it from being done, or null; thrown when the outcome is printed. */
  failure: unknown;
}

/**
 * Shows what would happen, asks, and does it. The preview goes to stderr, so that the outcome alone is data; with `--dry-run` it is the data.
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
        out.say("", refused === null ? "Nothing was changed (--dry-run)." : `It would be refused: ${refused.reason}`);
        return;
      }
      if (refused !== null) {
        throw new RefusedError(refused.reason, ["Nothing was changed.", refused.hint ?? ""].join(" ").trimEnd());
      }
      const talk = new Output(options, process.stderr);
      const asks = flags.yes !== true;
      // Nobody answers a question without having seen what it is about.
      if (!options.quiet.value || (asks && canAsk())) {
        action.show(talk);
        talk.lines([""]);
      }
      if (asks && action.empty && canAsk() && !out.json) {
        out.say("There is nothing to do.");
        return;
      }
      if (asks) await assertConsent(action.question, action.typed);
      const { outcome, print, failure } = await action.act(recorder(app, options, talk));
      if (out.json) out.document(outcome);
      else print(out);
      if (failure !== null) throw failure;
    },
    false,
  );
}

function recorder(app: OpenedApp, options: ResolvedOptions, talk: Output): Recorded {
  // It is for whoever collects logs. On a terminal it would stand between the question and the outcome.
  const logged =
    !options.quiet.value && ["info", "debug"].includes(options.logLevel.value) && process.stderr.isTTY !== true;
  const log = new ActionLog({
    via: "cli",
    file: auditFile(options),
    write: (line) => {
      if (logged) talk.lines([talk.paint.dim(terminalSafeJson(line))]);
    },
    warn: (words) => talk.say(words),
  });
  return async (action, act) => (await log.record(shellUser(), action, app, act)).outcome;
}

/** A user of a container need not have a name. */
function shellUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
