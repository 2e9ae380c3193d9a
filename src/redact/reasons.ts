// Why something was redacted, in one sentence. Says nothing of the value.

import { SECRET_FIELD } from './known-values.ts';
import type { SecretRule } from './rule.ts';
import { kindOfSecretName } from './secret-names.ts';

type Explained = Pick<SecretRule, 'id' | 'basis' | 'what' | 'source'>;

/** What is known by who is named, not by a rule: what it is, and why it is redacted. */
const PERSONAL: readonly (readonly [id: string, what: string, why: string])[] = [
  ['home-directory', 'home folder of a user', 'A path names the home folder of a user.'],
  ['user-name', 'name of a user', 'It is the name of a user of this machine or session.'],
  ['host-name', 'name of a machine', 'It is the name of this machine.'],
  ['person', 'name or address of an author', 'Git names this person as the author.'],
];

export interface Explanation {
  /** In words: `token of GitHub`. */
  readonly what: string;
  readonly why: string;
}

/** `key`: the name in front of the value, if it has one. */
export function createExplainer(rules: readonly Explained[]): (rule: string, key: string | null) => Explanation {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const personal = new Map(PERSONAL.map(([id, what, why]) => [id, { what, why }]));
  return (id, key) => {
    const known = personal.get(id);
    if (known) return known;
    if (id === SECRET_FIELD)
      return { what: 'value of a field whose name says that it is secret', why: nameReason(key) };
    const rule = byId.get(id);
    return rule ? { what: rule.what, why: reasonOf(rule, key) } : { what: id, why: 'A rule of redaction matches it.' };
  };
}

function reasonOf({ id, basis, what, source }: Explained, key: string | null): string {
  switch (basis) {
    case 'shape': {
      const isPublished = source !== 'not recorded';
      return `It has the ${isPublished ? 'published ' : ''}shape of this kind: ${headOf(what)}.`;
    }
    case 'private key':
      return 'It is a private key, or a part of one.';
    case 'name':
      return nameReason(key);
    case 'sentence':
      return 'The sentence around it says that it is a secret.';
    case 'place':
      return `Its place is one for secrets: ${headOf(what)}.`;
    case 'pattern':
      return `Your own pattern "${id}" in config.json matches it.`;
  }
}

function nameReason(key: string | null): string {
  return key !== null && kindOfSecretName(key) !== 'none'
    ? `The name in front of it, "${key}", says that it is secret.`
    : 'The name in front of it, or its label, says that it is secret.';
}

/** Without what follows a colon: `token of GitHub: personal, OAuth, …`. */
function headOf(what: string): string {
  return what.split(/: |; /)[0] ?? what;
}
