import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { Machine } from '../hosts/index.ts';
import { UserError } from '../lib/user-error.ts';

/** Where hosts and we keep things. Throws a `UserError` where nobody says where this person's home is. */
export function thisMachine(): Machine {
  return { env: process.env, home: homeFolder() };
}

/** An empty or relative `HOME` would be whatever folder we happen to run in: then what the system knows counts. */
function homeFolder(): string {
  const home = [homedir, () => userInfo().homedir].map(orNothing).find((folder) => path.isAbsolute(folder));
  if (home !== undefined) return home;
  throw new UserError('no-home', 'troupe does not know your home folder.', 'Set HOME to the whole path of it.');
}

/** Both throw where the system does not know the person at all. */
function orNothing(ask: () => string): string {
  try {
    return ask();
  } catch {
    return '';
  }
}
