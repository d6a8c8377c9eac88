/** That nothing was found wrong, without a full stop. It claims no more than what was examined. @param notLookedAt what was not, as in verdicts */
export function nothingWrong(notLookedAt: readonly string[], nothing = "Nothing looks wrong"): string {
  return notLookedAt.length === 0 ? nothing : `${nothing} in what was checked`;
}
