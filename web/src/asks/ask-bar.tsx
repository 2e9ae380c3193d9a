import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  cleanLine,
  endText,
  formatApprovalCall,
  formatApprovalLines,
  onTimeoutText,
  remainingText,
  requesterText,
} from '../../../src/core/index.ts';
import { ProofNeeded } from '../backend.ts';
import { agentsOf, clock, hearAsk, picture, sessions, useBackend } from '../store.ts';
import './asks.css';
import { computed } from '@preact/signals';
import { select } from '../actions.ts';
import { hueOf } from '../parts/marks.tsx';
import { isPaired, openPairing } from './pairing.tsx';

/** Above the views, whatever is looked at, as long as a call waits for the person. */
export function ApprovalBar() {
  const backend = useBackend();
  const hands = useRef(createSteadyHands()).current;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = asks.value;
  // One that has ended is smaller: what is below it moves, too.
  const ids = shown.map(({ id, end }) => `${id}${end ? ' ended' : ''}`);
  useEffect(() => hands.see(ids, performance.now()), [ids.join(' ')]);
  const open = shown.filter(({ end }) => end === null);

  const answer = async ({ id }: ApprovalRequest, said: ApprovalAnswer): Promise<void> => {
    if (!hands.isSteady(performance.now())) throw new Error('the list has just moved. Press again.');
    const answered = await backend.answer(id, said).catch((error: unknown) => {
      if (error instanceof ProofNeeded) openPairing();
      throw error;
    });
    if (answered.outcome === 'unknown') throw new Error('the call does not wait any more.');
    hearAsk(answered.ask);
    // The button is gone. On the next one, a second press would answer what nobody has read.
    heading.current?.focus();
  };

  return (
    <>
      {shown.length > 0 && (
        <section class="asks" aria-labelledby="asks-title">
          <h2 id="asks-title" class="asks-title" ref={heading} tabIndex={-1}>
            <span aria-hidden="true">◐</span> {titleOf(open.length)}
          </h2>
          <ul class="asks-list">
            {shown.map((ask) => (
              <AskItem key={ask.id} ask={ask} onAnswer={(said) => answer(ask, said)} />
            ))}
          </ul>
        </section>
      )}
      <p class="visually-hidden" aria-live="polite" data-asks-said>
        {sayNewest(shown)}
      </p>
    </>
  );
}

function titleOf(count: number): string {
  if (count === 0) return 'No call waits for you';
  return count === 1 ? 'A call waits for your answer' : `${count} calls wait for your answer`;
}

/** For those who cannot see it: what the last news was. */
function sayNewest(shown: readonly ApprovalRequest[]): string {
  const ended = shown.findLast(({ end }) => end !== null);
  const open = shown.findLast(({ end }) => end === null);
  if (open && (!ended?.end || Date.parse(open.at) >= Date.parse(ended.end.at)))
    return `${requesterText(open)} wants your answer: ${formatApprovalCall(open)}`;
  return ended?.end ? `${endText(ended.end)} ${formatApprovalCall(ended)}` : '';
}

/** What was decided is still told for a moment: also to those who looked on while somebody else answered. */
const TOLD_MS = 8_000;

/** Calls that wait, and how those ended that did a moment ago; oldest first. */
export function shownAsks(asks: readonly ApprovalRequest[], now: number): readonly ApprovalRequest[] {
  return asks.filter(({ end }) => end === null || now - Date.parse(end.at) < TOLD_MS);
}

export const asks = computed(() => shownAsks(picture.value?.asks ?? [], clock.value));

/** Who was about to press when the list moved under the pointer gets another look first. */
const STEADY_MS = 500;

export interface SteadyHands {
  /** What stands there from top to bottom, whenever they are drawn. */
  see(ids: readonly string[], now: number): void;
  /** What is pressed now was there before. */
  isSteady(now: number): boolean;
}

export function createSteadyHands(): SteadyHands {
  let before: readonly string[] = [];
  let movedAt = Number.NEGATIVE_INFINITY;
  return {
    see(ids, now) {
      // What is added at the end moves nothing.
      if (before.some((id, index) => ids[index] !== id)) movedAt = now;
      before = ids;
    },
    isSteady: (now) => now - movedAt >= STEADY_MS,
  };
}

export interface AskItemProps {
  readonly ask: ApprovalRequest;
  /** Rejects where it did not arrive. */
  readonly onAnswer: (answer: ApprovalAnswer) => Promise<void>;
}

/** The page wraps; lines are those of the text. */
const NO_WRAP = 100_000;

/** One call: who wants to do what, which rule asks, and the two words that settle it. */
export function AskItem({ ask, onAnswer }: AskItemProps) {
  const [trouble, setTrouble] = useState<{ readonly text: string; readonly isProof: boolean }>();
  const [isSent, setSent] = useState(false);
  const answer = (said: ApprovalAnswer) => (): void => {
    setSent(true);
    setTrouble(undefined);
    onAnswer(said).catch((error) => {
      setSent(false);
      const words = error instanceof Error ? error.message : String(error);
      const isProof = error instanceof ProofNeeded;
      setTrouble({ isProof, text: isProof ? words : `The answer did not arrive: ${words}` });
    });
  };
  if (ask.end)
    return (
      <li class="ask-ended" data-ask={ask.id}>
        <strong>{endText(ask.end)}</strong> <span class="dim">{requesterText(ask)}:</span>{' '}
        <code>{formatApprovalCall(ask)}</code>
      </li>
    );
  return (
    <li class="ask" data-ask={ask.id}>
      <div class="ask-head">
        <Asker ask={ask} />
        <span class="ask-left">
          {remainingText(ask, clock.value)} left, {onTimeoutText(ask)}
        </span>
      </div>
      <pre class="ask-what">{formatApprovalLines(ask, NO_WRAP).join('\n')}</pre>
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
        {trouble && !(trouble.isProof && isPaired.value) && (
          <span class="ask-trouble" role="alert">
            {trouble.text}
          </span>
        )}
      </div>
    </li>
  );
}

/** With the colour that the agent has everywhere; leads to it. */
function Asker({ ask }: { readonly ask: ApprovalRequest }) {
  // The session may stand in the tree of another one.
  const session = sessions.value.find((one) => agentsOf(one).some(({ id }) => id === ask.session));
  const agent = session && agentsOf(session).find(({ id }) => id === ask.agent.id);
  const name = requesterText(ask);
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
