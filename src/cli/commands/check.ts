import { maskText } from "../../config/masked-text.ts";
import { linksTo } from "../../presentation/links.ts";
import { visibleLine } from "../../presentation/text.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { check } from "../../questions/check.ts";
import { taskNamed } from "../../services/find/task-name.ts";
import { checkApp } from "../../services/health/check.ts";
import { conflict } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { asksToFollow, printFollowed } from "../followed.ts";
import { writeMessage } from "../print/message.ts";
import { wrapped } from "../print/wrapped.ts";
import { outputOf, withApp, withFollowedApp } from "../session.ts";
import { verdictAlarms } from "../verdict-alarms.ts";

/** `monitor check`: one line, and exit code 1 unless everything that was checked is well; with `--follow`, a line for each change. */
export async function run(flags: Flags): Promise<void> {
  if (asksToFollow(flags, ["max-failed", "since", "task", "max-queue-age"])) return follow(flags);
  if (flags.onVerdict !== undefined) throw conflict("--on-verdict", String(flags.onVerdict), "it needs --follow");
  const raw = rawInput(flags, check.input);
  await withApp(flags, async (app, out) => {
    const [task] = raw.task_id ?? [];
    const task_id = task === undefined ? undefined : [await taskNamed(app, "--task", task)];
    const found = await inFlagWords(check.input, () => checkApp(app, { ...raw, task_id }));
    if (!found.ok) process.exitCode = 1;
    if (out.json) return out.document(withSteps(await linksTo(app), found));
    const words = found.checks.map(({ ok, sentence }) => `${ok === null ? "Not known: " : ""}${sentence}`);
    out.lines(wrapped(visibleLine(`${found.ok ? "ok" : "not ok"}: ${found.app_id}: ${words.join(" ")}`), out.width));
    for (const one of found.not_looked_at) out.say(visibleLine(`Not checked: ${one}.`));
  });
}

async function follow(flags: Flags): Promise<void> {
  const severities = flags.failOn === "warning" ? (["error", "warning"] as const) : (["error"] as const);
  const log = {
    warn: (words: string) => writeMessage(maskText(words)),
    error: (words: string, error: unknown) => log.warn(`${words} ${error instanceof Error ? error.message : error}`),
  };
  await withFollowedApp(flags, async (app, options) => {
    const out = outputOf(options, flags);
    await printFollowed((clock) => verdictAlarms(app, { options, severities, url: null, log }, clock), out);
  });
}
