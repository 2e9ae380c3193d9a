import { useEffect, useState } from 'preact/hooks';
import { type AttachOptions, type AttachReport, attachLine, cleanBlock, cleanLine } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import { CopyButton } from '../parts/marks.tsx';
import { Sheet } from '../shell/sheet.tsx';
import { type AgentRef, useBackend } from '../store.ts';
import './attach.css';
import { signal } from '@preact/signals';

const BUDGET = 8_000;

/** How to go on from an agent, and every word that it would be told. The page starts nothing: the command is to be copied. */
export function AttachSheet() {
  const ask = useBackend().attach;
  const agent = attached.value;
  if (!ask) return null;
  return (
    <Sheet isOpen={isAttaching} title="Continue from this agent">
      {agent && <AttachForm key={`${agent.session} ${agent.agent}`} ask={ask} agent={agent} />}
    </Sheet>
  );
}

function AttachForm({ ask, agent }: { readonly ask: NonNullable<Backend['attach']>; readonly agent: AgentRef }) {
  const [message, setMessage] = useState('');
  const [host, setHost] = useState('');
  const [fork, setFork] = useState(false);
  const wish: AttachOptions = {
    fork,
    budget: BUDGET,
    ...(message.trim() !== '' && { message: message.trim() }),
    ...(host !== '' && { host }),
  };
  const planning = usePlan(ask, agent, wish);
  const report = planning.kind === 'known' ? planning.report : undefined;
  return (
    <form class="attach" onSubmit={(event) => event.preventDefault()}>
      <label class="attach-field">
        What to say to it
        <textarea
          rows={3}
          maxLength={4000}
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
        />
      </label>
      <div class="attach-choices">
        <label>
          With{' '}
          <select value={host} onChange={(event) => setHost(event.currentTarget.value)}>
            <option value="">its own host</option>
            {(report?.hosts ?? []).map((one) => (
              <option key={one.host} value={one.host}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={fork} onChange={() => setFork(!fork)} /> leave the conversation as it is
        </label>
      </div>
      <div role="status">
        {planning.kind === 'asking' && <p class="dim">Looking for the best way…</p>}
        {planning.kind === 'trouble' && <p class="attach-trouble">{cleanLine(planning.text)}</p>}
        {report && <p class="attach-way">{report.words}</p>}
      </div>
      {report && <Plan report={report} wish={wish} />}
    </form>
  );
}

function Plan({ report, wish }: { readonly report: AttachReport; readonly wish: AttachOptions }) {
  const { reasons, limits, begins, text, tokens, redacted, leftOut } = report;
  const command = attachLine(report.agent.id, wish);
  const about = [
    ...(tokens > 0 ? [`about ${tokens} tokens`] : []),
    ...redacted.map(({ what, count }) => `${count} × ${what} taken out`),
    ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : []),
  ];
  return (
    <>
      <ul class="attach-notes">
        {[...reasons, ...limits, ...(begins ? ['The new session will stand below this agent.'] : [])].map((note) => (
          <li key={note}>{cleanLine(note)}</li>
        ))}
      </ul>
      <h3>In a terminal</h3>
      <div class="attach-command">
        <pre>{cleanBlock(command)}</pre>
        <CopyButton text={command} what="the command" />
      </div>
      {text !== null && (
        <>
          <h3>
            What it is told <span class="dim">{cleanLine(about.join(' · '))}</span>
          </h3>
          <div class="attach-command">
            <pre class="attach-text">{cleanBlock(text)}</pre>
            <CopyButton text={text} what="what it is told" />
          </div>
        </>
      )}
    </>
  );
}

export type Planning =
  | { readonly kind: 'asking' }
  | { readonly kind: 'known'; readonly report: AttachReport }
  | { readonly kind: 'trouble'; readonly text: string };

/** Whoever types is not answered for each letter. */
const PAUSE_MS = 300;

/** What going on would be, asked anew whenever the wish changes. The last answer stays until the next is there. */
export function usePlan(
  ask: NonNullable<Backend['attach']>,
  { agent, session }: AgentRef,
  wish: AttachOptions,
): Planning {
  const [planning, setPlanning] = useState<Planning>({ kind: 'asking' });
  const { message, host, fork, budget } = wish;
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => {
      ask({ agent, session }, wish, gone.signal).then(
        (report) => setPlanning({ kind: 'known', report }),
        (error: unknown) => {
          if (!gone.signal.aborted)
            setPlanning({ kind: 'trouble', text: error instanceof Error ? error.message : String(error) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [ask, agent, session, message, host, fork, budget]);
  return planning;
}

/** Nothing where there is nobody to say how: in a page that is an export. */
export function AttachButton({ agent, session }: AgentRef) {
  if (!useBackend().attach) return null;
  return (
    <button
      type="button"
      class="export-open"
      onClick={() => openAttach({ agent, session })}
      title="Continue from this agent (c)"
    >
      Continue…
    </button>
  );
}

/** The agent that the sheet in front of the page is about. Kept while it closes. */
export const attached = signal<AgentRef | undefined>(undefined);
export const isAttaching = signal(false);

export function openAttach(agent: AgentRef | undefined): void {
  if (agent === undefined) return;
  attached.value = agent;
  isAttaching.value = true;
}
