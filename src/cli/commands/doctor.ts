import type { DoctorReport, FoundFile } from "../../api/health.ts";
import { SEVERITIES } from "../../api/words.ts";
import { shellWord } from "../../config/shell-word.ts";
import { linksTo } from "../../presentation/links.ts";
import { loadWords } from "../../presentation/load.ts";
import { bytes, count, NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { counted } from "../../pynenc/numbers.ts";
import { uncheckedApps } from "../../services/components/config-report.ts";
import { doctorReport } from "../../services/health/doctor.ts";
import { appEntries } from "../../services/runners/active-apps.ts";
import { COMPONENTS } from "../../stores/ports/common.ts";
import type { StorageFigure } from "../../stores/ports/layout.ts";
import { oneOf } from "../exported.ts";
import type { Flags } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading } from "../print/text.ts";
import { verdictHeads, verdictLines } from "../print/verdicts.ts";
import { wrapped } from "../print/wrapped.ts";
import { time } from "../print/zone.ts";
import { outputOf, withWorkspace } from "../session.ts";
import { APP_COLUMNS } from "./apps.ts";
import { settingProblemLines } from "./config.ts";

/**
 * `monitor doctor`: checks the store, for each of its apps unless one is chosen. Exit code 1 if there is a problem; with `--fail-on error` only
 * if there is an error.
 */
export async function run(flags: Flags): Promise<void> {
  const failOn = oneOf("--fail-on", flags.failOn ?? "warning", SEVERITIES);
  await withWorkspace(flags, async ({ workspace, configuration }) => {
    const out = outputOf(configuration.options, flags);
    const reports: DoctorReport[] = [];
    for (const app of await uncheckedApps(configuration, workspace)) {
      const { discovery } = workspace;
      const readOnly = configuration.options.readOnly.value;
      const report = await doctorReport({ app, apps: await appEntries(workspace), discovery, readOnly });
      reports.push(withSteps(await linksTo(app), report));
    }
    if (reports.some((report) => isFailure(report, failOn))) process.exitCode = 1;
    const [only, ...others] = reports;
    if (out.json) return out.document(others.length === 0 && only !== undefined ? only : { reports });
    await out.paged(async () => {
      reports.forEach((report, at) => {
        if (at > 0) out.lines(["", ""]);
        print(report, out);
      });
    });
  });
}

/** Problems of the store or its settings are errors; problems of the app carry their own severity. @param failOn the lowest severity that counts */
function isFailure(report: DoctorReport, failOn: (typeof SEVERITIES)[number]): boolean {
  if (failOn === "warning") return !report.ok;
  const { findings, setting_problems, verdicts } = report;
  return (
    findings.length + setting_problems.length > 0 ||
    verdicts.some(({ severity, muted_until }) => severity === "error" && muted_until === null)
  );
}

function print(report: DoctorReport, out: Output): void {
  const { layout, writes, setting_problems, findings } = report;
  const unreachable = report.verdicts.filter(isOfStore);
  const wrong = findings.length + setting_problems.length + unreachable.length;
  out.lines(
    facts(
      [
        ["Store", wrong === 0 ? "ok" : `${counted(wrong, "problem")}, listed below`],
        ["App", visibleLine(report.app_id)],
        ["Found by", visibleLine(report.origin)],
        ...report.servers.map((server): [string, string] => [
          "Server",
          `${visibleLine(server.location)}${partsOf(server.components)}`,
        ]),
        ...report.loads.map((load): [string, string] => ["Asked", loadWords(load)]),
        ...report.files.flatMap((file) => fileFacts(file)),
        ["Layout", `pynenc ${layout.label}`],
        ["Evidence", visible(layout.evidence.join("; ")) || "nothing"],
        ["Unknown data", visibleLine(layout.unknown_tables.join(", "))],
        ["Not recorded", report.lacks.join(", ")],
        [
          "Entries",
          report.oldest_entry === null ? "no history" : `${time(report.oldest_entry)} to ${time(report.newest_entry)}`,
        ],
        ["Writes", writes.possible ? "possible" : `refused: ${visibleLine(writes.reason ?? "")}`],
      ],
      out,
    ),
  );
  out.lines(heading("Apps in the store", out));
  out.table(APP_COLUMNS, report.apps, "  ");
  out.lines(heading("What is stored", out));
  out.table(STORED_COLUMNS, report.tables, "  ");
  if (report.notes.length > 0) {
    out.lines([...heading("Notes", out), ...report.notes.flatMap((note) => wrapped(visible(note), out.width))]);
  }
  if (report.ok) {
    out.lines([...heading("No problems found.", out), ...examinedLines(report, out)]);
    return;
  }
  out.lines([
    ...heading("Problems", out),
    ...findings.map((finding) => `${out.paint.error("error:")} ${visible(finding)}`),
    ...settingProblemLines(setting_problems, out),
    ...verdictLines(unreachable, out),
    ...appLines(report, out),
    "",
    ...examinedLines(report, out),
  ]);
}

/** A verdict about a part of the store, and not about what the app does. */
function isOfStore({ code }: DoctorReport["verdicts"][number]): boolean {
  return code === "unreachable_queue";
}

/** What the app does wrong, a line each, and the command that explains it. */
function appLines({ app_id, apps, verdicts }: DoctorReport, out: Output): string[] {
  const found = verdicts.filter((verdict) => !isOfStore(verdict));
  if (found.length === 0) return [];
  const named = apps.length > 1 ? ` --app ${shellWord(app_id)}` : "";
  return [...verdictHeads(found, out), `  ${out.paint.dim("$")} ${visibleLine(`monitor why${named}`)}`];
}

/** What was checked and what was not. */
function examinedLines({ looked_at, not_looked_at }: DoctorReport, out: Output): string[] {
  return [
    ...wrapped(`Checked: ${looked_at.join(", ")}.`, out.width),
    ...not_looked_at.flatMap((one) => wrapped(visible(`Not checked: ${one}.`), out.width)),
  ];
}

function fileFacts(file: FoundFile): [string, string][] {
  const size = [bytes(file.bytes), file.wal_bytes ? `${bytes(file.wal_bytes)} in the write-ahead log` : ""]
    .filter(Boolean)
    .join(" and ");
  const mode = file.journal_mode === null ? "" : `, journal mode ${file.journal_mode}`;
  return [
    ["File", `${visibleLine(file.path)}${partsOf(file.components)}`],
    ["Size", `${size}${mode}, modified ${time(file.modified_at)}`],
  ];
}

/** The components in this store, unless it has all of them. */
function partsOf(components: readonly string[]): string {
  return components.length === COMPONENTS.length ? "" : ` (${components.join(", ")})`;
}

const STORED_COLUMNS: readonly Column<StorageFigure>[] = [
  { title: "COMPONENT", cell: (figure) => figure.component },
  { title: "NAME", cell: (figure) => figure.name, cut: "end", min: 20 },
  { title: "ROWS", align: "right", cell: (figure) => `${figure.exact ? "" : "about "}${count(figure.rows)}` },
  { title: "SIZE", align: "right", cell: (figure) => (figure.bytes === null ? NOTHING : bytes(figure.bytes)) },
];
