/** Choices that are remembered across pages. If storage is disabled or full, they only last for the page. */
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

/** Calls back when another tab changes the choice. */
export function onRemembered(name: string, changed: (value: string | null) => void): void {
  addEventListener("storage", (event) => {
    if (event.key === PREFIX + name) changed(event.newValue);
  });
}
