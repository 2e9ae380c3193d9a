import path from 'node:path';
import { ADAPTERS } from '../adapters/registry.ts';
import { stateFolder } from '../daemon/state-folder.ts';
import type { Where } from '../faces/face.ts';
import { type Place, placesFor } from '../tracker/places.ts';
import { thisMachine } from '../tracker/this-machine.ts';

export function placesOf(where: Where): readonly Place[] {
  const machine = thisMachine();
  const state = stateFolder(machine);
  const told = { hooks: path.join(state, 'hooks'), streams: path.join(state, 'streams') };
  return placesFor(ADAPTERS, machine, where, told);
}
