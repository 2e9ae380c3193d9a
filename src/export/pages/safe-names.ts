import { digestText } from '../../lib/digest.ts';

/** Long enough for every id that a host gives; file systems end at 255 bytes. */
const LONGEST = 64;

/**
 * A name for the files of an agent that never leaves its folder, whatever the id holds, and is nobody else's, also where
 * upper and lower case are the same. `taken` are such names in lower case; the new one is added.
 */
export function takeStem(id: string, taken: Set<string>): string {
  return takeName('agent', id, taken);
}

/** Of the pages of a session. */
export function takeFolder(id: string, taken: Set<string>): string {
  return takeName('session', id, taken);
}

/** The word in front keeps it from being a name that a system keeps for itself. */
function takeName(kind: 'agent' | 'session', id: string, taken: Set<string>): string {
  const plain = id.replace(/[^A-Za-z0-9_@.-]+/g, '-').replace(/\.{2,}|^\.+|\.+$/g, '-');
  const isWhole = plain === id && id !== '' && id.length <= LONGEST;
  return takeFree(
    isWhole ? `${kind}-${id}` : `${kind}-${plain.slice(0, LONGEST / 2)}-${digestText(id).replace('.', '-')}`,
    taken,
  );
}

/** Of the second part, and so on. */
export function takePart(stem: string, part: number, taken: Set<string>): string {
  return takeFree(`${stem}-${part}`, taken);
}

function takeFree(base: string, taken: Set<string>): string {
  let name = base;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${base}_${count}`;
  taken.add(name.toLowerCase());
  return name;
}
