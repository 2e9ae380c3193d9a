import { useEffect, useRef } from 'preact/hooks';
import { type Ask, type AskAnswer, askedText, askerText, endText } from '../../../src/core/index.ts';
import { useBackend } from '../backend-context.ts';
import { hearAsk } from '../store.ts';
import { AskItem } from './ask-item.tsx';
import { asks } from './shown-asks.ts';
import { createSteadyHands } from './steady-hands.ts';
import './asks.css';

/** Above the views, whatever is looked at, as long as a call waits for the person. */
export function AskBar() {
  const backend = useBackend();
  const hands = useRef(createSteadyHands()).current;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = asks.value;
  // One that has ended is smaller: what is below it moves, too.
  const ids = shown.map(({ id, end }) => `${id}${end ? ' ended' : ''}`);
  useEffect(() => hands.see(ids, performance.now()), [ids.join(' ')]);
  const open = shown.filter(({ end }) => end === null);

  const answer = async ({ id }: Ask, said: AskAnswer): Promise<void> => {
    if (!hands.isSteady(performance.now())) throw new Error('the list has just moved. Press again.');
    const answered = await backend.answer(id, said);
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
function sayNewest(shown: readonly Ask[]): string {
  const ended = shown.findLast(({ end }) => end !== null);
  const open = shown.findLast(({ end }) => end === null);
  if (open && (!ended?.end || Date.parse(open.at) >= Date.parse(ended.end.at)))
    return `${askerText(open)} wants your answer: ${askedText(open)}`;
  return ended?.end ? `${endText(ended.end)} ${askedText(ended)}` : '';
}
