import { expect, it } from 'vitest';
import { formatHookCommand } from '../../../core/index.ts';
import { hookSettings } from './index.ts';

const command = (role: 'guard' | 'observe'): string =>
  formatHookCommand(
    { role, file: `/s/${role}`, version: '1.0.0', ...(role === 'guard' && { policy: '/p' }) },
    'copilot',
  );
const [guard, observe] = [command('guard'), command('observe')];

it('is a file of our own in the folder of hooks', () => {
  const machine = { env: {}, home: '/home/dev' };
  expect(hookSettings.files(machine, '/p').map(({ path }) => path)).toEqual([
    '/home/dev/.copilot/hooks/troupe.json',
    '/p/.github/hooks/troupe.json',
  ]);
  expect(hookSettings.files({ env: { COPILOT_HOME: '/c' }, home: '/' }, '/p')[0]?.path).toBe('/c/hooks/troupe.json');
});

it('stands in front of calls, and knows itself again', () => {
  const text = hookSettings.install('', '1.0.102', { observe, guard });
  expect(JSON.parse(text)).toEqual({
    version: 1,
    hooks: { preToolUse: [{ type: 'command', bash: guard, timeoutSec: 3_660 }] },
  });
  expect(hookSettings.inspect(text)).toEqual({
    ours: [expect.objectContaining({ event: 'preToolUse', role: 'guard', seconds: 3_660, command: guard })],
    othersBeforeCalls: [],
  });
  expect(hookSettings.inspect(text).ours[0]).not.toHaveProperty('changed');
  expect(hookSettings.inspect(hookSettings.install('', undefined, { observe })).ours).toMatchObject([
    { role: 'observe', seconds: 5 },
  ]);
  expect(hookSettings.inspect(text.replace('3660', '10')).ours[0]).toMatchObject({
    seconds: 10,
    changed: expect.any(String),
  });
  expect(hookSettings.uninstall(text)).toBe('');
});

it('leaves a file of others alone', () => {
  const text = '{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"mine"}]}}';
  expect(hookSettings.problemIn(text)).toContain('did not write');
  expect(hookSettings.inspect(text).ours).toEqual([]);
  expect(hookSettings.uninstall(text)).toBe(text);
});

it('is for versions that run hooks inside sub-agents', () => {
  expect(hookSettings.eventsFor('1.0.24')).toEqual([]);
  expect(hookSettings.eventsFor('1.0.50')).toEqual(['preToolUse']);
});
