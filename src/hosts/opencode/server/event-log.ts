// The events of a server while somebody listens. It repeats nothing, so what is read is the state at a moment, and from there the events.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../lib/json.ts';
import { openStream } from './event-stream.ts';

export interface HeardEvent {
  readonly type: string;
  readonly properties: JsonObject;
  /** Epoch milliseconds, by our clock. */
  readonly at: number;
}

/** What came in since the connection was made. */
export interface EventLog {
  /** Another one for each connection: what was said in between is lost. */
  readonly epoch: object;
  /** The number of the next event. */
  readonly end: number;
  /** From a number on; undefined where it is too long ago. */
  since(number: number): readonly HeardEvent[] | undefined;
}

/** Logs of the servers that somebody listens to, by their address. */
const logs = new Map<string, EventLog>();

export function logOf(root: string): EventLog | undefined {
  return logs.get(root);
}

const KEPT = 2_000;
const AGAIN_MS = 1_000;

/** Which events tell about the tree; of the others there are thousands. */
const TELLING =
  /^(?:session\.(?:created|updated|deleted)|message\.(?:updated|removed)|message\.part\.updated|permission\.(?:asked|replied|updated))$/;
const COMES_OR_GOES = /^session\.(?:created|deleted)$/;

export function listen(root: string, onNews: (what: 'written' | 'entry') => void): { close(): void } {
  const end = new AbortController();
  const goOn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await followOnce(root, end.signal, onNews).catch(() => undefined);
      logs.delete(root);
      await sleep(AGAIN_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  void goOn();
  return { close: () => end.abort() };
}

async function followOnce(
  root: string,
  signal: AbortSignal,
  onNews: (what: 'written' | 'entry') => void,
): Promise<void> {
  const events = await openStream(root, signal);
  if (!events) return;
  const { log, add } = createLog();
  logs.set(root, log);
  onNews('entry');
  for await (const { type, properties } of events) {
    if (!TELLING.test(type)) continue;
    add({ type, properties, at: Date.now() });
    onNews(COMES_OR_GOES.test(type) ? 'entry' : 'written');
  }
}

function createLog(): { readonly log: EventLog; add(event: HeardEvent): void } {
  const events: HeardEvent[] = [];
  let first = 0;
  return {
    log: {
      epoch: {},
      get end() {
        return first + events.length;
      },
      since: (number) => (number < first ? undefined : events.slice(number - first)),
    },
    add(event) {
      events.push(event);
      if (events.length <= KEPT) return;
      events.shift();
      first++;
    },
  };
}
