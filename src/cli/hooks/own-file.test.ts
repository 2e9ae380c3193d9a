import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../hosts/testing/all-hosts.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createHooksControl, type HooksControl } from './hooks-control.ts';

// A host whose hooks are a file of our own, instead of entries in a file of its person.

let base: string;
beforeEach(() => {
  base = makeTemporaryFolder('own-file');
});

const at = (...parts: string[]): string => path.join(base, ...parts);
const plugin = (): string => at('home', '.config', 'opencode', 'plugins', 'troupe.js');

function control(version = '0.1.0'): HooksControl {
  mkdirSync(at('project'), { recursive: true });
  const stubs = {
    observe: at('state', 'bin', 'observe'),
    guard: at('state', 'bin', 'guard'),
    statusLine: at('state', 'bin', 'statusline'),
  };
  return createHooksControl({
    adapters: ADAPTERS,
    machine: { env: {}, home: at('home') },
    folder: at('project'),
    state: at('state'),
    version,
    clock: () => Date.UTC(2026, 10, 15),
    policy: at('config', 'policy.yaml'),
    stubs,
    findEvidence: async () => ({ heard: [], unheard: undefined }),
    longestWaitMs: async () => 0,
    writeStubs: async () => {
      mkdirSync(at('state', 'bin'), { recursive: true });
      for (const file of Object.values(stubs))
        writeFileSync(file, `#!/bin/sh\n# troupe ${version}: x\n`, { mode: 0o700 });
      return stubs;
    },
  });
}

const host = 'opencode';
const install = async (guard: boolean, version?: string): Promise<void> => {
  await (await control(version).planInstall({ host, scope: 'user', guard, hostVersion: '1.18.33' })).apply();
};
const uninstall = async (): Promise<void> => {
  await (await control().planUninstall({ host })).apply();
};

describe('our plugin', () => {
  it('is written whole, and removed without a trace', async () => {
    await install(true);
    const status = await control().status({ host });
    expect(status).toMatchObject({ isComplete: true, isToBeNamed: true, events: { length: 3 } });
    expect(status.beforeCalls).toMatchObject([{ role: 'guard' }]);
    await uninstall();
    expect(existsSync(path.dirname(plugin()))).toBe(false);
  });

  it('is removed also when no backup exists, and when it was changed', async () => {
    await install(true);
    writeFileSync(plugin(), `${readFileSync(plugin(), 'utf8')}\n// mine\n`);
    expect((await control().status({ host })).places[0]?.changed).toHaveLength(3);
    rmSync(at('state'), { recursive: true });
    await uninstall();
    expect(existsSync(plugin())).toBe(false);
  });

  it('is replaced by that of another version, and by one without the guard', async () => {
    await install(true, '0.0.9');
    expect((await control().status({ host })).places[0]).toMatchObject({ versions: ['0.0.9'], changed: [] });
    await install(false);
    expect((await control().status({ host })).places[0]).toMatchObject({ versions: ['0.1.0'], guard: false });
  });

  it('of another author under the same name is left alone', async () => {
    mkdirSync(path.dirname(plugin()), { recursive: true });
    writeFileSync(plugin(), 'export const Other = async () => ({});\n');
    await expect(install(true)).rejects.toMatchObject({ code: 'settings-invalid' });
    await uninstall();
    expect(readFileSync(plugin(), 'utf8')).toContain('Other');
  });

  it('cannot be installed for the person in one project only', async () => {
    const plan = control().planInstall({ host, scope: 'local', guard: true, hostVersion: '1.18.33' });
    await expect(plan).rejects.toMatchObject({ code: 'no-such-scope' });
  });
});
