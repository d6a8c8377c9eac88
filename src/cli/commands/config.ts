import type { ConfigReport, ConfigSetting, OptionRow, SettingProblem } from "../../api/config.ts";
import { resolveConfiguration } from "../../config/options.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { configReport } from "../../services/components/config-report.ts";
import type { Flags } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading } from "../print/text.ts";
import { openWorkspace, outputOf, ownSurroundings } from "../session.ts";

/** `monitor config`: every effective value and where it comes from. */
export async function run(flags: Flags): Promise<void> {
  const configuration = resolveConfiguration({ flags, ...ownSurroundings(flags) });
  const out = outputOf(configuration.options, flags);
  const report = await configReport(configuration, async () => (await openWorkspace(flags)).workspace);
  if (out.json) return out.document(report);
  await out.paged(async () => print(report, out));
}

function print(report: ConfigReport, out: Output): void {
  const { app_id, location, groups, options, problems, notes } = report;
  out.lines(
    facts(
      [
        ["App", app_id && visibleLine(app_id)],
        ["Store", location && visibleLine(location)],
      ],
      out,
    ),
  );
  out.lines(heading("pynenc settings", out));
  out.table(
    settingColumns(out),
    groups.flatMap(({ section, rows }) => rows.map((row) => ({ ...row, section }))),
    "  ",
  );
  out.lines(heading("Monitor options", out));
  out.table(optionColumns(out), options, "  ");
  if (problems.length > 0) out.lines([...heading("Problems", out), ...settingProblemLines(problems, out)]);
  out.say(...notes);
}

export function settingProblemLines(problems: readonly SettingProblem[], out: Output): string[] {
  return problems.map(
    ({ setting, value, origin, accepted }) =>
      `${out.paint.error("error:")} ${visible(setting)} is ${shown(value)} (${visible(origin)}); it ${visible(accepted)}`,
  );
}

/** The name as `section.field`, which is how configuration files nest it and what `grep` looks for. */
function settingColumns(out: Output): Column<ConfigSetting & { section: string }>[] {
  return [
    { title: "SETTING", cell: (row) => `${row.section}.${row.field}`, cut: "middle", min: 30 },
    { title: "VALUE", cell: (row) => `${shown(row.value)}${unitOf(row)}`, cut: "end", min: 12 },
    { title: "ORIGIN", cell: (row) => originCell(row.origin, out), cut: "middle", min: 12 },
    {
      title: "WARNING",
      cell: (row) => (row.warning === null ? "" : { text: row.warning, paint: out.paint.warning }),
      cut: "end",
      min: 0,
    },
  ];
}

function unitOf({ value, unit }: ConfigSetting): string {
  if (unit === null || value === "" || value === null) return "";
  return ` ${value === 1 ? unit.replace(/(?<=ss)es$|s$/, "") : unit}`;
}

function optionColumns(out: Output): Column<OptionRow>[] {
  return [
    { title: "OPTION", cell: (row) => row.option },
    { title: "VALUE", cell: (row) => shown(row.value), cut: "middle", min: 12 },
    { title: "ORIGIN", cell: (row) => originCell(row.origin, out), cut: "middle", min: 12 },
  ];
}

function originCell(origin: string, out: Output) {
  return origin === DEFAULT_ORIGIN ? { text: origin, paint: out.paint.dim } : origin;
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "not set";
  if (Array.isArray(value) && value.length === 0) return "none";
  return visibleLine(typeof value === "object" ? JSON.stringify(value) : String(value));
}
