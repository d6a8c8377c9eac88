/** The switches of the page as choices of the palette: theme, times, live refresh, pause, and the buttons beside them. */

export interface PageSwitch {
  /** `Theme: Dark`, or what is on a button. */
  name: string;
  use(): void;
}

const SELECTS = "#theme-switch, #times-switch, #live-switch";
const BUTTONS = "#live-pause, #alarm, #keys-button";

/** What may be switched now, if its name has all of these words. */
export function pageSwitches(text: string): PageSwitch[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.join("").length < 3) return [];
  return [...optionsOfSelects(), ...buttons()].filter(({ name }) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}

function optionsOfSelects(): PageSwitch[] {
  return [...document.querySelectorAll<HTMLSelectElement>(SELECTS)].flatMap((select) => {
    const spans = select.closest("label")?.querySelectorAll("span") ?? [];
    const label = [...spans].map((span) => span.textContent ?? "").join("");
    return [...select.options]
      .filter((option) => !option.selected)
      .map((option) => ({
        name: `${label}: ${option.text}`,
        use: () => {
          select.value = option.value;
          select.dispatchEvent(new Event("change", { bubbles: true }));
        },
      }));
  });
}

function buttons(): PageSwitch[] {
  return [...document.querySelectorAll<HTMLButtonElement>(BUTTONS)].map((button) => ({
    name: button.ariaLabel ?? button.textContent?.trim() ?? "",
    use: () => button.click(),
  }));
}
