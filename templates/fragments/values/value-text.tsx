import { visible } from "../../../src/presentation/text.ts";

export interface ValueTextProps {
  text: string;
  /** Label for users who focus it by keyboard to scroll. */
  label: string;
  /** Next to a name, without a box. */
  inline?: boolean | undefined;
}

/** Stored text of any length, unchanged. Scrolls within its box. */
export function ValueText({ text, label, inline = false }: ValueTextProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and a section for each value would crowd the landmarks
    <pre class={inline ? "value-text value-inline" : "value-text"} tabindex={0} role="group" aria-label={label}>
      <code>{visible(text)}</code>
    </pre>
  );
}
