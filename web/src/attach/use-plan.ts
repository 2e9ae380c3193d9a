import { useEffect, useState } from 'preact/hooks';
import type { AttachReport, AttachWish } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import type { AgentRef } from '../store.ts';

export type Planning =
  | { readonly kind: 'asking' }
  | { readonly kind: 'known'; readonly report: AttachReport }
  | { readonly kind: 'trouble'; readonly text: string };

/** Whoever types is not answered for each letter. */
const PAUSE_MS = 300;

/** What going on would be, asked anew whenever the wish changes. The last answer stays until the next is there. */
export function usePlan(ask: NonNullable<Backend['attach']>, { agent, session }: AgentRef, wish: AttachWish): Planning {
  const [planning, setPlanning] = useState<Planning>({ kind: 'asking' });
  const { message, host, fork, budget } = wish;
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => {
      ask({ agent, session }, wish, gone.signal).then(
        (report) => setPlanning({ kind: 'known', report }),
        (error: unknown) => {
          if (!gone.signal.aborted)
            setPlanning({ kind: 'trouble', text: error instanceof Error ? error.message : String(error) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [ask, agent, session, message, host, fork, budget]);
  return planning;
}
