import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import {
  decidedIn,
  digestValue,
  forgetDecisions,
  keepDecisions,
  listDecisions,
  readKept,
  ValueDecisions,
} from './decisions.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('decisions');
  vi.stubEnv('TROUPE_HOME', folder);
});

const item = (salt: string, value: string) => ({
  kind: 'password',
  what: 'a password',
  digests: [digestValue(salt, value)],
});

async function decide(value: string, ...projects: readonly string[]) {
  const decisions = new ValueDecisions();
  decisions.adopt([decidedIn(await readKept(), new Set(projects))]);
  return decisions.decide(value);
}

describe('kept decisions', () => {
  it('keeps all of them when twenty are written at once', async () => {
    const { salt } = await readKept();
    await keepDecisions(['/p'], salt, [{ item: item(salt, 'first'), decision: 'show' }]);
    const values = Array.from({ length: 20 }, (_, at) => `value-${at}`);
    await Promise.all(
      values.map((value) => keepDecisions(['/p'], salt, [{ item: item(salt, value), decision: 'show' }])),
    );
    expect(await listDecisions()).toHaveLength(21);
    expect(readFileSync(path.join(folder, 'redact-decisions.json'), 'utf8')).not.toMatch(/value-|first/);
  });

  it('shows a value only if that was decided in every project, and redacts it if in one', async () => {
    const { salt } = await readKept();
    await keepDecisions(['/a', '/b'], salt, [{ item: item(salt, 'both'), decision: 'show' }]);
    await keepDecisions(['/a'], salt, [{ item: item(salt, 'one'), decision: 'show' }]);
    await keepDecisions(['/b'], salt, [{ item: item(salt, 'spread'), decision: 'everywhere' }]);
    expect(await decide('both', '/a', '/b')).toBe('show');
    expect(await decide('one', '/a')).toBe('show');
    expect(await decide('one', '/a', '/b')).toBeUndefined();
    expect(await decide('spread', '/a', '/b')).toBe('everywhere');
    expect(await decide('both', '/c')).toBeUndefined();
  });

  it('replaces and forgets what was kept about a value', async () => {
    const { salt } = await readKept();
    await keepDecisions(['/a'], salt, [{ item: item(salt, 'x'), decision: 'show' }]);
    await keepDecisions(['/a'], salt, [{ item: item(salt, 'x'), decision: 'everywhere' }]);
    const [kept, ...more] = await listDecisions();
    expect([kept?.decision, more]).toEqual(['everywhere', []]);
    await expect(forgetDecisions(['00000000'])).rejects.toThrow('No kept decision has the ID 00000000.');
    await forgetDecisions([kept?.id ?? '']);
    expect(await decide('x', '/a')).toBeUndefined();
  });
});
