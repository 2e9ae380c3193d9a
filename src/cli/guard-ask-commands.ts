import { buildCommand } from '@stricli/core';
import { sharedFlags } from './flags.ts';

export const asksCommand = buildCommand({
  loader: async () => (await import('./guard-asks.ts')).guardAsks,
  parameters: { flags: { json: sharedFlags.json } },
  docs: {
    brief: 'Show the tool calls that wait for your answer',
    fullDescription: [
      'A rule with `decision: ask` and `wait` has the server hold the call until somebody answers: on the page, in troupe watch,',
      'or with troupe guard answer. Each is shown with the agent that makes it, what it is about, and the time that is left.',
      '',
      'Examples:',
      '  troupe guard asks',
      "  troupe guard asks --json | jq -r '.asks[].id'",
    ].join('\n'),
  },
});

export const answerCommand = buildCommand({
  loader: async () => (await import('./guard-asks.ts')).guardAnswer,
  parameters: {
    flags: { json: sharedFlags.json },
    positional: {
      kind: 'tuple',
      parameters: [
        { parse: String, placeholder: 'ID', brief: 'The first characters of its id' },
        { parse: toAnswer, placeholder: 'allow|deny', brief: 'What the call may do, this once' },
      ],
    },
  },
  docs: {
    brief: 'Allow or deny a tool call that waits, this once',
    fullDescription: [
      'Whoever answers first decides. Ends with code 1 where it was decided before; then it says how.',
      '',
      'Examples:',
      '  troupe guard answer 4f0c9a12 allow',
    ].join('\n'),
  },
});

function toAnswer(text: string): 'allow' | 'deny' {
  if (text === 'allow' || text === 'deny') return text;
  throw new SyntaxError('Say allow or deny');
}
