import path from 'node:path';
import { ADAPTERS } from '../hosts/registry.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { type Place, placesFor, type Where } from './places.ts';
import { thisMachine } from './this-machine.ts';

export function placesOf(where: Where): readonly Place[] {
  const machine = thisMachine();
  const state = stateFolder(machine);
  const told = { hooks: path.join(state, 'hooks'), streams: path.join(state, 'streams') };
  return placesFor(ADAPTERS, machine, where, told);
}

/** A host, for lists of them: no face knows one by its name. */
export interface KnownHost {
  /** Short, as `--host` takes it. */
  readonly host: string;
  /** As people write it. */
  readonly title: string;
  /** What people type to have it print a stream that is read; left out where none is. */
  readonly printing?: string;
  /** Its program waits in front of each call for what it is told. */
  readonly isSteered?: true;
}
