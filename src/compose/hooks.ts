import path from 'node:path';
import { ADAPTERS } from '../adapters/registry.ts';
import { systemClock } from '../base/clock.ts';
import { configFolder } from '../config/config-folder.ts';
import { FAILURE_REASON, type FailureAnswers } from '../daemon/failure-script.ts';
import { writeHookStubs } from '../daemon/hook-stubs.ts';
import { stateFolder } from '../daemon/state-folder.ts';
import type { HooksControl } from '../faces/face.ts';
import { createHooksControl } from '../install/create-hooks-control.ts';
import { placesFor } from '../tracker/places.ts';
import { thisMachine } from '../tracker/this-machine.ts';
import { createGuardLog } from './guard.ts';
import { createFindEvidence } from './hook-evidence.ts';
import { hookFile, packageVersion } from './package.ts';

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
      const { policy } = await (await import('../policy/load-policy.ts')).loadPolicy(where);
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
