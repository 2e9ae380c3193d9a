import { nextTheme, type Theme, theme } from './theme.ts';

const MARKS: Readonly<Record<Theme, string>> = { system: '◑', light: '☀', dark: '☾' };

export function ThemeSwitch() {
  return (
    <button type="button" class="quiet" onClick={nextTheme} title={`Theme: ${theme.value} (t)`}>
      <span aria-hidden="true">{MARKS[theme.value]}</span>
      <span class="visually-hidden">Theme: {theme.value}</span>
    </button>
  );
}
