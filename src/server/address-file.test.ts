import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { readAddress, writeAddress } from './daemon-file.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('address');
});

describe('the last address', () => {
  it('is read as it was written, readable by its owner only', async () => {
    await writeAddress(folder, { port: 4711, logins: [] });
    await writeAddress(folder, { port: 4712, logins: ['digest'] });
    expect(await readAddress(folder)).toEqual({ port: 4712, logins: ['digest'] });
    expect(statSync(path.join(folder, 'address.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['address.json']);
  });

  it('is undefined when the file is missing or holds something else', async () => {
    expect(await readAddress(folder)).toBeUndefined();
    for (const text of ['', '{', '[]', '{"port":"1","logins":[]}', '{"port":70000,"logins":[]}']) {
      writeFileSync(path.join(folder, 'address.json'), text);
      expect(await readAddress(folder), text).toBeUndefined();
    }
  });

  it('keeps the port of a file written by 0.1, and drops its token', async () => {
    writeFileSync(path.join(folder, 'address.json'), '{"port":4711,"token":"x"}');
    expect(await readAddress(folder)).toEqual({ port: 4711, logins: [] });
  });
});
