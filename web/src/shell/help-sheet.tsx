import { PLAIN, paintMark, type Standing } from '../../../src/core/index.ts';
import { useBackend } from '../backend.ts';
import { isHelpOpen } from './commands.ts';
import { KEYS } from './keys.ts';
import { Sheet } from './sheet.tsx';

const MARKS: readonly (readonly [Standing, string])[] = [
  ['running', 'at work'],
  ['needs you', 'wants a yes or an answer from you'],
  ['silent', 'at work, but not heard of for long'],
  ['waiting', 'waits for a sub-agent, or for a limit to end'],
  ['completed', 'done'],
  ['failed', 'ended badly; the detail says why'],
  ['stopped', 'was stopped'],
  ['unknown', 'its end is not known; the detail says why not'],
];

const LINKS: readonly (readonly [string, string])[] = [
  ['solid', 'it is certain who asked for it'],
  ['dashed', 'there is strong evidence'],
  ['dotted ?', 'a guess'],
];

export function HelpSheet() {
  const backend = useBackend();
  const keys = KEYS.filter(
    ({ command }) => (command !== 'export' && command !== 'attach') || backend[command] !== undefined,
  );
  return (
    <Sheet isOpen={isHelpOpen} title="Keys and marks">
      <div class="help">
        <section>
          <h3>Everywhere</h3>
          <KeyList rows={keys.map(({ key, text }) => [key === 'Escape' ? 'esc' : key, text])} />
        </section>
        <section>
          <h3>In the views</h3>
          {VIEW_KEYS.map(({ title, rows }) => (
            <div key={title}>
              <h4>{title}</h4>
              <KeyList rows={rows} />
            </div>
          ))}
        </section>
        <section>
          <h3>Marks</h3>
          <dl class="help-list">
            {MARKS.map(([standing, text]) => (
              <div key={standing}>
                <dt aria-hidden="true">{paintMark(standing, PLAIN)}</dt>
                <dd>
                  <b>{standing}</b> {text}
                </dd>
              </div>
            ))}
          </dl>
          <h3>Lines between agents</h3>
          <dl class="help-list help-lines">
            {LINKS.map(([line, text]) => (
              <div key={line}>
                <dt>{line}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Sheet>
  );
}

function KeyList({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <dl class="help-list">
      {rows.map(([key, text]) => (
        <div key={key}>
          <dt>
            {key.split(' ').map((one) => (
              <kbd key={one}>{one}</kbd>
            ))}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Keys that belong to a view, and work while it has the focus: for the help sheet. */
const VIEW_KEYS: readonly { readonly title: string; readonly rows: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Race, Graph, Timeline',
    rows: [
      ['↑ ↓', 'from agent to agent'],
      ['← →', 'close, open; in Timeline from call to call'],
      ['space', 'select it'],
      ['enter', 'read its transcript'],
    ],
  },
  {
    title: 'Graph, Timeline',
    rows: [
      ['+ -', 'nearer, farther'],
      ['0', 'all of it'],
      ['shift ←→', 'move along'],
    ],
  },
  {
    title: 'Read',
    rows: [
      ['j k', 'next, previous message'],
      ['g G', 'beginning, end'],
      ['e', 'fold, unfold'],
      ['o', 'into the sub-agent'],
      ['u', 'back to who asked for it'],
      ['/', 'find in the transcript'],
    ],
  },
  {
    title: 'Guard',
    rows: [
      ['↑ ↓', 'from call to call'],
      ['space', 'select the agent that made it'],
      ['enter', 'read it in the transcript'],
      ['e', 'explain it: which rule won and why, and what would allow it'],
      ['i', 'all that the tool was given'],
    ],
  },
  {
    title: 'Replay',
    rows: [
      ['← →', 'back, forth'],
      ['space', 'play, pause'],
    ],
  },
];
