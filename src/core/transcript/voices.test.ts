import { expect, it } from 'vitest';
import type { TranscriptBlock, TranscriptMessage } from '../index.ts';
import { voiceOf } from './messages.ts';

const told = (role: TranscriptMessage['role'], ...content: readonly TranscriptBlock[]): TranscriptMessage => ({
  id: 'm',
  role,
  timestamp: null,
  model: null,
  content,
});
const letter: TranscriptBlock = { type: 'notice', kind: 'message', title: 'bob: Done', text: '', agent_id: null };
const command: TranscriptBlock = { type: 'notice', kind: 'command', title: '/review', text: '', agent_id: null };
const words: TranscriptBlock = { type: 'text', text: 'Please' };

it('attributes to the person only what the person wrote', () => {
  expect(voiceOf(told('user', words), false)).toBe('person');
  expect(voiceOf(told('user', words), true)).toBe('parent');
  expect(voiceOf(told('user', command), false)).toBe('person');
  expect(voiceOf(told('user', letter), false)).toBe('host');
  expect(voiceOf(told('user', letter), true)).toBe('parent');
  expect(voiceOf(told('system', words), false)).toBe('host');
  expect(voiceOf(told('assistant', words), true)).toBe('agent');
});
