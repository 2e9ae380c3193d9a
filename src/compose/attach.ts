import { ADAPTERS } from '../adapters/registry.ts';
import { createAttach } from '../attach/create-attach.ts';
import { systemClock } from '../base/clock.ts';
import { stateFolder } from '../daemon/state-folder.ts';
import type { Where } from '../faces/face.ts';
import type { AttachControl } from '../reports/attach-shapes.ts';
import { findRun } from '../runs/find-run.ts';
import { thisMachine } from '../tracker/this-machine.ts';
import { createTranscripts } from '../tracker/transcripts.ts';
import { redactorOf } from './export.ts';
import { placesOf } from './places.ts';

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
