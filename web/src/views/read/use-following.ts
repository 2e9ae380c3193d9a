import { computed, effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AgentRef, connection } from '../../store.ts';
import type { Book } from './book.ts';
import { agentIn } from './who.ts';

/** Between two looks at a transcript that grows. */
const PAUSE_MS = 400;

/** Reads the end again whenever the agent has done something. */
export function useFollowing(at: AgentRef, book: Book, onNews: () => void): void {
  useEffect(() => {
    const signs = computed(() => {
      const agent = agentIn(at.session, at.agent);
      if (!agent) return connection.value;
      const { messageCount, toolCallCount, lastActivityAt, status } = agent;
      return [connection.value, messageCount, toolCallCount, lastActivityAt, status].join(' ');
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let isFirst = true;
    const look = (): void => {
      timer = undefined;
      last = Date.now();
      void book.refresh().then(onNews);
    };
    const stop = effect(() => {
      signs.value;
      if (!isFirst && connection.peek() === 'connected')
        timer ??= setTimeout(look, Math.max(0, last + PAUSE_MS - Date.now()));
      isFirst = false;
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [at.session, at.agent, book]);
}
