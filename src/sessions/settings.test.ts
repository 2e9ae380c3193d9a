import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { configFolder } from '../lib/state-folder.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { readConfig } from './settings.ts';
import { trackerOptionsOf } from './tracker.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('config');
});

const write = (text: string): void => writeFileSync(path.join(folder, 'config.json'), text);
const isValid = new Ajv2020({ strict: true }).compile(
  JSON.parse(readFileSync(new URL('../../schemas/config.schema.json', import.meta.url), 'utf8')),
);

describe('settings', () => {
  it('are the defaults when there is no file', async () => {
    expect(await readConfig(folder)).toEqual({});
    expect(trackerOptionsOf({})).toMatchObject({ window: { ms: 86_400_000, sessions: 100 } });
  });

  it('combine given values with defaults', async () => {
    const wishes = { live: { windowHours: 2, stalledAfterSeconds: { tool: 60 } }, server: { port: 4711 } };
    write(JSON.stringify(wishes));
    expect(isValid(wishes)).toBe(true);
    const config = await readConfig(folder);
    expect(trackerOptionsOf(config)).toMatchObject({
      window: { ms: 7_200_000, sessions: 100 },
      stalledAfter: { start: 120_000, reply: 180_000, tool: 60_000 },
    });
    expect(config.server?.port).toBe(4711);
  });

  it('limit the cost of own redaction patterns', async () => {
    const wishes = {
      redact: { patterns: [{ name: 'ticket', pattern: 'ACME-\\d+' }], allow: ['/AKIA.*/', 'x'], pii: true },
    };
    write(JSON.stringify(wishes));
    expect(isValid(wishes)).toBe(true);
    expect(await readConfig(folder)).toEqual(wishes);
    write(JSON.stringify({ redact: { patterns: [{ name: 'slow', pattern: '(a+)+$' }] } }));
    await expect(readConfig(folder)).rejects.toThrow(/redact\.patterns\.0: it repeats a group/);
    write(JSON.stringify({ redact: { allow: ['/(a/'] } }));
    await expect(readConfig(folder)).rejects.toThrow(/redact\.allow\.0: Invalid regular expression/);
  });

  it('check chat numbers, times of day and addresses of chats and webhooks', async () => {
    const wishes = {
      telegram: {
        chats: [-1001234567890],
        sessions: 'chat',
        quietHours: { from: '22:30', to: '07:00' },
        announce: { tools: false },
      },
      webhook: { url: 'https://hooks.example/x', form: 'slack' },
    };
    write(JSON.stringify(wishes));
    expect(isValid(wishes)).toBe(true);
    expect(await readConfig(folder)).toEqual(wishes);
    for (const [telegram, where] of [
      [{ chats: [0] }, 'telegram.chats.0'],
      [{ chats: ['@me'] }, 'telegram.chats.0'],
      [{ quietHours: { from: '24:00', to: '07:00' } }, 'telegram.quietHours.from'],
      [{ apiRoot: 'file:///etc' }, 'telegram.apiRoot'],
      [{ token: 'x' }, 'telegram.token'],
    ] as const) {
      write(JSON.stringify({ telegram }));
      await expect(readConfig(folder), where).rejects.toThrow(where);
      expect(isValid({ telegram }), where).toBe(false);
    }
  });

  it('report a file that cannot be read', async () => {
    mkdirSync(path.join(folder, 'config.json'));
    await expect(readConfig(folder)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('config.json is a folder, not a regular file'),
    });
  });

  it('report a mistake with its position', async () => {
    for (const [text, where] of [
      ['{', 'not JSON'],
      ['[]', 'the whole'],
      ['{"live":{"windowHours":"2"}}', 'live.windowHours'],
      ['{"live":{"windowHour":2}}', 'live.windowHour'],
      ['{"server":{"port":70000}}', 'server.port'],
    ] as const) {
      write(text);
      await expect(readConfig(folder), text).rejects.toMatchObject({
        code: 'config-invalid',
        message: expect.stringContaining(where),
      });
      if (text !== '{') expect(isValid(JSON.parse(text)), text).toBe(false);
    }
  });

  it("are in the system's settings folder, or in TROUPE_HOME", () => {
    expect(configFolder({}, '/home/me')).toBe('/home/me/.config/troupe');
    expect(configFolder({ XDG_CONFIG_HOME: '/x' }, '/home/me')).toBe('/x/troupe');
    expect(configFolder({ TROUPE_HOME: '/t', XDG_CONFIG_HOME: '/x' }, '/home/me')).toBe('/t');
  });
});
