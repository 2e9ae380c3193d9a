import type { AskControl } from '../../cli/face.ts';
import { stateFolder } from '../../lib/state-folder.ts';
import { findDaemon } from '../../server/find-daemon.ts';
import { listAsks, sendAnswer } from '../../server/remote-asks.ts';
import { thisMachine } from '../../sessions/this-machine.ts';

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
