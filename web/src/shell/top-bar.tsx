import { picture } from '../store.ts';
import { goToNext, isDetailOpen, isHelpOpen, run } from './commands.ts';
import { type Count, counts } from './counts.ts';
import { ViewTabs } from './view-tabs.tsx';
import './top-bar.css';
import { nextTheme, type Theme, theme } from './theme.ts';

export function TopBar() {
  return (
    <header class="top">
      <h1 class="top-name">troupe</h1>
      <Glance />
      <ViewTabs />
      <div class="top-tools">
        <button
          type="button"
          class="quiet top-detail"
          aria-expanded={isDetailOpen.value}
          onClick={() => run('detail')}
          title="Detail: open, close (d)"
        >
          Detail
        </button>
        <button type="button" class="quiet top-search" onClick={() => run('search')} title="Search (/)">
          <span aria-hidden="true">⌕</span>
          <span class="visually-hidden">Search</span>
        </button>
        <ThemeSwitch />
        <button
          type="button"
          class="quiet"
          aria-expanded={isHelpOpen.value}
          onClick={() => run('help')}
          title="Keys and marks (?)"
        >
          <span aria-hidden="true">?</span>
          <span class="visually-hidden">Keys and marks</span>
        </button>
      </div>
    </header>
  );
}

/** The answer at a glance, from two metres. */
function Glance() {
  const shown = counts.value;
  const isCalm = picture.value?.isComplete === true && shown.length === 0;
  return (
    <ul class="top-glance" aria-label="How all agents stand">
      {isCalm && <li class="top-calm">nobody at work</li>}
      {shown.map((count) => (
        <li key={count.name}>
          <CountButton {...count} />
        </li>
      ))}
    </ul>
  );
}

const HINTS = {
  working: 'Go to the next one at work',
  'needs-you': 'Go to the next one who needs you (n)',
  silent: 'Go to the next silent one (s)',
} as const;

function CountButton({ name, mark, count, word }: Count) {
  return (
    <button type="button" class={`top-count top-count-${name}`} onClick={() => goToNext(name)} title={HINTS[name]}>
      <span class="top-mark" aria-hidden="true">
        {mark}
      </span>
      <span class="top-number">{count}</span> <span class="top-word">{word}</span>
    </button>
  );
}

const MARKS: Readonly<Record<Theme, string>> = { system: '◑', light: '☀', dark: '☾' };

function ThemeSwitch() {
  return (
    <button type="button" class="quiet" onClick={nextTheme} title={`Theme: ${theme.value} (t)`}>
      <span aria-hidden="true">{MARKS[theme.value]}</span>
      <span class="visually-hidden">Theme: {theme.value}</span>
    </button>
  );
}
