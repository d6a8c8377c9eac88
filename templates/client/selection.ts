/** Lists with a checkbox per row: adds checkboxes for groups and the number selected. */
import { grouped } from "../../src/pynenc/numbers.ts";

const GROUP_BOX = "input.select-group";
const ROW_BOX = "input[type=checkbox][name=selected]";

const boxesIn = (area: Element, selector: string) => [...area.querySelectorAll<HTMLInputElement>(selector)];

/** Updates the boxes of groups and the button. */
function update(list: Element): void {
  for (const group of list.querySelectorAll(".call-group")) {
    const boxes = boxesIn(group, ROW_BOX);
    const checked = boxes.filter((box) => box.checked).length;
    for (const whole of boxesIn(group, GROUP_BOX)) {
      whole.checked = checked > 0 && checked === boxes.length;
      whole.indeterminate = checked > 0 && checked < boxes.length;
    }
  }
  const button = list.closest("form")?.querySelector<HTMLButtonElement>("button[type=submit]");
  if (button == null) return;
  const selected = boxesIn(list, ROW_BOX).filter((box) => box.checked).length;
  button.disabled = selected === 0;
  button.textContent = selected === 1 ? "Rerun 1 call" : `Rerun ${grouped(selected)} calls`;
}

export function startSelection(): void {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "checkbox") return;
    const list = target.closest(".selection");
    if (list === null) return;
    const group = target.closest(".call-group");
    if (group !== null && target.matches(GROUP_BOX)) {
      for (const box of boxesIn(group, ROW_BOX)) box.checked = target.checked;
    }
    update(list);
  });
  const announceAll = () => {
    for (const list of document.querySelectorAll(".selection")) update(list);
  };
  // When going back, browsers restore checkboxes after the page has loaded.
  addEventListener("pageshow", announceAll);
  announceAll();
}
