import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createPolicyCache } from './load-policy.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('remember');
});

const places = () => ({
  home: folder,
  configFolder: folder,
  stateFolder: folder,
  folder: path.join(folder, 'project'),
});
const write = (text: string, file = 'policy.yaml'): void => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
};

it('is the policy of the files, however they change', async () => {
  // Long after the files were written: what is remembered may be used.
  const load = createPolicyCache(() => Date.now() + 3_600_000);
  mkdirSync(path.join(folder, 'project/.git'), { recursive: true });
  expect((await load(places())).rules).toHaveLength(0);
  write('version: 1\nrules: [{ decision: deny }]\n');
  const first = await load(places());
  expect(first.rules).toHaveLength(1);
  expect(await load(places())).toBe(first);
  // The same size and the same time of its content.
  const time = new Date(1_700_000_000_000);
  utimesSync(path.join(folder, 'policy.yaml'), time, time);
  await load(places());
  write('version: 1\nrules: [{ decision: none }]\n');
  utimesSync(path.join(folder, 'policy.yaml'), time, time);
  expect((await load(places())).rules[0]?.decision).toBe('none');
  write('version: 1\nrules: [{ decision: ask }]\n', 'project/.troupe/policy.yaml');
  expect((await load(places())).rules.map(({ scope }) => scope)).toEqual(['user', 'project']);
  rmSync(path.join(folder, 'policy.yaml'));
  expect((await load(places())).rules.map(({ scope }) => scope)).toEqual(['project']);
});
