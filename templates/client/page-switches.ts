/** The switches of the page as choices of the palette: theme, times, live refresh, and the buttons beside them. */

export interface PageSwitch {
  /** `Theme: Dark`, or what is on a button. */
  name: string;
  /** Everyday words for it. */
  words: string | undefined;
  use(): void;
}

const SELECTS = "#theme-switch, #times-switch, #live-switch";
const BUTTONS = "#alarm, .header-tools > .copy-link, #keys-button";

/** What may be switched now, if its name or the words for it have all of these. */
export function pageSwitches(text: string): PageSwitch[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.join("").length < 3) return [];
  return [...optionsOfSelects(), ...buttons()].filter((one) => {
    const own = `${one.name} ${one.words}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
}

function optionsOfSelects(): PageSwitch[] {
  return [...document.querySelectorAll<HTMLSelectElement>(SELECTS)].flatMap((select) => {
    const label = select.closest("label")?.textContent?.replace(select.textContent ?? "", "") ?? "";
    return [...select.options]
      .filter((option) => !option.selected)
      .map((option) => ({
        name: label === "" ? option.text : `${label}: ${option.text}`,
        words: select.dataset.words,
        use: () => {
          select.value = option.value;
          select.dispatchEvent(new Event("change", { bubbles: true }));
        },
      }));
  });
}

function buttons(): PageSwitch[] {
  return [...document.querySelectorAll<HTMLElement>(BUTTONS)].map((button) => ({
    name: (button.closest("label") ?? button.querySelector(".needs-script") ?? button).textContent?.trim() ?? "",
    words: button.dataset.words,
    use: () => button.click(),
  }));
}
