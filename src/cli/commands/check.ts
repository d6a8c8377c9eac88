import { versioned } from "../../api/version.ts";
import { linksTo } from "../../presentation/links.ts";
import { visibleLine } from "../../presentation/text.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { check } from "../../questions/check.ts";
import { taskNamed } from "../../services/find/task-name.ts";
import { checkApp } from "../../services/health/check.ts";
import { conflict } from "../exported.ts";
import { type Flags, flagOf, inFlagWords, rawInput } from "../flags.ts";
import { untilStopped } from "../followed.ts";
import { jsonDocument, terminalSafeJson } from "../print/json.ts";
import { withApp, withFollowedApp } from "../session.ts";
import { verdictAlarms } from "../verdict-alarms.ts";
import { VerdictCommand } from "../verdict-command.ts";

/** `monitor check`: one line, and exit code 1 unless everything that was checked is well. */
export async function run(flags: Flags): Promise<void> {
  const given = Object.keys(rawInput(flags, check.input)).map((name) => flagOf(check.input, name) ?? name);
  if (flags.follow === true) {
    const [first] = given;
    if (first !== undefined)
      throw conflict(first, "", "not allowed with --follow, which reports all errors and warnings");
    return follow(flags);
  }
  if (flags.onVerdict !== undefined) throw conflict("--on-verdict", flags.onVerdict, "it is for --follow");
  const raw = rawInput(flags, check.input);
  await withApp(flags, async (app, out) => {
    const [task] = raw.task_id ?? [];
    const task_id = task === undefined ? undefined : [await taskNamed(app, "--task", task)];
    const found = await inFlagWords(check.input, () => checkApp(app, { ...raw, task_id }));
    if (!found.ok) process.exitCode = 1;
    if (out.json) return out.document(withSteps(await linksTo(app), found));
    const words = found.checks.map(({ ok, sentence }) => `${ok === null ? "Not known: " : ""}${sentence}`);
    out.lines([visibleLine(`${found.ok ? "ok" : "not ok"}: ${found.app_id}: ${words.join(" ")}`)]);
    for (const one of found.not_looked_at) out.say(visibleLine(`Not checked: ${one}.`));
  });
}

/** Reports changes until Ctrl-C. */
async function follow(flags: Flags): Promise<void> {
  await withFollowedApp(flags, async (app, options) => {
    const { onVerdict, host, port, basePath } = options;
    const warn = (words: string) => process.stderr.write(`${words}\n`);
    const command = onVerdict.value === null ? null : new VerdictCommand(onVerdict.value, { warn });
    const watch = await verdictAlarms(app, options, {
      url: `http://${host.value}:${port.value === "auto" ? 8000 : port.value}${basePath.value}/`,
      onAlarm(alarm) {
        process.stdout.write(`${terminalSafeJson(JSON.stringify(versioned(alarm)))}\n`);
        command?.notify(jsonDocument(versioned(alarm)));
      },
      onDefect: (error) => warn(`Checking for verdicts failed: ${visibleLine(String(error))}`),
    });
    const stopped = untilStopped();
    stopped.addEventListener("abort", () => watch.stop());
    await watch.run();
    command?.close();
  });
}
