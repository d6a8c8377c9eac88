/** Text as searches compare it: without case, and composed, so that `é` finds itself however it is encoded. */
export function folded(text: string): string {
  return text.toLowerCase().normalize();
}
