// Dark or light: as the system has it, until the reader chooses.

const KEY = "theme";

/** What the browser keeps for this page; a page in a closed frame may not look. */
function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** Show the theme that was chosen last. */
export function restoreTheme(): void {
  const saved = storage()?.getItem(KEY);
  if (saved === "dark" || saved === "light") document.documentElement.dataset.theme = saved;
}

export function toggleTheme(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  storage()?.setItem(KEY, root.dataset.theme);
}
