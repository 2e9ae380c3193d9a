import type { AttachControl } from '../core/reports/attach-shapes.ts';
import { redactorOf } from '../export/run-export.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { placesOf, type Where } from '../sessions/given-places.ts';
import { thisMachine } from '../sessions/this-machine.ts';
import { createTranscripts } from '../sessions/transcripts.ts';
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
