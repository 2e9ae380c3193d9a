import path from 'node:path';
import { createGuardLog } from '../../audit/index.ts';
import { FAILURE_REASON, type FailureAnswers, writeHookStubs } from '../../hook/index.ts';
import { ADAPTERS } from '../../hosts/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { hookFile, packageVersion } from '../../lib/package.ts';
import { configFolder, stateFolder } from '../../lib/state-folder.ts';
import { placesFor, thisMachine } from '../../sessions/index.ts';
import { createHooksControl } from './create-hooks-control.ts';
import { createFindEvidence } from './hook-evidence.ts';
import type { HooksControl } from './hooks-types.ts';

export function createHooks(): HooksControl {
  const machine = thisMachine();
  const state = stateFolder(machine);
  const config = configFolder(machine.env, machine.home);
  return createHooksControl({
    adapters: ADAPTERS,
    machine,
    folder: process.cwd(),
    state,
    version: packageVersion,
    policy: path.join(config, 'policy.yaml'),
    findEvidence: createFindEvidence({
      folder: state,
      places: placesFor(ADAPTERS, machine, {}),
      drain: () => createGuardLog({ roots: [] }).drain(),
    }),
    clock: systemClock,
    stubs: { observe: path.join(state, 'bin', 'observe'), guard: path.join(state, 'bin', 'guard') },
    writeStubs: () =>
      writeHookStubs(state, {
        node: process.execPath,
        hookFile,
        configFolder: config,
        answers: failureAnswers(),
      }),
    async longestWaitMs() {
      const { env, home } = machine;
      const where = { home, configFolder: configFolder(env, home), stateFolder: state, folder: process.cwd() };
      const { policy } = await (await import('../../guard/index.ts')).loadPolicy(where);
      return Math.max(0, ...policy.rules.map(({ wait }) => wait?.ms ?? 0));
    },
  });
}

function failureAnswers(): Readonly<Record<string, FailureAnswers>> {
  return Object.fromEntries(
    ADAPTERS.flatMap(({ host, hooks }) => {
      if (!hooks) return [];
      const say = (decision: 'ask' | 'deny'): string => hooks.formatAnswer({ decision, reason: FAILURE_REASON });
      return [[host, { ask: say('ask'), deny: say('deny') }]];
    }),
  );
}
