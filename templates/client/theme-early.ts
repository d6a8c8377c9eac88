// A classic script that blocks the first paint: no imports, everything inside one block. The rest of the theme is in theme.ts.
{
  const root = document.documentElement;
  // Shows what only works with scripts.
  root.dataset.js = "";
  try {
    const theme = localStorage.getItem("pynenc-monitor.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage can be forbidden; the system's theme is fine.
  }
}
