import { cutAt, quoteOf } from '../messages/quote.ts';
import type { Outside } from './chat-context.ts';
import type { Reply } from './chat-state.ts';

/** A file, or why there is none. */
export type MadeExport = { readonly name: string; readonly bytes: Uint8Array } | { readonly whyNot: string };

export interface MadeExports {
  /** Begins what is asked for, and forgets what nobody waits for any more. */
  attend(replies: readonly Reply[]): void;
  /** Undefined while it is being made. */
  of(reply: string): MadeExport | undefined;
}

/** Files for people who asked for them, made beside everything else: it takes a while, and their chat has to go on. */
export function createMadeExports(make: (session: string) => ReturnType<Outside['exportSession']>): MadeExports {
  const made = new Map<string, MadeExport | undefined>();
  /** One at a time: each takes a core. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    attend(replies) {
      const wanted = new Map(replies.flatMap(({ id, body }) => ('exportOf' in body ? [[id, body.exportOf]] : [])));
      for (const id of made.keys()) if (!wanted.has(id)) made.delete(id);
      for (const [id, session] of wanted) {
        if (made.has(id)) continue;
        made.set(id, undefined);
        last = last
          .then(() => make(session))
          .then(
            (file) => keep(id, file),
            (error: unknown) => keep(id, { whyNot: reasonOf(error) }),
          );
      }
    },
    of: (reply) => made.get(reply),
  };

  function keep(id: string, file: MadeExport): void {
    if (made.has(id)) made.set(id, file);
  }
}

function reasonOf(error: unknown): string {
  return cutAt(quoteOf(error instanceof Error ? error.message : String(error)), 200);
}
