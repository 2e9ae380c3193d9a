import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

// The built program: any text without its secrets.

let folder: string;
let program: ProgramHome;
const TOKEN = `ghp_${'aB3dE6gH9jK2mN5pQ8sT'.repeat(2).slice(0, 36)}`;
const KEY = [
  '-----BEGIN RSA PRIVATE KEY-----',
  ...Array.from(
    { length: 48 },
    (_, line) => `MIIE${line.toString(36).padStart(4, 'Q')}kQhW9vZ1xT7cR3bN5mL8pK2jH4gF6dS0aQ`,
  ),
  '-----END RSA PRIVATE KEY-----',
].join('\n');

beforeAll(() => {
  folder = makeTemporaryFolder('redact-command');
  program = programIn(folder, { cwd: folder });
  mkdirSync(path.join(folder, 'dir'));
  file('e.bin', Uint8Array.of(1, 0, 2));
  file('f.log', 'x');
  truncateSync(path.join(folder, 'f.log'), 2 ** 27);
  execFileSync('mkfifo', [path.join(folder, 'fifo')]);
  symlinkSync('/dev/zero', path.join(folder, 'zero'));
});

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(path.join(folder, name), content);
  return name;
};
const redact = (...args: readonly string[]) => program.run(['redact', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

async function pipe(text: string, ...args: readonly string[]) {
  const running = program.start(['redact', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  // In pieces, so that a secret is cut by the ends of chunks.
  for (let at = 0; at < text.length; at += 1000) running.child.stdin?.write(text.slice(at, at + 1000));
  running.child.stdin?.end();
  return { code: await running.ended, out: running.out(), errors: running.errors() };
}

describe('troupe redact', () => {
  it('writes files without their secrets, the same one under one placeholder, and a summary to stderr', async () => {
    const first = file('a.log', `\ufeffstart ${TOKEN}\r\nend\n`);
    const { code, out, errors } = await redact(first, file('b.log', `again ${TOKEN}`));
    expect(out).toBe(
      '==> a.log <==\n\ufeffstart [redacted:github-token#1]\r\nend\n\n==> b.log <==\nagain [redacted:github-token#1]',
    );
    expect(errors).toMatch(/^troupe: redacted 2 places, 1 different: 2 × /);
    expect(code).toBe(0);
  });

  it('takes a pipe, and finds a key of many lines across its chunks', async () => {
    const { code, out, errors } = await pipe(`before\n${KEY}\nafter\n`);
    expect(out).toMatch(/^before\n\[redacted:[a-z-]+#1\]\nafter\n$/);
    expect(errors).toContain('1 place,');
    expect(code).toBe(0);
  });

  it('lists findings as JSON without the values, and only checks when it is asked to', async () => {
    const json = await redact('--json', '--check', file('c.log', `one\ntwo ${TOKEN}\n`));
    expect(JSON.parse(json.out)).toMatchObject({
      format: 'troupe-redact',
      places: 1,
      findings: [{ file: 'c.log', rule: 'github-token', line: 2, count: 1, placeholder: '[redacted:github-token#1]' }],
    });
    expect(json.out + json.errors).not.toContain(TOKEN);
    expect(json.code).toBe(1);
    const check = await redact('--check', 'c.log');
    expect([check.out, check.code]).toEqual(['', 1]);
    const clean = await redact('--check', file('d.log', 'nothing here\n'));
    expect([clean.out, clean.errors, clean.code]).toEqual(['', 'troupe: no secrets found.\n', 0]);
  });

  it('keeps bytes that are not UTF-8, and an empty text', async () => {
    const name = file('latin.txt', Buffer.concat([Buffer.from([0xe4, 0xff, 0x20]), Buffer.from(`${TOKEN}\n`)]));
    const out = execFileSync(
      'sh',
      ['-c', `"$0" dist/troupe.js redact "$1" | od -An -tx1 | head -1`, process.execPath, path.join(folder, name)],
      {
        encoding: 'utf8',
      },
    );
    expect(out.trim()).toMatch(/^e4 ff 20 5b 72 65/);
    expect((await redact(name)).errors).toContain('latin.txt is not valid UTF-8');
    expect((await pipe('')).out).toBe('');
  });

  const wrong: Readonly<Record<string, readonly [string, string]>> = {
    'is missing': ['none.log', 'it does not exist'],
    'is a folder': ['dir', 'dir cannot be read'],
    'is binary': ['e.bin', 'is not UTF-8 text'],
    'is too large': ['f.log', '64 MB'],
    'is a FIFO': ['fifo', 'fifo cannot be read'],
    'links to a device': ['zero', 'zero cannot be read'],
  };
  for (const [what, [name, why]] of Object.entries(wrong))
    it(`writes nothing and says why when a file ${what}`, async () => {
      const { code, out, errors } = await redact(file('good.log', 'good\n'), name);
      expect(errors).toContain(why);
      expect([out, code]).toEqual(['', 2]);
    });
});
