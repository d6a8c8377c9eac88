/** Announces text to screen readers, politely. */
export function announce(text: string): void {
  const announcer = document.querySelector("#announcer");
  if (announcer === null) return;
  announcer.textContent = "";
  // A repeated text is only read out again if the region was empty in between.
  requestAnimationFrame(() => {
    announcer.textContent = text;
  });
}

/** Shows a lasting problem above the page; null removes it. Setting the same text again is not read out again. */
export function showBanner(text: string | null): void {
  const banner = document.querySelector<HTMLElement>("#banner");
  if (banner === null) return;
  banner.hidden = text === null;
  if (banner.textContent !== (text ?? "")) banner.textContent = text ?? "";
}
