import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { SessionDetail } from '../../../src/core/index.ts';
import { picture } from '../store.ts';
import { findNews, type News, newsText } from './news.ts';

const PAUSE_MS = 4000;

/** Says when somebody needs the person or fails, at most once in a few seconds. */
export function Announcer() {
  const [said, setSaid] = useState('');
  useEffect(() => {
    let before: readonly SessionDetail[] | undefined;
    let waiting: News[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const say = (): void => {
      timer = undefined;
      if (waiting.length === 0) return;
      setSaid(newsText(waiting));
      waiting = [];
      timer = setTimeout(say, PAUSE_MS);
    };
    const stop = effect(() => {
      const now = picture.value;
      if (!now?.isComplete) return;
      // What was so when the page was opened is no news.
      const news = findNews(before ?? now.sessions, now.sessions);
      before = now.sessions;
      if (news.length === 0) return;
      waiting.push(...news);
      // A moment later: who fails seldom fails alone.
      timer ??= setTimeout(say, 200);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="visually-hidden" aria-live="polite" data-announcer>
      {said}
    </div>
  );
}
