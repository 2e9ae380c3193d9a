import type { AttachControl } from '../core/index.ts';
import { redactorOf } from '../export/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { createTranscripts, placesOf, thisMachine, type Where } from '../sessions/index.ts';
import { createAttach } from './create-attach.ts';
import { findRun } from './find-run.ts';

export function attachTo(where: Where): AttachControl {
  const machine = thisMachine();
  const folder = stateFolder(machine);
  return createAttach({
    adapters: ADAPTERS,
    machine,
    transcripts: createTranscripts(placesOf(where), systemClock),
    folder,
    findRun: (session) => findRun(folder, session),
    createRedactor: () => redactorOf(false),
  });
}
