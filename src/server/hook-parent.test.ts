import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { FAILURE_REASON } from '../hook/index.ts';
import { makeStubs, run, type Stubs } from './testing/stubs.ts';

let stubs: Stubs;
beforeEach(async () => {
  stubs = await makeStubs();
});

const parent = 'claude-code:8f6e5c34-1:a1b2c3d4:toolu_01';
const startedBy = (text: string): NodeJS.ProcessEnv => ({ ...process.env, TROUPE_PARENT: text });

describe('a host that an agent started', () => {
  it('is attributed to that agent in what its hooks report', () => {
    run(stubs.observe, '{"a":1}', { env: startedBy(parent) });
    expect(stubs.events()).toEqual([{ payload: Buffer.from('{"a":1}'), last: { ppid: process.pid, parent } }]);
  });

  it('is attributed also when no server could be reached', () => {
    writeFileSync(stubs.hookFile, 'process.exit(1)');
    run(stubs.guard, '{"a":1}', { env: startedBy(parent) });
    expect(stubs.events()[0]?.last).toMatchObject({ parent, reason: FAILURE_REASON });
  });

  it.each(['', '"},{"x":"', 'a b', 'a\nb', '$(touch x)', 'é:b:c', 'a&draft=b'])(
    'what we never say is not handed on: %j',
    (text) => {
      run(stubs.observe, '{"a":1}', { env: startedBy(text) });
      expect(stubs.events()).toEqual([{ payload: Buffer.from('{"a":1}'), last: { ppid: process.pid } }]);
    },
  );
});
