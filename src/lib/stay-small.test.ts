import v8 from 'node:v8';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const flags = new Map<string, string>();

beforeEach(() => {
  vi.resetModules();
  flags.clear();
  vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => {
    const [name = '', value = ''] = flag.split('=');
    flags.set(name, value);
  });
});
afterEach(() => void vi.restoreAllMocks());

/** The default command is a server that first looks whether there are any sessions; an export of many lists them. */
it.each(['staySmall', 'stayWithinReason'] as const)('%s: to list sessions afterwards changes nothing', async (name) => {
  const told = await import('./stay-small.ts');
  told[name]();
  const before = new Map(flags);
  told.beBrief();
  expect(before.size).toBeGreaterThan(0);
  expect(flags).toEqual(before);
});
