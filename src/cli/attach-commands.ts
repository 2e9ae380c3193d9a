import { buildCommand } from '@stricli/core';
import { sharedFlags, toCount, toWord } from './flags.ts';

const agentArgument = {
  parse: String,
  placeholder: 'AGENT',
  brief: "The first characters of an agent's or a session's id, or a name in the newest session",
} as const;

export const attachCommand = buildCommand({
  loader: async () => (await import('./attach.ts')).attach,
  parameters: {
    flags: {
      json: sharedFlags.json,
      root: sharedFlags.root,
      message: {
        kind: 'parsed',
        parse: toWord,
        optional: true,
        placeholder: 'TEXT',
        brief: 'What to say to it; without it, the program is opened for you',
      },
      host: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'HOST',
        brief: "The host that is to go on; default: the agent's own",
      },
      fork: { kind: 'boolean', default: false, brief: 'Leave the conversation as it is, and go on in a copy' },
      dryRun: {
        kind: 'boolean',
        default: false,
        brief: 'Only say what would happen: the way, the command, every word that is handed over',
      },
      print: { kind: 'boolean', default: false, brief: 'Only write what would be handed over' },
      budget: {
        kind: 'parsed',
        parse: toCount,
        default: '8000',
        placeholder: 'TOKENS',
        brief: 'How much of the agent a new session is told, about (at most 30000)',
      },
    },
    positional: { kind: 'tuple', parameters: [agentArgument] },
    aliases: { m: 'message' },
  },
  docs: {
    brief: 'Go on from any agent of any tree',
    fullDescription: [
      'Takes the best true way that the host offers, and says which: an agent at work is followed; one that has ended goes on itself',
      'where its host can do that; else a new session, of the same host or of another, is told what it was asked, did and found,',
      'without secrets. The new session stands below the agent in the tree. docs/ATTACH.md has the ways of each host.',
      '',
      'Examples:',
      '  troupe attach ae4b3f4 --message "Which of the two files did you mean?"',
      '  troupe attach ae4b3f4 --host HOST --dry-run',
      '  troupe attach ae4b3f4 --print | less',
    ].join('\n'),
  },
});

export const sendCommand = buildCommand({
  loader: async () => (await import('./attach.ts')).send,
  parameters: {
    flags: { json: sharedFlags.json, root: sharedFlags.root },
    positional: {
      kind: 'tuple',
      parameters: [agentArgument, { parse: toWord, placeholder: 'MESSAGE', brief: 'What to say to it' }],
    },
  },
  docs: {
    brief: 'Tell an agent something while its session runs',
    fullDescription: [
      'Hands a message to an agent of a run of `troupe run --intercept`, or where its host takes one from outside (docs/ATTACH.md says',
      'which). Otherwise says why not, and ends with code 1.',
      '',
      'Examples:',
      '  troupe send ae4b3f4 "Leave the tests as they are."',
      '  troupe send ses_49c7c5e7 "Leave the tests as they are."',
    ].join('\n'),
  },
});
