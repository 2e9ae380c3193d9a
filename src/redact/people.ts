import { userOfFolder } from './personal-names.ts';

export interface NamedPeople {
  readonly users: readonly string[];
  readonly names: readonly string[];
}

export interface People {
  readonly users: Set<string>;
  readonly names: Set<string>;
}

/** Whether none of them is new. */
export function areKnown({ users, names }: NamedPeople, people: People): boolean {
  return users.every((user) => people.users.has(user)) && names.every((name) => people.names.has(name));
}

export function areSame(a: People, b: People): boolean {
  return a === b || (isSame(a.users, b.users) && isSame(a.names, b.names));
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}

/** Whom a session names by its structure: the author that git told, the owner of a working folder. */
export function peopleIn(value: unknown): NamedPeople {
  const users = new Set<string>();
  const names = new Set<string>();
  collectPeople(value, users, names);
  return { users: [...users], names: [...names] };
}

function collectPeople(value: unknown, users: Set<string>, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (key === 'cwd' && typeof field === 'string') {
      const user = userOfFolder(field);
      if (user !== undefined) users.add(user);
    } else if (key === 'author' && typeof field === 'object' && field !== null) {
      for (const name of Object.values(field)) if (typeof name === 'string') names.add(name);
    } else if (typeof field === 'object') collectPeople(field, users, names);
  }
}
