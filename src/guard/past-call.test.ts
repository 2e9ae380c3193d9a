import { expect, it } from 'vitest';
import type { AuditEntry } from '../core/index.ts';
import { pastCall } from './described-call.ts';
import { JUDGED_FIELDS } from './uses-of.ts';

const ENTRY: AuditEntry = {
  ...{ v: 1, n: 1, id: 'x', at: '2026-11-15T12:00:00.000Z', host: 'claude-code', event: 'PreToolUse', session: 's' },
  agent: {
    ...{ who: 'main', id: null, type: null, name: null, kind: 'main', depth: 0, path: ['main'] },
    ...{ evidence: 'exact', reason: null },
  },
  ...{ tool: 'Skill', call: 't1', summary: null, input: null, cwd: '/x', decision: 'none', rule: null, reason: null },
  ...{ ms: null, prev: '', hash: '' },
};

it.each([...JUDGED_FIELDS])('a call of which %s was masked is not judged again', (field) => {
  const past = (value: string) => pastCall({ ...ENTRY, input: { [field]: value } }, '/h', undefined);
  expect(past('[masked]').isRedacted).toBe(true);
  expect(past('review').isRedacted).toBe(false);
});

it('the skill of a rule like Skill(name) is among them', () => {
  expect(JUDGED_FIELDS).toContain('skill');
});
