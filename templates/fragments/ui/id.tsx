import { shortId, visibleLine } from "../../../src/presentation/text.ts";
import { CopyButton } from "./copy-button.tsx";

export interface IdProps {
  value: string;
  /** From `useLinks()`. */
  href?: string | undefined;
  /** Show all of it. */
  full?: boolean | undefined;
  /** False leaves the copy button out: in dense tables one copyable id per row is enough. */
  copy?: boolean | undefined;
}

/** An identifier: monospace, shortened in the middle, with all of it in the title and on copy. */
export function Id({ value, href, full = false, copy = true }: IdProps) {
  const text = visibleLine(full ? value : shortId(value)) || "(empty)";
  const title = text === value ? undefined : visibleLine(value);
  return (
    <span class={full ? "id id-full" : "id"}>
      {href === undefined ? (
        <bdi title={title}>{text}</bdi>
      ) : (
        <a href={href} title={title}>
          <bdi>{text}</bdi>
        </a>
      )}
      {copy && <CopyButton text={value} what={`id ${visibleLine(shortId(value))}`} />}
    </span>
  );
}
