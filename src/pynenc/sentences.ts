/** Sentences from several places about one thing. */

/** With a capital letter at the beginning. */
export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The sentences that no verdict on the same thing says in its detail: a page, the terminal and `why` say each once. */
export function unsaid(sentences: readonly string[], verdicts: readonly { detail: string }[]): string[] {
  return sentences.filter((words) => !verdicts.some(({ detail }) => detail.includes(words)));
}

const SILENT: readonly string[] = ["running_on_dead_runner", "paused_on_dead_runner"];

/** Whether a verdict that is not muted says that the runner of an invocation is silent, so that its own answer does not have to. */
export function saysSilent(
  verdicts: readonly { code: string; muted_until: string | null; evidence: readonly { id: string }[] }[],
  invocation_id: string,
): boolean {
  return verdicts.some(
    ({ code, muted_until, evidence }) =>
      SILENT.includes(code) && muted_until === null && evidence.some(({ id }) => id === invocation_id),
  );
}
