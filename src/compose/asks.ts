import { findDaemon } from '../daemon/find-daemon.ts';
import { listAsks, sendAnswer } from '../daemon/remote-asks.ts';
import { stateFolder } from '../daemon/state-folder.ts';
import type { AskControl } from '../faces/face.ts';
import { thisMachine } from '../tracker/this-machine.ts';

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
