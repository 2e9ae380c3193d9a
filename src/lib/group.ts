/** `Map.groupBy` of newer Nodes; 20 does not have it. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The value of a key; made and kept if there is none. */
export function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: (key: K) => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create(key);
  map.set(key, created);
  return created;
}

/** A table in which several names, separated by spaces, have the same entry. */
export function sameFor<Entry>(names: string, entry: Entry): Readonly<Record<string, Entry>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, entry]));
}

/** The same for a whole table. Made when it is first asked: a hook has dozens of tables and asks few. */
export function byName<Entry>(
  entries: Readonly<Record<string, Entry>>,
): Pick<ReadonlyMap<string, Entry>, 'get' | 'has'> {
  let table: Map<string, Entry> | undefined;
  const made = (): Map<string, Entry> => {
    if (table) return table;
    table = new Map();
    for (const names of Object.keys(entries)) {
      const entry = entries[names] as Entry;
      for (const name of names.split(' ')) table.set(name, entry);
    }
    return table;
  };
  return { get: (name) => made().get(name), has: (name) => made().has(name) };
}

export type WordSet = Pick<ReadonlySet<string>, 'has'>;

/** The words of a text, separated by single spaces. Taken apart for those who ask often: a hook asks a few times and ends. */
export function wordSet(text: string): WordSet {
  const padded = ` ${text} `;
  let words: Set<string> | undefined;
  let asked = 0;
  return {
    has(word) {
      if (!words && ++asked <= MAX_SEARCHES) return padded.includes(` ${word} `) && !word.includes(' ');
      words ??= new Set(text.split(' '));
      return words.has(word);
    },
  };
}

const MAX_SEARCHES = 20;
