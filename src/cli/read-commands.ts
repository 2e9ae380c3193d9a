import { buildCommand } from '@stricli/core';
import { sessionArgument, sharedFlags, toCount, toIndex } from './flags.ts';

export const lsCommand = buildCommand({
  loader: async () => (await import('./ls.ts')).ls,
  parameters: {
    flags: {
      ...sharedFlags,
      limit: {
        kind: 'parsed',
        parse: toCount,
        default: '20',
        placeholder: 'N',
        brief: 'How many sessions to read, newest first',
      },
    },
    aliases: { n: 'limit' },
  },
  docs: {
    brief: 'List sessions, newest first',
    fullDescription: [
      'Lists the newest sessions of this machine: status, project, title, agents (at work/all), output tokens, age.',
      'Only the sessions listed are read.',
      '',
      'Examples:',
      '  troupe ls',
      '  troupe ls -n 100 --json',
      '  troupe ls --root ~/backup/of-my-sessions',
    ].join('\n'),
  },
});

export const treeCommand = buildCommand({
  loader: async () => (await import('./tree.ts')).tree,
  parameters: {
    flags: {
      ...sharedFlags,
      internal: { kind: 'boolean', default: false, brief: 'Also show agents that the host started for itself' },
      explain: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'AGENT',
        brief: 'Say for one agent how each fact is known, with its place',
      },
      orDemo: {
        kind: 'boolean',
        default: false,
        brief: 'Where there is no session, show the recording that ships with troupe',
      },
    },
    positional: sessionArgument,
  },
  docs: {
    brief: "Show a session's agents: who asked whom, how each is doing, how it is known",
    fullDescription: [
      'Draws the tree of agents of one session, main first, with status, model, current tool, calls, tokens and time.',
      'A link that is not certain says so: ~ strong evidence, ? a guess or none.',
      '',
      'Examples:',
      '  troupe tree',
      '  troupe tree fa129e54',
      '  troupe tree fa129e54 --json | jq .agents[].status',
      '  troupe tree fa129e54 --explain a2ca437a',
    ].join('\n'),
  },
});

export const showCommand = buildCommand({
  loader: async () => (await import('./show.ts')).show,
  parameters: {
    flags: {
      ...sharedFlags,
      from: {
        kind: 'parsed',
        parse: toIndex,
        default: '0',
        placeholder: 'N',
        brief: 'Begin behind the first N messages',
      },
      limit: { kind: 'parsed', parse: toCount, optional: true, placeholder: 'N', brief: 'Show at most N messages' },
      full: { kind: 'boolean', default: false, brief: 'Fold nothing' },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          parse: String,
          placeholder: 'AGENT',
          brief: "The first characters of an agent's or a session's id, or a name in the newest session",
        },
      ],
    },
  },
  docs: {
    brief: 'Read the transcript of one agent',
    fullDescription: [
      'Shows what an agent was told, said and did. Results of tools stand behind their calls; long things are folded with',
      'their size; under a call that made a sub-agent stands the way into its transcript.',
      '',
      'Examples:',
      '  troupe show ae4b3f4',
      '  troupe show builder --full',
      '  troupe show fa129e54 --from 20 --limit 10 --json',
    ].join('\n'),
  },
});

export const identifyCommand = buildCommand({
  loader: async () => (await import('./identify.ts')).identify,
  parameters: {
    flags: {
      json: sharedFlags.json,
      host: sharedFlags.host,
      transcript: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'FILE',
        brief: "The session's transcript, as a hook names it (transcript_path)",
      },
      toolUseId: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'ID',
        brief: 'The call in question (tool_use_id): makes the answer exact',
      },
    },
  },
  docs: {
    brief: 'Say which agent is behind a tool call',
    fullDescription: [
      'Tells whether the main agent or a sub-agent is running, from the transcript that a hook names.',
      'With the id of the call the answer is exact; without it, the open calls of the current turn decide, and where',
      'several agents may be meant the answer is "unknown" with all candidates.',
      '',
      'Examples:',
      '  troupe identify --transcript FILE --json',
      '  troupe identify --transcript FILE --tool-use-id toolu_01abc --json',
    ].join('\n'),
  },
});
