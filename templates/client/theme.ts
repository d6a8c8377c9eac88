import { onRemembered, recall, remember } from "./storage.ts";

function apply(theme: string | null): void {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
}

/** The switch between the system's theme, light and dark. */
export function startTheme(): void {
  const select = document.querySelector<HTMLSelectElement>("#theme-switch");
  if (select === null) return;
  const show = (theme: string | null) => {
    apply(theme);
    select.value = theme === "light" || theme === "dark" ? theme : "system";
  };
  show(recall("theme"));
  onRemembered("theme", show);
  select.addEventListener("change", () => {
    remember("theme", select.value);
    apply(select.value);
  });
}
