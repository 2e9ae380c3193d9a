import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAddress, writeAddress } from './address-file.ts';
import { createIdentity } from './identity.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-address-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the last address', () => {
  it('is read as it was written, by its owner only', async () => {
    const { token } = createIdentity();
    await writeAddress(folder, { port: 4711, token });
    await writeAddress(folder, { port: 4712, token });
    expect(await readAddress(folder)).toEqual({ port: 4712, token });
    expect(statSync(path.join(folder, 'address.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['address.json']);
  });

  it('is none where there is none, or something else', async () => {
    expect(await readAddress(folder)).toBeUndefined();
    const { token } = createIdentity();
    for (const text of [
      '',
      '{',
      '[]',
      `{"port":"1","token":"${token}"}`,
      `{"port":70000,"token":"${token}"}`,
      '{"port":1,"token":"short"}',
    ]) {
      writeFileSync(path.join(folder, 'address.json'), text);
      expect(await readAddress(folder), text).toBeUndefined();
    }
  });
});
