/** Choices that outlive a page. Storage can be forbidden or full, and then choices last for the page. */
const PREFIX = "pynenc-monitor.";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // See above.
  }
}

/** Calls back when another tab changed the choice. */
export function onRemembered(name: string, changed: (value: string | null) => void): void {
  addEventListener("storage", (event) => {
    if (event.key === PREFIX + name) changed(event.newValue);
  });
}
