import { useState } from 'preact/hooks';
import {
  cleanLine,
  type SessionGrouping,
  type SessionListReport,
  type SessionSort,
  type SessionState,
} from '../../../src/core/index.ts';
import { arrangeBy, clearFilter, findIn, narrow } from '../actions.ts';
import { type Filter, isFiltering, STATUS_WORDS } from '../filter.ts';
import { SEARCH_ID } from '../shell/commands.ts';
import { filter, grouping, searchIn, sort, useBackend } from '../store.ts';
import { loaded } from './list-state.ts';

/** Search, and behind a button the choices that the data offers. What is set stays in sight as chips. */
export function FilterBar() {
  const [isOpen, setOpen] = useState(false);
  const now = filter.value;
  const { search } = useBackend();
  const onKey = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void => {
    if (event.key !== 'Escape' && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Escape') narrow({ text: '' });
    if (event.key === 'Enter' && search && now.text.trim() !== '') findIn('messages');
    else event.currentTarget.blur();
  };
  return (
    <search class="filter">
      <div class="filter-line">
        <input
          id={SEARCH_ID}
          type="search"
          placeholder="Search"
          title={search ? 'Enter searches in messages' : undefined}
          aria-label="Search sessions and agents"
          aria-keyshortcuts="/"
          autocomplete="off"
          spellcheck={false}
          value={now.text}
          onInput={({ currentTarget }) => narrow({ text: currentTarget.value })}
          onKeyDown={onKey}
        />
        <button type="button" aria-expanded={isOpen} aria-controls="filter-choices" onClick={() => setOpen(!isOpen)}>
          Filter
        </button>
      </div>
      <div id="filter-choices" class="filter-choices" hidden={!isOpen}>
        {isOpen && <Choices now={now} />}
      </div>
      {isFiltering(now) && <FilterChips now={now} onClear={clearFilter} />}
      {search && now.text.trim() !== '' && <SearchTabs />}
      {(searchIn.value === 'sessions' || now.text.trim() === '') && <OrderLine />}
    </search>
  );
}

/** What the words are looked for in. */
function SearchTabs() {
  return (
    <fieldset class="filter-tabs" aria-label="Search in">
      {(['sessions', 'messages'] as const).map((name) => (
        <button key={name} type="button" aria-pressed={searchIn.value === name} onClick={() => findIn(name)}>
          {name === 'sessions' ? 'Sessions' : 'Messages'}
        </button>
      ))}
    </fieldset>
  );
}

const SORTS: Readonly<Record<SessionSort, string>> = {
  time: 'newest',
  cost: 'cost',
  agents: 'agents',
  duration: 'duration',
  tokens: 'output tokens',
};
const GROUPS: Readonly<Record<SessionGrouping, string>> = { day: 'by day', project: 'by project', none: 'no groups' };

/** How many there are, and in which order. */
function OrderLine() {
  const { report } = loaded.value ?? {};
  return (
    <div class="filter-order">
      <span class="filter-count" role="status">
        {report && countText(report)}
        {report && report.matching < report.total && <span class="visually-hidden"> sessions match</span>}
      </span>
      <select
        aria-label="Order of the sessions"
        value={sort.value}
        onChange={({ currentTarget }) => arrangeBy({ sort: currentTarget.value as SessionSort })}
      >
        {Object.entries(SORTS).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <select
        aria-label="Groups of the sessions"
        value={grouping.value}
        onChange={({ currentTarget }) => arrangeBy({ group: currentTarget.value as SessionGrouping })}
      >
        {Object.entries(GROUPS).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function countText({ matching, total }: Pick<SessionListReport, 'matching' | 'total'>): string {
  const [some, all] = [matching, total].map((count) => count.toLocaleString('en'));
  if (matching < total) return `${some} of ${all}`;
  return `${all} ${total === 1 ? 'session' : 'sessions'}`;
}

function Choices({ now }: { readonly now: Filter }) {
  const { hosts = [], projects = [] } = loaded.value?.report ?? {};
  return (
    <>
      <Choice
        label="Status"
        value={now.status}
        options={Object.entries(STATUS_WORDS)}
        onChoose={(status) => narrow({ status: status as SessionState | undefined })}
      />
      <Choice
        label="Project"
        value={now.project}
        options={projects.map((one) => [one, cleanLine(one)])}
        onChoose={(project) => narrow({ project })}
      />
      <Choice
        label="Host"
        value={now.host}
        options={hosts.map((one) => [one, cleanLine(one)])}
        onChoose={(host) => narrow({ host })}
      />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string | undefined) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const at = options.findIndex(([one]) => one === value);
  return (
    <label>
      <span>{label}</span>
      {/* By number: a project may have any name, the empty one, too. */}
      <select value={String(at)} onChange={({ currentTarget }) => onChoose(options[Number(currentTarget.value)]?.[0])}>
        <option value="-1">any</option>
        {options.map(([one, text], index) => (
          <option key={one} value={String(index)}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is set, each part with a way to take it off. */
export function FilterChips({ now, onClear }: { readonly now: Filter; readonly onClear: () => void }) {
  const chips: readonly (readonly [text: string | undefined, without: Partial<Filter>])[] = [
    [now.text.trim() === '' ? undefined : `"${cleanLine(now.text)}"`, { text: '' }],
    [now.status && STATUS_WORDS[now.status], { status: undefined }],
    [now.project === undefined ? undefined : `project ${cleanLine(now.project)}`, { project: undefined }],
    [now.host === undefined ? undefined : `host ${cleanLine(now.host)}`, { host: undefined }],
  ];
  return (
    <ul class="filter-chips" aria-label="Active filters">
      {chips.map(
        ([text, without]) =>
          text !== undefined && (
            <li key={Object.keys(without)[0]}>
              <button
                type="button"
                class="chip"
                onClick={() => narrow(without)}
                aria-label={`Remove the filter ${text}`}
              >
                <span class="chip-text">{text}</span> <span aria-hidden="true">×</span>
              </button>
            </li>
          ),
      )}
      <li>
        <button type="button" class="quiet filter-clear" onClick={onClear}>
          clear
        </button>
      </li>
    </ul>
  );
}
