import { encode } from "../../../src/presentation/links.ts";
import { visible } from "../../../src/presentation/text.ts";

export interface CopyButtonProps {
  /** Exactly what is copied. */
  text: string;
  /** What it is, for the button's name: `Copy <what>`. */
  what: string;
}

/** Works with scripts only and is hidden without them (client/copy.ts). */
export function CopyButton({ text, what }: CopyButtonProps) {
  // Percent-encoded, because markup cannot contain some characters unchanged (NUL, CR) and others would be misleading in the source.
  const plain = visible(text) === text;
  return (
    <button
      type="button"
      class="copy needs-script"
      aria-label={`Copy ${what}`}
      data-copy={plain ? text : undefined}
      data-copy-encoded={plain ? undefined : encode(text)}
    />
  );
}
