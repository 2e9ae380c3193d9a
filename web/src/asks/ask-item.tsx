import { useState } from 'preact/hooks';
import {
  type Ask,
  type AskAnswer,
  askedLines,
  askedText,
  askerText,
  cleanLine,
  endText,
  otherwiseText,
  remainingText,
} from '../../../src/core/index.ts';
import { select } from '../actions.ts';
import { hueOf } from '../parts/hue.ts';
import { agentsOf, clock, sessions } from '../store.ts';

export interface AskItemProps {
  readonly ask: Ask;
  /** Rejects where it did not arrive. */
  readonly onAnswer: (answer: AskAnswer) => Promise<void>;
}

/** The page wraps; lines are those of the text. */
const NO_WRAP = 100_000;

/** One call: who wants to do what, which rule asks, and the two words that settle it. */
export function AskItem({ ask, onAnswer }: AskItemProps) {
  const [trouble, setTrouble] = useState('');
  const [isSent, setSent] = useState(false);
  const answer = (said: AskAnswer) => (): void => {
    setSent(true);
    setTrouble('');
    onAnswer(said).catch((error) => {
      setSent(false);
      setTrouble(`The answer did not arrive: ${error instanceof Error ? error.message : error}`);
    });
  };
  if (ask.end)
    return (
      <li class="ask-ended" data-ask={ask.id}>
        <strong>{endText(ask.end)}</strong> <span class="dim">{askerText(ask)}:</span> <code>{askedText(ask)}</code>
      </li>
    );
  return (
    <li class="ask" data-ask={ask.id}>
      <div class="ask-head">
        <Asker ask={ask} />
        <span class="ask-left">
          {remainingText(ask, clock.value)} left, {otherwiseText(ask)}
        </span>
      </div>
      <pre class="ask-what">{askedLines(ask, NO_WRAP).join('\n')}</pre>
      <p class="ask-why">
        {cleanLine(ask.reason)} {ask.rule !== null && <code>{cleanLine(ask.rule)}</code>}
      </p>
      <div class="ask-acts">
        <button type="button" class="ask-allow" disabled={isSent} onClick={answer('allow')}>
          Allow once
        </button>
        <button type="button" class="ask-deny" disabled={isSent} onClick={answer('deny')}>
          Deny
        </button>
        {trouble !== '' && (
          <span class="ask-trouble" role="alert">
            {trouble}
          </span>
        )}
      </div>
    </li>
  );
}

/** With the colour that the agent has everywhere; leads to it. */
function Asker({ ask }: { readonly ask: Ask }) {
  // The session may stand in the tree of another one.
  const session = sessions.value.find((one) => agentsOf(one).some(({ id }) => id === ask.session));
  const agent = session && agentsOf(session).find(({ id }) => id === ask.agent.id);
  const name = askerText(ask);
  return (
    <span class="ask-who">
      <span class="ask-hue" style={{ background: hueOf(agent?.hue ?? null) }} />
      {agent ? (
        <button type="button" class="ask-agent" onClick={() => select({ session: agent.sessionId, agent: agent.id })}>
          {name}
        </button>
      ) : (
        <span>{name}</span>
      )}
      {session?.project && <span class="dim"> in {cleanLine(session.project)}</span>}
    </span>
  );
}
