import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import { findFailedPlugin } from './settings.ts';

/** As 2.0.15 answered where it found a plugin that was written for OpenCode 1. */
const FAILED = {
  source: { type: 'local', path: '/home/dev/config/opencode/plugins/troupe.js' },
  state: {
    status: 'failed',
    error: 'Plugin must export a default definition with an id and an effect or setup function.',
  },
};
const ACTIVE = { id: 'troupe', source: FAILED.source, state: { status: 'active' } };
const OTHER = { ...FAILED, source: { type: 'local', path: '/home/dev/config/opencode/plugins/other.js' } };

let home: string;
let server: http.Server | undefined;
beforeEach(() => {
  home = makeTemporaryFolder('v2');
});
afterEach(() => void server?.close());

/** Registers a service that wants a password, and lists these plugins. */
async function serve(plugins: readonly object[], pid = process.pid): Promise<void> {
  const wanted = `Basic ${Buffer.from('opencode:sesame').toString('base64')}`;
  server = http.createServer((request, response) => {
    if (request.headers.authorization !== wanted) return void response.writeHead(401).end();
    response.end(JSON.stringify({ location: { directory: '/p' }, data: plugins }));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const folder = path.join(home, '.local', 'state', 'opencode');
  mkdirSync(folder, { recursive: true });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said = { id: 'x', version: '2.0.15', url, pid, password: 'sesame' };
  writeFileSync(path.join(folder, 'service.json'), JSON.stringify(said), { mode: 0o600 });
}

const find = () => findFailedPlugin({ machine: { env: {}, home }, folder: '/p', version: undefined, commands: [] });

describe('a plugin in OpenCode 2', () => {
  it('is reported if its running service could not load it', async () => {
    await serve([OTHER, FAILED]);
    const [found, ...more] = await find();
    expect(found?.text).toContain(`OpenCode 2.0.15 (pid ${process.pid}) could not load the plugin: Plugin must export`);
    expect(more).toEqual([]);
    expect(JSON.stringify(found)).not.toContain('sesame');
  });

  it.each([[[ACTIVE]], [[OTHER]], [[]]])('is not reported where it works, or is not known: %j', async (plugins) => {
    await serve(plugins);
    expect(await find()).toEqual([]);
  });

  it('is not asked about at a service that was left behind', async () => {
    await serve([FAILED], 2 ** 22 + 1);
    expect(await find()).toEqual([]);
  });

  it('is not asked about without a service, or with a broken registration', async () => {
    expect(await find()).toEqual([]);
    const folder = path.join(home, '.local', 'state', 'opencode');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'service.json'), '{');
    expect(await find()).toEqual([]);
  });
});
