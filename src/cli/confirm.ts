/** Confirmation of an action: `--yes`, or an answer on the terminal. */
import { createInterface } from "node:readline";
import stringWidth from "fast-string-width";
import { InterruptedError, RefusedError } from "../errors.ts";
import { visibleLine } from "../presentation/text.ts";
import { messageLines, messageWidth } from "./print/message.ts";

const UNCHANGED = "Nothing was changed";

/** Whether input and output are terminals, so that a question can be seen and answered. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Returns if the answer is yes; everything else counts as no.
 *
 * @param typed text to type instead of yes, for actions that cannot be undone; either raw or as the question displays it.
 * @throws RefusedError, also without a terminal; InterruptedError for Ctrl-C.
 */
export async function assertConsent(question: string, typed: string | null = null): Promise<void> {
  if (!canAsk()) {
    throw new RefusedError(
      `${UNCHANGED}: there is no terminal to ask for confirmation.`,
      "--yes skips the question; --dry-run prints the preview and exits.",
    );
  }
  const how = typed === null ? "[y/N]" : `Type ${typed} to confirm:`;
  const width = messageWidth();
  const [shown, prompt] = [visibleLine(question), visibleLine(how)];
  const fits = width === null || stringWidth(`${shown} ${prompt} `) < width;
  const answer = await answerTo(`${messageLines(shown, width).join("\n")}${fits ? " " : "\n"}${prompt} `);
  if (answer === null) throw new RefusedError(`${UNCHANGED}: no answer was given.`);
  const yes = typed === null ? /^y(es)?$/i.test(answer.trim()) : [typed, visibleLine(typed)].includes(answer.trim());
  if (!yes) throw new RefusedError(`${UNCHANGED}.`);
}

/** The line that was typed, or null at the end of the input. */
function answerTo(question: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // The first event counts: closing also emits "close".
    lines.on("SIGINT", () => {
      reject(new InterruptedError(`${UNCHANGED}.`));
      lines.close();
    });
    lines.on("close", () => {
      process.stderr.write("\n");
      resolve(null);
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.removeAllListeners("close");
      lines.close();
    });
  });
}
