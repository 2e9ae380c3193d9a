import path from 'node:path';
import type { Where } from '../cli/face.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { type Place, placesFor } from './places.ts';
import { thisMachine } from './this-machine.ts';

export function placesOf(where: Where): readonly Place[] {
  const machine = thisMachine();
  const state = stateFolder(machine);
  const told = { hooks: path.join(state, 'hooks'), streams: path.join(state, 'streams') };
  return placesFor(ADAPTERS, machine, where, told);
}
