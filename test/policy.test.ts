import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { misfits } from '../src/server/http/testing/validate.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';

let program: ProgramHome;
let project: string;
beforeEach(() => {
  program = createProgramHome();
  project = path.join(program.home, 'work/app');
  mkdirSync(path.join(project, '.troupe'), { recursive: true });
  mkdirSync(path.join(program.home, '.config/troupe'), { recursive: true });
});
afterEach(() => program.end());

const troupe = (...args: readonly string[]) => program.run(['guard', ...args], { cwd: project });
const write = (name: string, text: string): void => writeFileSync(path.join(program.home, name), text);

describe('troupe guard check', () => {
  it('says that there is no policy', async () => {
    const { code, out } = await troupe('check');
    expect([code, out]).toEqual([0, expect.stringMatching(/^There is no policy/)]);
  });

  it('finds the files of the person and of the project, and keeps their on_error for the stub', async () => {
    write(
      '.config/troupe/policy.yaml',
      'version: 1\npresets: [no-network]\nrules: [{ decision: allow, tools: Read }]\n',
    );
    write('work/app/.troupe/policy.yaml', 'version: 1\nrules: [{ decision: deny, tools: Edit }]\n');
    const { code, out } = await troupe('check');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^ok: 3 rules \(with no-network\) in .*config.*, .*app\/\.troupe/),
    ]);
    const kept = readdirSync(path.join(program.home, '.local/state/troupe/policy'));
    expect(kept.filter((name) => name.endsWith('.on-error'))).toHaveLength(2);
    expect(kept.filter((name) => !name.endsWith('.on-error'))).toEqual([]);
  });

  it('names mistakes as compilers do', async () => {
    write('bad.yaml', 'version: 1\nrules:\n  - agnets: { type: reviewer }\n    decision: deny\n');
    const file = path.join(program.home, 'bad.yaml');
    const { code, out } = await troupe('check', file);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      `${file}:3:5: error: A rule has no \`agnets\`; did you mean \`agents\`?`,
      '  3 |   - agnets: { type: reviewer }',
      '    |     ^',
      '',
      `1 error in ${file}`,
      '',
    ]);
  });

  it('warns about old names of keys, and ends with code 0', async () => {
    write('old.yaml', 'version: 1\nrules:\n  - decision: ask\n    wait: 5m\n    otherwise: deny\n');
    const file = path.join(program.home, 'old.yaml');
    const { code, out } = await troupe('check', file);
    expect([code, out.split('\n')]).toEqual([
      0,
      [
        `${file}:5:5: warning: \`otherwise\` is now \`on_timeout\`; the old name works until 0.3.`,
        '  5 |     otherwise: deny',
        '    |     ^',
        '',
        `ok: 1 rule in ${file}`,
        '',
      ],
    ]);
    const check = JSON.parse((await troupe('check', file, '--json')).out);
    expect(misfits('policy-check', check)).toBe('');
    expect(check).toMatchObject({ ok: true, problems: [{ severity: 'warning', code: 'deprecated', line: 5 }] });
  });

  it('holds the file of a project against that of the person', async () => {
    write('.config/troupe/policy.yaml', 'version: 1\non_error: deny\n');
    write('work/app/.troupe/policy.yaml', 'version: 1\non_error: ask\nrules: [{ decision: allow }]\n');
    for (const args of [['check'], ['check', '.troupe/policy.yaml']]) {
      const { code, out } = await troupe(...args, '--json');
      const check = JSON.parse(out);
      expect(misfits('policy-check', check)).toBe('');
      expect([code, check.ok]).toEqual([1, false]);
      expect(check.problems).toMatchObject([
        { code: 'loosens', line: 2, column: 11 },
        { code: 'loosens', line: 3, column: 11 },
      ]);
    }
  });

  it('does not take a file that is not there for a good one', async () => {
    const { code, errors } = await troupe('check', 'nope.yaml');
    expect([code, errors]).toEqual([2, expect.stringContaining('There is no file nope.yaml.')]);
  });

  it('says so when it cannot be stored', async () => {
    write('.config/troupe/policy.yaml', 'version: 1\n');
    mkdirSync(path.join(program.home, '.local/state'), { recursive: true });
    write('.local/state/troupe', 'a file where the folder should be');
    const { code, errors } = await troupe('check');
    expect([code, errors]).toEqual([2, expect.stringContaining('could not be kept in')]);
  });
});

describe('troupe guard presets', () => {
  it('lists them, and shows one that can be copied into a policy', async () => {
    expect((await troupe('presets')).out).toMatch(/^no-secret-files +\S/m);
    const { out } = await troupe('presets', 'no-secret-files');
    write('copied.yaml', `version: 1\n${out}`);
    expect((await troupe('check', path.join(program.home, 'copied.yaml'))).out).toMatch(/^ok: 1 rule in/);
    expect((await troupe('presets', 'nope')).code).toBe(2);
  });
});
