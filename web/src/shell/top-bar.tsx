import {
  agentsOf,
  countStandings,
  type GlanceCount,
  PLAIN,
  paintMark,
  standingsText,
} from '../../../src/core/index.ts';
import { wallTime } from '../parts/marks.tsx';
import { isReplayed, picture, replayAt, shownSession } from '../store.ts';
import { goToNext, isDetailOpen, isHelpOpen, nextTheme, run, type Theme, theme } from './commands.ts';
import { counts } from './counts.ts';
import { ViewTabs } from './view-frame.tsx';
import './top-bar.css';

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
  const shown = isReplayed.value ? counts.value.filter(({ name }) => name === 'needs-you') : counts.value;
  const isCalm = picture.value?.isComplete === true && shown.length === 0;
  return (
    <ul class="top-glance" aria-label="How all agents stand">
      {isReplayed.value && <Then />}
      {isCalm && !isReplayed.value && <li class="top-calm">no agents at work</li>}
      {shown.map((count) => (
        <li key={count.name}>
          <CountButton {...count} />
        </li>
      ))}
    </ul>
  );
}

/** Of the session that is replayed, at that moment. */
function Then() {
  const session = shownSession.value;
  if (!session || replayAt.value === undefined) return null;
  const standings = countStandings(agentsOf(session));
  return (
    <li class="top-then" title={`Replay, at this moment: ${standingsText(standings, { words: true })}`}>
      replay, {wallTime(replayAt.value)}: {standingsText(standings)}
    </li>
  );
}

const HINTS = {
  'at-work': 'Go to the next one at work',
  'needs-you': 'Go to the next one who needs you (n)',
  silent: 'Go to the next silent one (s)',
} as const;

function CountButton({ name, standing, count, word }: GlanceCount) {
  return (
    <button type="button" class={`top-count top-count-${name}`} onClick={() => goToNext(name)} title={HINTS[name]}>
      <span class="top-mark" aria-hidden="true">
        {paintMark(standing, PLAIN)}
      </span>
      <span class="top-number">{count}</span> <span class="top-word">{word}</span>
    </button>
  );
}

const MARKS: Readonly<Record<Theme, string>> = { system: '◑', light: '☀', dark: '☾' };

export function ThemeSwitch() {
  return (
    <button type="button" class="quiet" onClick={nextTheme} title={`Theme: ${theme.value} (t)`}>
      <span aria-hidden="true">{MARKS[theme.value]}</span>
      <span class="visually-hidden">Theme: {theme.value}</span>
    </button>
  );
}
