import { useState } from 'preact/hooks';
import { type AgentReport, cleanLine } from '../../../src/core/index.ts';
import { askerName } from '../backend-context.ts';
import { AgentLink, PlaceLink } from '../parts/place-link.tsx';
import { agentsOf } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';
import { usePrompt } from './use-prompt.ts';

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
