import { ADAPTERS } from '../adapters/registry.ts';
import { systemClock } from '../base/clock.ts';
import { stateFolder } from '../daemon/state-folder.ts';
import { examine } from '../doctor/examine.ts';
import type { Where } from '../faces/face.ts';
import type { Finding } from '../reports/doctor-shapes.ts';
import { adaptersFor } from '../tracker/places.ts';
import { thisMachine } from '../tracker/this-machine.ts';
import { createGuardLog } from './guard.ts';
import { createHooks } from './hooks.ts';
import { packageVersion } from './package.ts';
import { placesOf } from './places.ts';

export function examineMachine(where: Where): AsyncIterable<Finding> {
  return examine({
    adapters: adaptersFor(ADAPTERS, where.host),
    state: stateFolder(thisMachine()),
    places: placesOf(where),
    hooks: createHooks(),
    log: createGuardLog(where),
    version: packageVersion,
    clock: systemClock,
    telegram: async () => (await import('./telegram-health.ts')).telegramHealth(),
  });
}
