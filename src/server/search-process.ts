// dist/search-process.js: searches the text of conversations for the server, in a process of its own. To read what is not indexed yet keeps a
// core busy for seconds; meanwhile hooks wait for the server, and agents for their hooks. Requests and answers are messages.
import { constants, setPriority } from 'node:os';
import { createUserRedactor } from '../export/index.ts';
import { createSearch, openHistory } from '../history/index.ts';
import { systemClock } from '../lib/clock.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { messageOf, orElse } from '../lib/user-error.ts';
import { type SessionCache, thisMachine } from '../sessions/index.ts';
import type { SearchAnswer, SearchOrder, SearchWork } from './served-search.ts';

/** Set by the build: of all that reads sessions. */
declare const BUILD_ID: string;

const folder = stateFolder(thisMachine());
let cache: Promise<SessionCache | undefined> | undefined;
const search = createSearch({
  folder,
  clock: systemClock,
  openCache() {
    cache ??= openHistory({ folder, build: BUILD_ID, clock: systemClock });
    return cache;
  },
  async createRedact() {
    const redactor = await createUserRedactor(false);
    return (text) => {
      redactor.scan(text);
      return redactor.redactText(text);
    };
  },
});

// The person's agents go first.
orElse(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL), undefined);
process.on('message', (order: SearchOrder) => void answer(order));
process.once('disconnect', () => {
  // What is being read is kept up to here.
  void search.close().finally(() => process.exit(0));
});

async function answer({ id, work }: SearchOrder): Promise<void> {
  const send = (said: Omit<SearchAnswer, 'id'>): void => void process.send?.({ id, ...said });
  try {
    send({ value: await carryOut(work) });
  } catch (error) {
    send({ error: messageOf(error) });
  }
}

async function carryOut(work: SearchWork): Promise<unknown> {
  switch (work.kind) {
    case 'search':
      return search.search(work.request);
    case 'status':
      return search.status(work.where);
    case 'allow':
      await search.allow(work.exclude);
      return search.status(work.where);
    case 'forbid':
      await search.forbid();
      return search.status(work.where);
  }
}
