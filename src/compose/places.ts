import { homedir } from 'node:os';
import { ADAPTERS } from '../adapters/registry.ts';
import type { Where } from '../faces/face.ts';
import { type Place, placesFor } from '../tracker/places.ts';

export function placesOf(where: Where): readonly Place[] {
  return placesFor(ADAPTERS, { env: process.env, home: homedir() }, where);
}
