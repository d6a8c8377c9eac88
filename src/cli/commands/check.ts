import { createLinks } from "../../presentation/links.ts";
import { visibleLine } from "../../presentation/text.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { taskNamed } from "../../services/find/task-name.ts";
import { checkApp } from "../../services/health/check.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import { withApp } from "../session.ts";

const FLAGS: FlagNames = {
  from: "since",
  task_id: "task",
  max_failed: "max-failed",
  max_queue_age: "max-queue-age",
  fail_on: "fail-on",
};

/** `monitor check`: one line, and exit code 1 unless everything that was checked is well. */
export async function check(flags: Flags): Promise<void> {
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    const [task] = raw.task_id ?? [];
    const task_id = task === undefined ? undefined : [await taskNamed(app, "--task", task)];
    const found = await inFlagWords(FLAGS, () => checkApp(app, { ...raw, task_id }));
    if (!found.ok) process.exitCode = 1;
    if (out.json) return out.document(withSteps(createLinks(null), found));
    const words = found.checks.map(({ ok, sentence }) => `${ok === null ? "Not known: " : ""}${sentence}`);
    out.lines([visibleLine(`${found.ok ? "ok" : "not ok"}: ${found.app_id}: ${words.join(" ")}`)]);
    for (const one of found.not_looked_at) out.say(visibleLine(`Not checked: ${one}.`));
  });
}
