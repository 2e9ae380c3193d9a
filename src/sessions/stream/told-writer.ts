import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, hostOf, isUnnamed, nativeId, type SessionId } from '../../core/index.ts';
import { append } from '../../lib/regular-file.ts';
import { TOLD_BY_STREAMS } from '../stream-sources.ts';

/** Keeps what only a stream knows where `sessions/stream-sources.ts` finds it: `<folder>/<host>/<session>.jsonl`. */
export interface ToldWriter {
  add(session: SessionId, facts: readonly AgentEvent[]): void;
  end(): Promise<void>;
}

/** A name that is a path would lead elsewhere. */
const FILE_NAME = /^[\w.-]{1,200}$/;

export function createToldWriter(folder: string, onError: (error: unknown) => void): ToldWriter {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = '';
  const made = new Set<string>();
  const write = async (at: string, file: string): Promise<void> => {
    const text = waiting;
    waiting = '';
    if (text === '') return;
    if (!made.has(at)) await mkdir(at, { recursive: true, mode: 0o700 });
    made.add(at);
    await append(file, text);
  };
  return {
    add(session, facts) {
      const name = nativeId(session);
      const told = facts.filter(
        (fact) => TOLD_BY_STREAMS.has(fact.kind) && !('agent' in fact && isUnnamed(fact.agent)),
      );
      if (told.length === 0 || !FILE_NAME.test(name) || name.startsWith('.')) return;
      const bare = told.map(({ session: _session, origin: _origin, ...fact }) => fact);
      waiting += `${JSON.stringify({ facts: bare })}\n`;
      const at = path.join(folder, hostOf(session));
      last = last.then(() => write(at, path.join(at, `${name}.jsonl`))).catch(onError);
    },
    end: async () => void (await last),
  };
}
