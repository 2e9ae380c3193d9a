import { createGuardLog } from '../../audit/guard-log.ts';
import type { Finding } from '../../core/reports/doctor-shapes.ts';
import { ADAPTERS } from '../../hosts/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { packageVersion } from '../../lib/package.ts';
import { stateFolder } from '../../lib/state-folder.ts';
import { placesOf, type Where } from '../../sessions/given-places.ts';
import { adaptersFor } from '../../sessions/places.ts';
import { thisMachine } from '../../sessions/this-machine.ts';
import { createHooks } from '../hooks/hooks-control.ts';
import { examine } from './examine.ts';

export function examineMachine(where: Where): AsyncIterable<Finding> {
  return examine({
    adapters: adaptersFor(ADAPTERS, where.host),
    state: stateFolder(thisMachine()),
    places: placesOf(where),
    hooks: createHooks(),
    log: createGuardLog(where),
    version: packageVersion,
    clock: systemClock,
    telegram: async () => (await import('../../notify/telegram/check-health.ts')).telegramHealth(),
  });
}
