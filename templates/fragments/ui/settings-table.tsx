import type { SettingRow } from "../../../src/api/model/common.ts";
import { count, visible, visibleLine } from "../../../src/presentation/text.ts";
import { DataTable } from "./data-table.tsx";
import { Empty } from "./empty.tsx";

export interface SettingsTableProps {
  settings: readonly SettingRow[];
  caption: string;
  /** Explanations of values by field: `Every 5 minutes` for a cron expression. */
  words?: Readonly<Record<string, string>> | undefined;
}

/** Settings as this monitor reads them, each with its origin. */
export function SettingsTable({ settings, caption, words = {} }: SettingsTableProps) {
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "Setting", rowHeader: true },
        { label: "Value" },
        { label: "What it does" },
        {
          label: "Origin",
          hint: "Where this monitor found the value; the app's own processes may see other files and variables",
        },
      ]}
      rows={settings.map((setting) => ({
        key: setting.field,
        cells: [
          <code key="field">{visibleLine(setting.field)}</code>,
          <SettingValue key="value" setting={setting} words={words[setting.field]} />,
          <span key="meaning" class="cell-text muted">
            {visibleLine(setting.meaning)}
          </span>,
          <SettingOrigin key="origin" origin={setting.origin} />,
        ],
      }))}
      empty={<Empty title="No settings">This monitor knows no settings of this component.</Empty>}
    />
  );
}

function SettingValue({ setting, words }: { setting: SettingRow; words: string | undefined }) {
  return (
    <span class="cell-text">
      <bdi>{amount(setting.value, setting.unit)}</bdi>
      {words !== undefined && words !== setting.value && <span class="muted"> {visibleLine(words)}</span>}
      {setting.warning !== null && (
        <span class="value-missing">
          <span class="mark mark-warn">Warning</span> {visible(setting.warning)}
        </span>
      )}
    </span>
  );
}

/** Defaults are dimmed, so that changed settings stand out. */
export function SettingOrigin({ origin }: { origin: string }) {
  return <bdi class={origin === "default" ? "cell-text muted" : "cell-text"}>{visibleLine(origin)}</bdi>;
}

/** `10,485,760 characters`, `1 minute`, `not set`; a number without a unit is an identifier, such as a port. */
export function amount(value: string, unit: string | null): string {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value) && Math.abs(Number(value)) < 1e15;
  if (unit === null || !isNumber) return visibleLine(value);
  return `${count(Number(value))} ${value === "1" ? unit.replace(/(?<=s)es$|s$/, "") : unit}`;
}
