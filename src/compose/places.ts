import { ADAPTERS } from '../adapters/registry.ts';
import type { Where } from '../faces/face.ts';
import { type Place, placesFor } from '../tracker/places.ts';
import { thisMachine } from '../tracker/this-machine.ts';

export function placesOf(where: Where): readonly Place[] {
  return placesFor(ADAPTERS, thisMachine(), where);
}
