/** Sentences from several places about one thing. */

/** The sentences that no verdict on the same thing says in its detail: a page, the terminal and `why` say each once. */
export function unsaid(sentences: readonly string[], verdicts: readonly { detail: string }[]): string[] {
  return sentences.filter((words) => !verdicts.some(({ detail }) => detail.includes(words)));
}
