/** The part of the idiomorph script's global that is used here. */
interface Morpher {
  defaults: {
    callbacks: { beforeAttributeUpdated?: (name: string, element: Element, change: "update" | "remove") => boolean };
  };
}

/** A refresh keeps `details` as the viewer left them, whatever the server's markup says. */
export function keepOpenedDetails(): void {
  const morpher = (globalThis as { Idiomorph?: Morpher }).Idiomorph;
  if (morpher === undefined) return;
  morpher.defaults.callbacks.beforeAttributeUpdated = (name, element) =>
    !(name === "open" && element.matches("details"));
}
