import { buildCommand } from '@stricli/core';
import type { FaceContext } from './face.ts';
import { sharedFlags, toWord } from './flags.ts';

const shadowFlags = {
  host: { ...sharedFlags.host, brief: 'Whose stream it is; left out, the first lines tell' },
  root: sharedFlags.root,
  disk: {
    kind: 'boolean',
    default: true,
    brief: 'Also look at the files of the session, for what the stream does not carry',
  },
  tree: { kind: 'boolean', default: false, brief: 'Draw the live tree on stderr' },
  events: {
    kind: 'parsed',
    parse: toWord,
    optional: true,
    placeholder: 'FILE|N',
    brief: 'Write the events to this file, or to the descriptor of this number',
  },
} as const;

/** What to type for each host whose stream is read. */
function examplesOf(hosts: FaceContext['hosts'], example: (printing: string) => string): readonly string[] {
  return hosts.flatMap(({ printing }) => (printing === undefined ? [] : [`  ${example(printing)}`]));
}

export const streamCommandFor = (hosts: FaceContext['hosts']) =>
  buildCommand({
    loader: async () => (await import('./stream.ts')).stream,
    parameters: {
      flags: {
        tee: {
          kind: 'boolean',
          default: false,
          brief: 'Pass the input through to stdout, byte for byte; events then go to stderr, or where --events says',
        },
        ...shadowFlags,
      },
    },
    docs: {
      brief: 'Turn what a coding agent prints into events about its sub-agents',
      fullDescription: [
        'Reads the stream of a coding agent on stdin and writes one JSON event a line, as it happens: session_started,',
        'subagent_spawned when an agent begins, subagent_identified, subagent_resumed, subagent_progress, one of',
        'subagent_completed, subagent_failed, subagent_stopped and subagent_lost for each run, result, stream_ended.',
        'Kept streams work as well. docs/STREAM.md has the names, and what each host tells.',
        '',
        'Examples:',
        ...examplesOf(hosts, (printing) => `${printing} | troupe stream`),
        '  … | troupe stream --tee --events events.jsonl | my-program',
        '  … | troupe stream --tree > events.jsonl',
        '  troupe stream --no-disk < kept-stream.jsonl',
      ].join('\n'),
    },
  });

export const runCommandFor = (hosts: FaceContext['hosts']) =>
  buildCommand({
    loader: async () => (await import('./stream.ts')).run,
    parameters: {
      flags: {
        ...shadowFlags,
        intercept: {
          kind: 'boolean',
          default: false,
          brief: `Have the policy judge each call before it runs, without hooks (${steered(hosts)})`,
        },
        inject: {
          kind: 'parsed',
          parse: toWord,
          optional: true,
          placeholder: 'FILE',
          brief: 'Give calls the results that this file says, in place of running them; with --intercept',
        },
      },
      positional: {
        kind: 'array',
        parameter: { parse: String, placeholder: 'COMMAND', brief: 'The program and its arguments, best behind --' },
        minimum: 1,
      },
    },
    docs: {
      brief: 'Run a coding agent and shadow its sub-agents',
      fullDescription: [
        'Starts the program with the same input, output and environment, passes on signals, and ends as it ends. What it prints',
        'comes out byte for byte; troupe reads along where it is a stream, follows the files of its session where it is not, and',
        'leaves a record of the events. The running server shows what the stream knows first.',
        '',
        'Examples:',
        ...examplesOf(hosts, (printing) => `troupe run -- ${printing} > out.jsonl`),
        '  troupe run --tree --events events.jsonl -- COMMAND > out.jsonl',
        '  troupe run --intercept --inject results.yaml -- COMMAND',
      ].join('\n'),
    },
  });

function steered(hosts: FaceContext['hosts']): string {
  return hosts.flatMap(({ title, isSteered }) => (isSteered ? [title] : [])).join(', ');
}

const WITH_VALUE = new Set(['--root', '--host', '--events', '--inject']);

/** Behind `run`, everything from the first word on that is no flag of ours is the program's, its own flags included. */
export function withCommandApart(args: readonly string[]): readonly string[] {
  if (args[0] !== 'run') return args;
  let at = 1;
  while (at < args.length && args[at]?.startsWith('-') && args[at] !== '--')
    at += WITH_VALUE.has(args[at] ?? '') ? 2 : 1;
  if (at >= args.length || args[at] === '--') return args;
  return [...args.slice(0, at), '--', ...args.slice(at)];
}
