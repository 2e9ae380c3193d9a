import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
function run(script: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run fuzz', () => {
  const fuzz = (...args: readonly string[]) => run('scripts/fuzz.mjs', ...args);

  it('lists the test files with a name in their path, also those that hold properties by what they import', () => {
    const names = fuzz('--list').stdout.split('\n');
    expect(names).toEqual(
      expect.arrayContaining(['src/guard/fuzz', 'src/guard/policy/suggest-allow', 'web/src/route']),
    );
    expect(names).toContain('src/hosts/codex/recordings');
    expect(fuzz('--list', 'suggest').stdout).toBe('src/guard/policy/suggest-allow\n');
  });

  it('names the known ones when a name is unknown', () => {
    const { status, stderr } = fuzz('no-such-part');
    expect(status).toBe(2);
    expect(stderr).toContain('no property test has "no-such-part" in its path');
    expect(stderr).toContain('\n  src/guard/fuzz\n');
  });

  it.each([['--seed=x'], ['--seed='], ['--seed=4294967296'], ['--runs=0'], ['--what']])('refuses %s', (option) => {
    const { status, stderr } = fuzz(option);
    expect(status).toBe(2);
    expect(stderr).toContain(option.replace(/=.*/, ''));
  });

  it('shows examples with --help', () => {
    expect(fuzz('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('npm run fuzz -- guard') });
  });
});

describe('npm run bench', () => {
  const bench = (...args: readonly string[]) => run('bench/run.mjs', ...args);

  it('names the parts when one is unknown', () => {
    const { status, stderr } = bench('no-such-part');
    expect(status).toBe(2);
    expect(stderr).toMatch(/no part "no-such-part"[\s\S]*guard[\s\S]*export/);
  });

  it('shows examples with --help', () => {
    expect(bench('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('npm run bench -- guard') });
  });
});
