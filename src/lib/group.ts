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

/** The same for a whole table. A map: a hook makes one in a fifth of the time that an object takes. */
export function byName<Entry>(entries: Readonly<Record<string, Entry>>): ReadonlyMap<string, Entry> {
  const table = new Map<string, Entry>();
  for (const names of Object.keys(entries)) {
    const entry = entries[names] as Entry;
    for (const name of names.split(' ')) table.set(name, entry);
  }
  return table;
}

/** The words of a text, separated by single spaces: to split it by an expression takes a hook longer. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
