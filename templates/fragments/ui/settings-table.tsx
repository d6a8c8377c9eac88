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

/** Settings of a component below what it holds: folded, unless one of them needs attention. */
export function Settings({ open = false, ...props }: SettingsTableProps & { open?: boolean }) {
  const { settings } = props;
  const own = settings.filter(({ origin }) => origin !== DEFAULT).length;
  return (
    <details
      class="card card-flush folded-card"
      id="card-settings"
      open={open || settings.some(({ warning }) => warning !== null)}
    >
      <summary>
        <h2>Settings</h2>
        <span class="muted">{own === 0 ? "all default" : `${count(own)} of ${count(settings.length)} set`}</span>
      </summary>
      <SettingsTable {...props} />
    </details>
  );
}

/** The origin of what nobody set. */
const DEFAULT = "default";

/** Settings as this monitor reads them, each with its origin. */
export function SettingsTable({ settings, caption, words = {} }: SettingsTableProps) {
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "Setting", rowHeader: true },
        { label: "Value" },
        { label: "What it does", reading: true },
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
          <span key="meaning" class="row-details muted" title={visibleLine(setting.meaning)}>
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
    <>
      <bdi class="cell-text" title={visibleLine(setting.value)}>
        {amount(setting.value, setting.unit)}
      </bdi>
      {words !== undefined && words !== setting.value && <span class="muted"> {visibleLine(words)}</span>}
      {setting.warning !== null && (
        <span class="value-missing setting-warning">
          <span class="mark mark-warn">Warning</span> {visible(setting.warning)}
        </span>
      )}
    </>
  );
}

/** Defaults are dimmed, so that changed settings stand out. */
export function SettingOrigin({ origin }: { origin: string }) {
  return <bdi class={origin === DEFAULT ? "muted" : undefined}>{visibleLine(origin)}</bdi>;
}

/** `10,485,760 characters`, `1 minute`, `not set`; a number without a unit is an identifier, such as a port. */
export function amount(value: string, unit: string | null): string {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value) && Math.abs(Number(value)) < 1e15;
  if (unit === null || !isNumber) return visibleLine(value);
  return `${count(Number(value))} ${value === "1" ? unit.replace(/(?<=s)es$|s$/, "") : unit}`;
}
