import { type Answered, type Ask, type AskAnswer, askedText, endText, type LiveEvent, withAsk } from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { type AskBarFacts, askBarHeight, formatAskBar } from './asks.ts';
import type { Key } from './keys.ts';
import type { WatchPaint } from './paint.ts';
import { reasonOf } from './reason.ts';

export interface AskBarSetup {
  readonly paint: WatchPaint;
  /** Only of the sessions whose id begins so. */
  readonly session?: string;
  readonly answer: (id: string, answer: AskAnswer) => Promise<Answered>;
  readonly hueOf: (ask: Ask) => number | null;
  /** In the last line of what is shown. */
  readonly say: (text: string) => void;
  readonly onChange: () => void;
}

/** Calls that wait for the person, one after another. */
export interface AskBar {
  hear(event: LiveEvent): void;
  /** true: the key was meant for it. */
  press(key: Key): boolean;
  height(size: Size): number;
  lines(size: Size, now: number, away?: string): readonly string[];
}

export function createAskBar({ paint, session = '', answer, hueOf, say, onChange }: AskBarSetup): AskBar {
  let asks: readonly Ask[] = [];
  /** One press says which answer to which ask; only the same once more gives it. */
  let chosen: { readonly id: string; readonly answer: AskAnswer } | undefined;
  /** Answered here: what comes of it is told by the answer. */
  const sent = new Set<string>();
  const open = (): readonly Ask[] => asks.filter((ask) => isWanted(ask, session) && !sent.has(ask.id));

  const send = async (ask: Ask, said: AskAnswer): Promise<void> => {
    sent.add(ask.id);
    try {
      const answered = await answer(ask.id, said);
      if (answered.outcome === 'unknown') say('Too late: the call does not wait any more.');
      else say(`${answered.outcome === 'late' ? 'Too late. ' : ''}${endOf(answered.ask)}`);
    } catch (error) {
      sent.delete(ask.id);
      say(`The answer did not arrive: ${reasonOf(error)}`);
    }
    onChange();
  };

  return {
    hear(event) {
      if (event.type === 'snapshot') asks = event.data.asks;
      if (event.type !== 'ask') return;
      const wasOpen = open().some(({ id }) => id === event.data.id);
      asks = withAsk(asks, event.data);
      if (event.data.end !== null && wasOpen) say(endOf(event.data));
    },
    press(key) {
      const [ask] = open();
      const before = chosen;
      chosen = undefined;
      if (!ask) return false;
      const said = key.kind === 'typed' ? ANSWERS[key.text] : undefined;
      // Whatever else is pressed is a no, and no more than that.
      if (!said) return before !== undefined;
      if (before?.id === ask.id && before.answer === said) void send(ask, said);
      else chosen = { id: ask.id, answer: said };
      return true;
    },
    height: (size) => askBarHeight(open(), size),
    lines(size, now, away) {
      const [ask, ...others] = open();
      if (!ask) return [];
      const facts: AskBarFacts = {
        ...{ asks: [ask, ...others], hue: hueOf(ask), now },
        ...(chosen?.id === ask.id && { chosen: chosen.answer }),
        ...(away !== undefined && { away }),
      };
      return formatAskBar(facts, askBarHeight(facts.asks, size), size.columns, paint);
    },
  };
}

const ANSWERS: Readonly<Record<string, AskAnswer>> = { y: 'allow', n: 'deny' };

function isWanted({ end, session }: Ask, wanted: string): boolean {
  return end === null && (wanted === '' || (session ?? '').startsWith(wanted));
}

function endOf(ask: Ask): string {
  return ask.end ? `${endText(ask.end)} ${askedText(ask)}` : '';
}
