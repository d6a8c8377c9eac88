import { visible } from "../../../src/presentation/text.ts";

export interface ValueTextProps {
  text: string;
  /** What it is, for those who come to it by keyboard to scroll it. */
  label: string;
  /** Beside a name, without a box around it. */
  inline?: boolean | undefined;
}

/** Stored text of any length, as it is. Scrolls inside itself. */
export function ValueText({ text, label, inline = false }: ValueTextProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and a section for each value would crowd the landmarks
    <pre class={inline ? "value-text value-inline" : "value-text"} tabindex={0} role="group" aria-label={label}>
      <code>{visible(text)}</code>
    </pre>
  );
}
