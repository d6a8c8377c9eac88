import type { ComponentChildren } from "preact";

export interface NoticeProps {
  tone: "info" | "warn" | "error";
  children: ComponentChildren;
}

const WORDS = { info: "Note", warn: "Warning", error: "Error" } as const;

/** A message about the page as a whole. The tone is read out as a word. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "error" ? "alert" : "status"}>
      <span class="visually-hidden">{WORDS[tone]}: </span>
      <div>{children}</div>
    </div>
  );
}
