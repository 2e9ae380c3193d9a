import { useState } from 'preact/hooks';
import { cleanLine, type LiveSnapshot } from '../../../src/core/index.ts';
import { clearFilter, narrow } from '../actions.ts';
import { type Filter, isFiltering, STATUS_WORDS, type StatusFilter } from '../filter.ts';
import { SEARCH_ID } from '../shell/commands.ts';
import { filter, picture } from '../store.ts';

/** Search, and behind a button the choices that the data offers. What is set stays in sight as chips. */
export function FilterBar() {
  const [isOpen, setOpen] = useState(false);
  const now = filter.value;
  const onKey = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void => {
    if (event.key !== 'Escape' && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Escape') narrow({ text: '' });
    event.currentTarget.blur();
  };
  return (
    <search class="filter">
      <div class="filter-line">
        <input
          id={SEARCH_ID}
          type="search"
          placeholder="Search"
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
    </search>
  );
}

function Choices({ now }: { readonly now: Filter }) {
  const known = picture.value;
  return (
    <>
      <Choice
        label="Status"
        value={now.status}
        options={Object.entries(STATUS_WORDS)}
        onChoose={(status) => narrow({ status: status as StatusFilter | undefined })}
      />
      <Choice
        label="Project"
        value={now.project}
        options={projectsIn(known).map((one) => [one, cleanLine(one)])}
        onChoose={(project) => narrow({ project })}
      />
      <Choice
        label="Host"
        value={now.host}
        options={hostsIn(known).map((one) => [one, cleanLine(one)])}
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

// What there is to choose from: only what the data holds.

function hostsIn(picture: LiveSnapshot | undefined): readonly string[] {
  return sorted([...(picture?.sessions ?? []), ...(picture?.older ?? [])].map(({ host }) => host));
}

function projectsIn(picture: LiveSnapshot | undefined): readonly string[] {
  return sorted((picture?.sessions ?? []).flatMap(({ project }) => project ?? []));
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((a, b) => a.localeCompare(b));
}

/** What is set, each part with a way to take it off. */
function FilterChips({ now, onClear }: { readonly now: Filter; readonly onClear: () => void }) {
  const chips: readonly (readonly [text: string | undefined, without: Partial<Filter>])[] = [
    [now.text.trim() === '' ? undefined : `«${cleanLine(now.text)}»`, { text: '' }],
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
