import { show } from '../actions.ts';
import { type ViewName, view } from '../store.ts';
import { preload } from './view-modules.ts';

export const VIEW_NAMES: readonly { readonly name: ViewName; readonly title: string }[] = [
  { name: 'race', title: 'Race' },
  { name: 'graph', title: 'Graph' },
  { name: 'timeline', title: 'Timeline' },
  { name: 'read', title: 'Read' },
  { name: 'guard', title: 'Guard' },
];

export const PANEL_ID = 'view';

export function tabId(name: ViewName): string {
  return `tab-${name}`;
}

/** One stop for the tab key; arrows go from tab to tab, as everywhere. */
export function ViewTabs() {
  const current = view.value;
  const onKey = (event: KeyboardEvent): void => {
    const next = neighbour(current, event.key);
    if (!next) return;
    event.preventDefault();
    show(next);
    document.getElementById(tabId(next))?.focus();
  };
  return (
    <div class="top-tabs" role="tablist" aria-label="Views" onKeyDown={onKey}>
      {VIEW_NAMES.map(({ name, title }, index) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={tabId(name)}
          aria-selected={name === current}
          aria-controls={PANEL_ID}
          tabIndex={name === current ? 0 : -1}
          title={`${title} (${index + 1})`}
          onClick={() => show(name)}
          onPointerEnter={() => preload(name)}
          onFocus={() => preload(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function neighbour(current: ViewName, key: string): ViewName | undefined {
  const at = VIEW_NAMES.findIndex(({ name }) => name === current);
  const count = VIEW_NAMES.length;
  const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : VIEW_NAMES[to]?.name;
}
