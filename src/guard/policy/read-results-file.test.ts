import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { misfits } from '../../server/http/testing/validate.ts';
import type { GuardedCall } from '../policy.ts';
import { usesOf } from '../uses-of.ts';
import { findResult, readResultsFile } from './read-results-file.ts';

const folder = makeTemporaryFolder('results');

function read(text: string) {
  const file = path.join(folder, 'rules.yaml');
  writeFileSync(file, text);
  writeFileSync(path.join(folder, 'answer.txt'), 'from a file\n');
  const found = readResultsFile(file, '/home/dev');
  if (!found) throw new Error('it is there');
  return found;
}

const GOOD = `version: 1
results:
  - name: tests are green
    agents: { kind: subagent }
    tools: "Bash(npm test:*)"
    result: |
      12 passed
  - tools: [Read(secret.txt), WebFetch]
    result_file: answer.txt
    is_error: true
`;

function call(tool: string, input: object, kind = 'task'): GuardedCall {
  const home = '/home/dev';
  const cwd = '/home/dev/app';
  return {
    ...{ agent: { kind, type: 'general-purpose', name: null, depth: kind === 'main' ? 0 : 1 }, ancestors: [] },
    ...{ host: 'claude-code', project: cwd, cwd, home, tool, input, at: 0, offsetMinutes: 0 },
    uses: usesOf(tool, input, { cwd, home, projectDir: cwd, resolve: (place) => place }),
  };
}

describe('results in place of calls', () => {
  it('the first that is for a call, for certain', () => {
    const { results, problems } = read(GOOD);
    expect(problems).toEqual([]);
    const of = (tool: string, input: object, kind?: string) => findResult(results, call(tool, input, kind))?.text;
    expect(of('Bash', { command: 'npm test -- --watch=false' })).toBe('12 passed\n');
    expect(of('Bash', { command: 'npm test' }, 'main')).toBeUndefined();
    expect(of('Bash', { command: 'npm test && npm publish' })).toBeUndefined();
    expect(of('Bash', { command: 'npm run build' })).toBeUndefined();
    expect(of('Read', { file_path: '/home/dev/app/secret.txt' })).toBe('from a file\n');
    expect(results[1]).toMatchObject({ isError: true, rule: { id: 'inject:2', place: { line: 8 } } });
  });

  it('reports each mistake with its position, and returns no results', () => {
    const bad: readonly (readonly [string, number, number, RegExp])[] = [
      ['results: []\n', 1, 1, /`version` is missing/],
      ['version: 1\n', 1, 1, /`results` is missing/],
      ['version: 1\nresults:\n  - tools: Bash\n', 3, 5, /has no result/],
      ['version: 1\nresults:\n  - result: x\n', 3, 5, /which calls/],
      ['version: 1\nresults:\n  - tools: Bash\n    result: x\n    result_file: answer.txt\n', 5, 5, /two results/],
      ['version: 1\nresults:\n  - tools: Bash\n    result_file: gone.txt\n', 4, 18, /is not there/],
      ['version: 1\nresults:\n  - tools: Bash\n    result: 7\n', 4, 13, /must be a text/],
      ['version: 1\nresults:\n  - tools: Bash\n    reslut: x\n', 4, 5, /did you mean `result`/],
      ['version: 1\nresults:\n\t- x\n', 3, 1, /tab/],
    ];
    for (const [text, line, column, message] of bad) {
      const { results, problems } = read(text);
      expect(results).toEqual([]);
      expect(problems, text).toContainEqual(
        expect.objectContaining({ line, column, message: expect.stringMatching(message), severity: 'error' }),
      );
    }
  });

  it('the schema accepts and rejects the same files as the reader', () => {
    expect(misfits('results', parse(GOOD))).toBe('');
    for (const text of ['version: 1', 'version: 1\nresults: [{ tools: Bash }]', 'version: 2\nresults: []'])
      expect([misfits('results', parse(text)) !== '', read(text).problems.length > 0]).toEqual([true, true]);
    const schema = readFileSync(new URL('../../../schemas/results.schema.json', import.meta.url), 'utf8');
    expect(Object.keys(JSON.parse(schema).$defs.result.properties)).toEqual([
      ...['name', 'agents', 'tools', 'result', 'result_file', 'is_error'],
    ]);
  });
});
