import { useEffect, useState } from 'preact/hooks';
import { type AgentReport, cleanLine } from '../../../src/core/index.ts';
import { askerName, type Backend, useBackend } from '../backend.ts';
import { AgentLink, PlaceLink } from '../parts/place-link.tsx';
import { agentsOf } from '../store.ts';
import { type PromptText, promptIn } from './panel-texts.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

/** A prompt longer than this is folded. */
const FOLDED_LINES = 8;
const FOLDED_CHARACTERS = 480;

/** What it was asked, and by whom. */
export function Asked({ session, agent }: AgentProps) {
  const prompt = usePrompt(agent);
  const [isOpen, setOpen] = useState(false);
  const text = prompt?.text ?? cleanLine(agent.description ?? agent.label);
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

const RANKS = { exact: 'certain', strong: 'strong evidence', guess: 'a guess', none: 'not known' } as const;

function By({ agent, parent }: { readonly agent: AgentReport; readonly parent: AgentReport | undefined }) {
  const { evidence, kind, parentId } = agent;
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
function usePrompt({ id, sessionId, messageCount }: AgentReport): PromptText | undefined {
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
