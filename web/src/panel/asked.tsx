import { useEffect, useState } from 'preact/hooks';
import { type AgentReport, cleanLine, type TranscriptBlock, type TranscriptMessage } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import { AgentLink, PlaceLink } from '../parts/marks.tsx';
import { agentsOf, askerName, sessions, useBackend } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

/** A prompt longer than this is folded. */
const FOLDED_LINES = 8;
const FOLDED_CHARACTERS = 480;

/** What it was asked, and by whom. */
export function Asked({ session, agent: shown }: AgentProps) {
  const agent = presentOf(shown);
  const prompt = usePrompt(agent);
  const [isOpen, setOpen] = useState(false);
  const text =
    prompt?.text ??
    (isUnrecorded(agent) ? 'not known: its transcript is missing' : cleanLine(agent.description ?? agent.label));
  const isLong = text.length > FOLDED_CHARACTERS || text.split('\n').length > FOLDED_LINES;
  return (
    <Section title="Asked">
      <p class={`panel-prompt ${isLong && !isOpen ? 'panel-prompt-folded' : ''}`}>{text}</p>
      {isLong && (
        <button type="button" class="quiet panel-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'show less' : 'show all of it'}
        </button>
      )}
      {isOpen && prompt?.isCut && (
        <p class="dim">
          There is more of it in the{' '}
          <PlaceLink in="read" to={refOf(agent)} message={0}>
            transcript
          </PlaceLink>
          .
        </p>
      )}
      <By agent={agent} parent={agentsOf(session).find(({ id }) => id === agent.parentId)} />
    </Section>
  );
}

/** A replay hides how many messages there are; what was asked stays the same. */
function presentOf(agent: AgentReport): AgentReport {
  const session = sessions.value.find(({ id }) => id === agent.sessionId);
  return (session && agentsOf(session).find(({ id }) => id === agent.id)) ?? agent;
}

/** A main agent of whom no line is there: what it was asked, and by whom, is not known. */
function isUnrecorded({ kind, messageCount }: AgentReport): boolean {
  return kind === 'main' && messageCount === null;
}

const RANKS = { exact: 'certain', strong: 'strong evidence', guess: 'a guess', none: 'not known' } as const;

function By({ agent, parent }: { readonly agent: AgentReport; readonly parent: AgentReport | undefined }) {
  const { evidence, kind, parentId } = agent;
  if (isUnrecorded(agent)) return null;
  if (kind === 'main') return <p class="panel-by">by {askerName()}</p>;
  return (
    <p class="panel-by">
      by{' '}
      {parent ? (
        <AgentLink to={refOf(parent)}>{parent.kind === 'main' ? 'the main agent' : cleanLine(parent.label)}</AgentLink>
      ) : parentId === null ? (
        'nobody known'
      ) : (
        'the host itself'
      )}
      {evidence && (
        <span class="dim">
          {' '}
          · {RANKS[evidence.rank]}: {cleanLine(evidence.text)}
          {evidence.candidates.length > 0 && `; ${evidence.candidates.length} calls may have made it`}
        </span>
      )}
    </p>
  );
}

/** The prompt stands at the beginning; a few messages of the host may come before it. */
const FIRST_MESSAGES = 4;

/** A prompt does not change. */
const known = new Map<string, PromptText>();

/** What the agent was asked, in full; undefined as long as it is not there. */
export function usePrompt({ id, sessionId, messageCount }: AgentReport): PromptText | undefined {
  const backend = useBackend();
  const key = `${sessionId} ${id}`;
  const [, setLoaded] = useState('');
  const isWritten = (messageCount ?? 0) > 0;
  useEffect(() => {
    if (!isWritten || known.has(key)) return;
    let isWanted = true;
    load(backend, key, id, sessionId).then(
      () => isWanted && setLoaded(key),
      // Then its label says what is known of it; the reader says what is wrong with the transcript.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [backend, key, id, sessionId, isWritten]);
  return known.get(key);
}

async function load(backend: Backend, key: string, agent: string, session: string): Promise<void> {
  const part = await backend.transcript(agent, session, { from: 0, limit: FIRST_MESSAGES });
  const prompt = part && promptIn(part.messages);
  if (prompt) known.set(key, prompt);
}

const MAX_CHARACTERS = 4_000;

export interface PromptText {
  readonly text: string;
  /** Of a very long one, only the beginning. */
  readonly isCut: boolean;
}

/** What the first message that somebody wrote says, line by line, without anything that could disturb the page. */
export function promptIn(messages: readonly TranscriptMessage[]): PromptText | undefined {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const text = content.flatMap((block) => promptsIn(block)).join('\n');
    const clean = text.slice(0, MAX_CHARACTERS).split(/\r?\n/).map(cleanKeepingIndent).join('\n').trim();
    if (clean !== '') return { text: clean, isCut: text.length > MAX_CHARACTERS };
  }
  return undefined;
}

/** What a teammate is asked comes as a message; a command of the person's own is its name and what stands behind it. */
function promptsIn(block: TranscriptBlock): readonly string[] {
  if (block.type === 'text') return [block.text];
  if (block.type !== 'notice') return [];
  return block.kind === 'message' ? [block.text] : block.kind === 'command' ? [block.title ?? ''] : [];
}

function cleanKeepingIndent(line: string): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return indent + cleanLine(line);
}
