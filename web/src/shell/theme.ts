import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'troupe-theme';

export const theme = signal<Theme>(remembered());
const isSystemDark = signal(false);

/** From the system's to the other one first: whoever presses wants to see something change. */
export function nextTheme(): void {
  const [own, other]: readonly Theme[] = isSystemDark.value ? ['dark', 'light'] : ['light', 'dark'];
  const turn: readonly (Theme | undefined)[] = ['system', other, own];
  theme.value = turn[(turn.indexOf(theme.value) + 1) % turn.length] ?? 'system';
  remember(theme.value);
}

/** Before anything is drawn; from then on the page follows the person and the system. */
export function startTheme(page: Document): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  isSystemDark.value = system.matches;
  system.addEventListener('change', ({ matches }) => {
    isSystemDark.value = matches;
  });
  effect(() => {
    const chosen = theme.value === 'system' ? (isSystemDark.value ? 'dark' : 'light') : theme.value;
    page.documentElement.dataset['theme'] = chosen;
  });
}

/** A browser may forbid to keep anything: then it is forgotten with the page. */
function remembered(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((one) => one === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

function remember(chosen: Theme): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Nothing to do: the choice holds as long as the page is open.
  }
}
