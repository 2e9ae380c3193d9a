import { goTo } from '../actions.ts';
import { type Pane, pane } from '../store.ts';
import { counts } from './page-head.ts';

const PANES: readonly { readonly name: Pane; readonly title: string }[] = [
  { name: 'sessions', title: 'Sessions' },
  { name: 'view', title: 'View' },
  { name: 'detail', title: 'Detail' },
];

/** On a phone: one part of the page at a time. */
export function PaneTabs() {
  const urgent = counts.value.find(({ name }) => name === 'needs-you');
  return (
    <nav class="pane-tabs" aria-label="Parts of the page">
      {PANES.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-current={pane.value === name ? 'page' : undefined}
          onClick={() => goTo(name)}
        >
          {title}
          {name === 'sessions' && urgent && (
            <span class="pane-badge">
              {' '}
              {urgent.mark} {urgent.count}
              <span class="visually-hidden"> {urgent.word}</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}
