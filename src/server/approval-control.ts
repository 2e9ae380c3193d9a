import type { Answered, Ask, AskAnswer, Person } from '../core/index.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { thisMachine } from '../sessions/index.ts';
import { findDaemon } from './find-daemon.ts';
import { listAsks, sendAnswer } from './remote-asks.ts';

/** Calls that wait for a person, at the server of this person. */
export function createAskControl(): AskControl {
  const find = () => findDaemon(stateFolder(thisMachine()));
  return {
    async list() {
      const daemon = await find();
      return daemon && listAsks(daemon);
    },
    async answer(id, answer, by) {
      const daemon = await find();
      return daemon ? sendAnswer(daemon, id, answer, by) : { outcome: 'unknown' };
    },
  };
}

/** Calls that the running server holds until a person answers. */
export interface AskControl {
  /** Those that wait, and the last few that did; undefined where no server runs. */
  list(): Promise<readonly Ask[] | undefined>;
  /** By its whole id. */
  answer(id: string, answer: AskAnswer, by: Person): Promise<Answered>;
}
