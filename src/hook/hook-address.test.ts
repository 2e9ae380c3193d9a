import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createHookKeys, keepHookAddress } from './server-link.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('address');
});

const file = (): string => path.join(folder, 'hook-address');
const text = (): string => readFileSync(file(), 'utf8');

it('writes one line for a shell, readable by its owner only, while the server runs', async () => {
  const keys = createHookKeys();
  const leave = await keepHookAddress(folder, { ...keys, port: 4711, recheckMs: 5 });
  const line = `${process.pid} 4711 ${keys.key} ${keys.proof}\n`;
  expect(line).toMatch(/^\d+ 4711 [\w-]{24} [\w-]{24}\n$/);
  expect([text(), statSync(file()).mode & 0o777]).toEqual([line, 0o600]);
  writeFileSync(file(), '');
  await vi.waitFor(() => expect(text()).toBe(line), { timeout: 30_000 });
  rmSync(file());
  await vi.waitFor(() => expect(text()).toBe(line), { timeout: 30_000 });
  await leave();
  expect(readdirSync(folder)).toEqual([]);
});

it("has keys of its own for each run, and removes no other run's", async () => {
  const [one, two] = [createHookKeys(), createHookKeys()];
  expect(new Set([one.key, one.proof, two.key, two.proof]).size).toBe(4);
  const leave = await keepHookAddress(folder, { ...one, port: 1 });
  const leaveLater = await keepHookAddress(folder, { ...two, port: 2 });
  await leave();
  expect(text()).toContain(two.key);
  await leaveLater();
  expect(readdirSync(folder)).toEqual([]);
});

it('reports a folder in its place, leaves no drafts, and writes the file when the folder is gone', async () => {
  mkdirSync(file());
  const keys = createHookKeys();
  const reported: string[] = [];
  const onError = (error: unknown): void => void reported.push(String(error));
  const leave = await keepHookAddress(folder, { ...keys, port: 1, recheckMs: 5, onError });
  await vi.waitFor(() => expect(reported.length).toBeGreaterThan(1));
  expect([...new Set(reported)]).toEqual([expect.stringMatching(/hook-address cannot be replaced \(EISDIR\)/)]);
  rmdirSync(file());
  await vi.waitFor(() => expect(text()).toContain(keys.key));
  await leave();
  expect(readdirSync(folder)).toEqual([]);
});
