import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createTemporaryFolder } from './play-recording.ts';

describe('a temporary folder', () => {
  let scripts = '';
  beforeAll(async () => {
    scripts = makeTemporaryFolder('scripts');
  });

  it('is readable by its owner only, and can be removed twice', async () => {
    const listeners = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
    const before = listeners();
    const folder = await createTemporaryFolder('troupe-test-');
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    await folder.remove();
    await folder.remove();
    expect(existsSync(folder.path)).toBe(false);
    expect(listeners()).toEqual(before);
  });

  it.runIf(process.platform !== 'win32').each([
    ['its end', '', undefined, { code: 0, signal: null }],
    ['a signal', 'setInterval(() => {}, 1000)', 'SIGTERM', { code: null, signal: 'SIGTERM' }],
    ['Ctrl-C', 'setInterval(() => {}, 1000)', 'SIGINT', { code: null, signal: 'SIGINT' }],
    [
      'a signal that another one handles',
      'setInterval(() => {}, 1000); process.on("SIGTERM", () => setTimeout(() => process.exit(3), 50))',
      'SIGTERM',
      { code: 3, signal: null },
    ],
  ] as const)('goes with its process: %s', async (_, rest, kill, expected) => {
    const script = path.join(scripts, `${kill ?? 'end'}-${rest.length}.mjs`);
    await build({
      stdin: {
        contents: `import { createTemporaryFolder } from './play-recording.ts';
          const { path } = await createTemporaryFolder('troupe-test-');
          ${rest};
          console.log(path);`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: script,
    });
    const child = spawn(process.execPath, [script]);
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
    const folder = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text) => resolve(`${text}`.trim())),
    );
    if (kill) {
      expect(existsSync(folder)).toBe(true);
      child.kill(kill);
    }
    expect(await ended).toEqual(expected);
    expect(existsSync(folder)).toBe(false);
  });

  it('is removed with the next one when its process was killed, and no other is', async () => {
    const prefix = `troupe-test-${process.pid}-left-`;
    const place = (name: string): string => path.join(tmpdir(), prefix + name);
    const mine = await createTemporaryFolder(prefix);
    // A number that no process has; our own number, at another start; names that are not ours to judge.
    const left = [place(`${2 ** 22 + 1}-1-abcdef`)];
    if (process.platform === 'linux') left.push(place(`${process.pid}-1-abcdef`));
    const others = [place('abcdef'), place(`${2 ** 22 + 1}-1-abcdef.txt`)];
    for (const one of [...left, ...others]) mkdirSync(path.join(one, 'projects'), { recursive: true });
    const next = await createTemporaryFolder(prefix);
    expect(left.map((one) => existsSync(one))).toEqual(left.map(() => false));
    expect([mine.path, next.path, ...others].every((one) => existsSync(one))).toBe(true);
    await mine.remove();
    await next.remove();
    for (const one of others) rmSync(one, { recursive: true });
  });
});
