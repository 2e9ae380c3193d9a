import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { cleanLine, formatBytes, isAtWork, plural, type ServedReview } from '../../../src/core/index.ts';
import type { Backend, ExportedFile, ExportWish } from '../backend.ts';
import { CopyButton } from '../parts/marks.tsx';
import { Sheet } from '../shell/sheet.tsx';
import { agentsOf, sessions, useBackend } from '../store.ts';
import { type Choices, choicesOf, ReviewPanel } from './review-panel.tsx';
import './export.css';
import { signal } from '@preact/signals';

/** What will be in the file and what will not, before anything is made. */
export function ExportSheet() {
  const make = useBackend().export;
  const session = exported.value;
  if (!make) return null;
  return (
    <Sheet isOpen={isExporting} title="Export this session">
      {session !== undefined && <ExportForm key={session} make={make} session={session} />}
    </Sheet>
  );
}

function ExportForm({ make, session }: { readonly make: NonNullable<Backend['export']>; readonly session: string }) {
  const [as, setForm] = useState<ExportWish['as']>('page');
  const [pii, setPii] = useState(false);
  const backend = useBackend().review;
  const { state, start, look, cancel } = useExport(make, session, backend);
  const isMaking = state.kind === 'making' || state.kind === 'looking';
  const [review, setReview] = useState<ServedReview>();
  const [choices, setChoices] = useState<Choices>({});
  const act = useRef<HTMLButtonElement>(null);
  // One button takes the place of the other: who had the focus keeps it.
  useLayoutEffect(() => {
    if (state.kind !== 'idle' && document.activeElement === document.body) act.current?.focus();
  }, [isMaking]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isMaking) return;
    void start({ as, pii, review: review?.id }, choices);
  };
  const reviewFirst = async (): Promise<void> => {
    const found = await look(pii);
    if (!found) return;
    setReview(found);
    setChoices(choicesOf(found));
  };
  // What it found is not what the file will be searched for any more.
  const changePii = (): void => {
    setPii(!pii);
    setReview(undefined);
  };
  return (
    <form class="export" onSubmit={submit}>
      <Subject session={session} />
      <fieldset>
        <legend>As</legend>
        {EXPORT_FORMS.map((form) => (
          <label key={form.as} class="export-choice">
            <input type="radio" name="as" checked={as === form.as} onChange={() => setForm(form.as)} />
            <span>
              <b>{form.title}</b>
              <span class="export-text">{form.text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>Taken out</legend>
        <p>
          Passwords, keys and tokens; the path of your home, your user's and your machine's name, and the author that
          git names. In their place stands what it was: <code>[redacted:github-token#1]</code>. Images are left out.
        </p>
        <label class="export-choice">
          <input type="checkbox" checked={pii} onChange={changePii} />
          <span>Also e-mail addresses, phone and card numbers, and IP addresses</span>
        </label>
        <p class="export-care">
          Read the file before you share it: troupe knows what secrets look like, not what is secret to you.
        </p>
      </fieldset>
      {review && <ReviewPanel key={review.id} review={review} choices={choices} onChange={setChoices} />}
      <div class="export-acts">
        {/* Two elements: one that becomes a submit button while it is pressed would submit. */}
        {isMaking ? (
          <button key="cancel" ref={act} type="button" onClick={cancel}>
            Cancel
          </button>
        ) : (
          <button key="go" ref={act} type="submit" class="export-go">
            Export
          </button>
        )}
        {backend && !isMaking && (
          <button key="review" type="button" onClick={() => void reviewFirst()}>
            {review ? 'Review again' : 'Review what is taken out…'}
          </button>
        )}
        <Outcome state={state} />
      </div>
      <LinkedPages session={session} />
    </form>
  );
}

function Subject({ session }: { readonly session: string }) {
  const known = sessions.value.find(({ id }) => id === session);
  if (!known) return null;
  const facts = [known.project ?? 'no known project', plural(known.agents, 'agent')];
  return (
    <p>
      <b>{cleanLine(known.title ?? known.main.label)}</b> <span class="dim">{cleanLine(facts.join(' · '))}</span>
      {agentsOf(known).some(({ status }) => isAtWork(status)) && (
        <span class="export-text">It is not over yet: the file has what is known when it is made.</span>
      )}
    </p>
  );
}

/** Always there, so that what changes in it is read out. */
function Outcome({ state }: { readonly state: Exporting }) {
  return (
    <p role="status" class={state.kind === 'trouble' ? 'export-trouble' : undefined}>
      {outcomeText(state)}
    </p>
  );
}

function outcomeText(state: Exporting): string {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'looking':
      return 'Looking for secrets in every conversation…';
    case 'reviewed':
      return 'Nothing is written yet. Choose, then press Export.';
    case 'making':
      return 'Looking for secrets in every conversation, then writing…';
    case 'cancelled':
      return 'Cancelled. Nothing was saved.';
    case 'saved':
      return `Your browser saves it as ${state.file.name}, ${formatBytes(state.file.content.size)}.`;
    case 'trouble':
      return `It could not be made: ${cleanLine(state.text)}`;
  }
}

/** The server says the command: where it was told to look, one who types has to look, too. */
function LinkedPages({ session }: { readonly session: string }) {
  const ask = useBackend().exportCommand;
  const [command, setCommand] = useState('');
  useEffect(() => {
    let isWanted = true;
    const show = (said: string | undefined): void => {
      if (isWanted) setCommand(said ?? '');
    };
    ask?.(session).then(show, () => show(undefined));
    return () => {
      isWanted = false;
    };
  }, [ask, session]);
  return (
    <section>
      <h3>As a folder of linked pages</h3>
      <p>
        One page for each agent, to be read without scripts. With <code>--review</code> it lists first what will be
        taken out.
      </p>
      <div class="export-command">
        <pre>{cleanLine(command) || 'troupe export'}</pre>
        {command !== '' && <CopyButton text={command} what="the command" />}
      </div>
    </section>
  );
}

/** What a session can be handed on as, the one for most people first. */
export const EXPORT_FORMS: readonly {
  readonly as: ExportWish['as'];
  readonly title: string;
  readonly text: string;
}[] = [
  {
    as: 'page',
    title: 'One page (HTML)',
    text: 'Tree, race, replay and every transcript in one file. Opens in any browser, without a network.',
  },
  {
    as: 'md',
    title: 'Markdown',
    text: 'What the main agent said and did, and what it asked of its sub-agents and heard from them. Not what they did themselves.',
  },
  { as: 'json', title: 'JSON', text: 'The tree and every conversation, for programs.' },
];

export type Exporting =
  | { readonly kind: 'idle' | 'cancelled' | 'looking' | 'reviewed' | 'making' }
  | { readonly kind: 'saved'; readonly file: ExportedFile }
  | { readonly kind: 'trouble'; readonly text: string };

/** Asks for the file and saves it when it is whole. Whoever closes the sheet gives it up. */
export function useExport(make: NonNullable<Backend['export']>, session: string, backend: Backend['review']) {
  const [state, setState] = useState<Exporting>({ kind: 'idle' });
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const attempt = async (
    kind: 'looking' | 'making',
    act: (signal: AbortSignal) => Promise<Exporting>,
  ): Promise<void> => {
    const controller = new AbortController();
    current.current = controller;
    setState({ kind });
    try {
      const after = await act(controller.signal);
      if (!controller.signal.aborted) setState(after);
    } catch (error) {
      if (controller.signal.aborted) return;
      setState({ kind: 'trouble', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const start = (wish: ExportWish, choices: Choices): Promise<void> =>
    attempt('making', async (signal) => {
      if (wish.review !== undefined) await backend?.decide(session, wish.review, choices);
      const file = await make(session, wish, signal);
      saveFile(file);
      return { kind: 'saved', file };
    });
  const look = async (pii: boolean): Promise<ServedReview | undefined> => {
    let found: ServedReview | undefined;
    await attempt('looking', async (signal) => {
      found = await backend?.find(session, pii, signal);
      return { kind: 'reviewed' };
    });
    return found;
  };
  const cancel = (): void => {
    current.current?.abort();
    setState({ kind: 'cancelled' });
  };
  return { state, start, look, cancel };
}

/** Long enough for any browser to have taken it. */
const TAKEN_MS = 60_000;

/** Into the folder where the browser saves files, or where the person tells it to. */
export function saveFile({ name, content }: ExportedFile): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), TAKEN_MS);
}

/** Nothing where there is nobody to make one: in a page that is an export itself. */
export function ExportButton({ session }: { readonly session: string }) {
  if (!useBackend().export) return null;
  return (
    <button type="button" class="export-open" onClick={() => openExport(session)} title="Export this session (x)">
      Export…
    </button>
  );
}

/** The session that the sheet in front of the page is about. Kept while it closes. */
export const exported = signal<string | undefined>(undefined);
export const isExporting = signal(false);

export function openExport(session: string | undefined): void {
  if (session === undefined) return;
  exported.value = session;
  isExporting.value = true;
}
