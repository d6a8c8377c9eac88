import { count, visibleLine } from "../../../src/presentation/text.ts";
import type { DisplayValue } from "../../../src/pynenc/values.ts";
import { useLinks } from "../../links.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Id } from "../ui/id.tsx";
import { ValueText } from "./value-text.tsx";

/** A stored value: argument, result, exception or payload. */
export function ValueView({ value }: { value: DisplayValue }) {
  const links = useLinks();
  return (
    <div class="value">
      <div class="value-bar">
        <span>{visibleLine(value.form)}</span>
        <span class="muted">
          {[...sizeWords(value), ...(value.truncated ? ["only the start is shown"] : [])].join(", ")}
        </span>
        {value.reference !== null && (
          <span>
            stored in client data <Id value={digestOf(value.reference)} href={links.clientValue(value.reference)} />
          </span>
        )}
        <CopyButton text={value.text} what={value.truncated ? "the part shown" : "value"} />
      </div>
      {value.text !== "" && value.form !== "reference" && <ValueText text={value.text} label="Value" />}
      {value.note !== null && <p class="value-note small">{visibleLine(value.note)}</p>}
    </div>
  );
}

/** For a value that was not read in full, the note has the size. */
function sizeWords({ size, cut }: DisplayValue): string[] {
  if (size === null || cut) return [];
  return [`${count(size)} ${size === 1 ? "character" : "characters"}`];
}

/** The digits after the common prefix of references; they find the value as well. */
function digestOf(reference: string): string {
  return reference.slice(reference.lastIndexOf(":") + 1);
}
