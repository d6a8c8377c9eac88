import type { ShownValue } from "../../../src/api/model/values.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import type { DisplayValue } from "../../../src/pynenc/values.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { ValueText } from "./value-text.tsx";
import { ValueView } from "./value-view.tsx";

export interface ShownValueViewProps {
  value: ShownValue;
  /** Text as stored, behind a click; left out when the value is shown as stored anyway. */
  raw?: string | null | undefined;
}

/** A stored value; when it was externalised, the value that its reference leads to. */
export function ShownValueView({ value: { stored, resolved, dangling }, raw = null }: ShownValueViewProps) {
  const shown = resolved === null ? stored : { ...resolved, reference: stored.reference };
  return (
    <div class="stack">
      {isShort(shown) ? <ShortValue value={shown} /> : <ValueView value={shown} />}
      {dangling && (
        <p class="value-missing">
          The value is not in this store: the process that created it kept it in memory, or the client data was purged.
        </p>
      )}
      <RawText text={raw === shown.text ? null : raw} />
    </div>
  );
}

const SHORT = 100;

/** Whether one line is enough: a box around `42` would waste space. */
function isShort({ text, truncated, note, reference }: DisplayValue): boolean {
  return (
    text.length <= SHORT && text !== "" && !/[\n\r]/.test(text) && !truncated && note === null && reference === null
  );
}

function ShortValue({ value: { text, form } }: { value: DisplayValue }) {
  return (
    <p class="value-short">
      <code>{visibleLine(text)}</code>
      <CopyButton text={text} what="value" />
      {form !== "json" && <span class="small">{visibleLine(form)}</span>}
    </p>
  );
}

/** Text as stored, collapsed. */
export function RawText({ text, label = "Raw" }: { text: string | null; label?: string | undefined }) {
  if (text === null) return null;
  return (
    <details class="raw">
      <summary>{label}</summary>
      <div class="raw-text">
        <CopyButton text={text} what="stored text" />
        <ValueText text={text} label={label} />
      </div>
    </details>
  );
}
