import { useEffect, useState } from 'preact/hooks';
import type { AgentReport } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import { useBackend } from '../backend-context.ts';
import { type PromptText, promptIn } from './prompt-text.ts';

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
