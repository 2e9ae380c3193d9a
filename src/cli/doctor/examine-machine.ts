import { createGuardLog } from '../../audit/index.ts';
import type { Finding } from '../../core/index.ts';
import { ADAPTERS } from '../../hosts/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { packageVersion } from '../../lib/package.ts';
import { stateFolder } from '../../lib/state-folder.ts';
import { adaptersFor, placesOf, thisMachine, type Where } from '../../sessions/index.ts';
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
    telegram: async () => (await import('../../notify/index.ts')).telegramHealth(),
  });
}
