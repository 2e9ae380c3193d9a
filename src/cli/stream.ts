import { buildCommand } from '@stricli/core';
import type { RunRequest, ShadowRequest } from '../control/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { KnownHost } from '../sessions/index.ts';
import type { CliContext } from './context.ts';
import { helpText, optional, type SharedFlags, sharedFlags, toggle, toWord, whereOf } from './flags.ts';

const shadowFlags = {
  host: { ...sharedFlags.host, brief: 'Whose stream it is; left out, the first lines tell' },
  root: sharedFlags.root,
  disk: {
    kind: 'boolean',
    default: true,
    brief: 'Also look at the files of the session, for what the stream does not carry',
  },
  tree: toggle('Draw the live tree on stderr'),
  events: optional(toWord, 'FILE|N', 'Write the events to this file, or to the descriptor of this number'),
} as const;

function examplesOf(hosts: readonly KnownHost[], example: (printing: string) => string): readonly string[] {
  return hosts.flatMap(({ printing }) => (printing === undefined ? [] : [example(printing)]));
}

export const streamCommandFor = (hosts: readonly KnownHost[]) =>
  buildCommand({
    func: stream,
    parameters: {
      flags: {
        tee: toggle(
          'Pass the input through to stdout, byte for byte; events then go to stderr, or where --events says',
        ),
        ...shadowFlags,
      },
    },
    docs: helpText(
      'Turn what a coding agent prints into events about its sub-agents',
      [
        ...examplesOf(hosts, (printing) => `${printing} | troupe stream`),
        '… | troupe stream --tee --events events.jsonl | my-program',
        '… | troupe stream --tree > events.jsonl',
        'troupe stream --no-disk < kept-stream.jsonl',
      ],
      'Reads the stream of a coding agent on stdin and writes one JSON event a line, as it happens: session_started,',
      'subagent_spawned when an agent begins, subagent_identified, subagent_resumed, subagent_progress, one of',
      'subagent_completed, subagent_failed, subagent_stopped and subagent_lost for each run, result, stream_ended.',
      'Kept streams work as well. docs/STREAM.md has the names, and what each host tells.',
    ),
  });

export const runCommandFor = (hosts: readonly KnownHost[]) =>
  buildCommand({
    func: run,
    parameters: {
      flags: {
        ...shadowFlags,
        intercept: toggle(`Have the policy judge each call before it runs, without hooks (${steered(hosts)})`),
        inject: optional(
          toWord,
          'FILE',
          'Give calls the results that this file says, in place of running them; with --intercept',
        ),
      },
      positional: {
        kind: 'array',
        parameter: { parse: String, placeholder: 'COMMAND', brief: 'The program and its arguments, best behind --' },
        minimum: 1,
      },
    },
    docs: helpText(
      'Run a coding agent and shadow its sub-agents',
      [
        ...examplesOf(hosts, (printing) => `troupe run -- ${printing} > out.jsonl`),
        'troupe run --tree --events events.jsonl -- COMMAND > out.jsonl',
        'troupe run --intercept --inject results.yaml -- COMMAND',
      ],
      'Starts the program with the same input, output and environment, passes on signals, and ends as it ends. What it prints',
      'comes out byte for byte; troupe reads along where it is a stream, follows the files of its session where it is not, and',
      'leaves a record of the events. The running server shows what the stream knows first.',
    ),
  });

function steered(hosts: readonly KnownHost[]): string {
  return hosts.flatMap(({ title, isSteered }) => (isSteered ? [title] : [])).join(', ');
}

const WITH_VALUE = new Set(['--root', '--host', '--events', '--inject']);

/** After `run`, the first word that is not one of our flags begins the command line of the program. */
export function withCommandApart(args: readonly string[]): readonly string[] {
  if (args[0] !== 'run') return args;
  let at = 1;
  while (at < args.length && args[at]?.startsWith('-') && args[at] !== '--')
    at += WITH_VALUE.has(args[at] ?? '') ? 2 : 1;
  if (at >= args.length || args[at] === '--') return args;
  return [...args.slice(0, at), '--', ...args.slice(at)];
}

type ShadowFlags = Omit<SharedFlags, 'json'> & Omit<ShadowRequest, 'where'>;

async function stream(this: CliContext<'streams'>, flags: ShadowFlags & { readonly tee: boolean }): Promise<void> {
  const { host, lines, malformedLines } = await this.streams.record({ ...requestOf(flags), tee: flags.tee });
  const { note } = this.terminal;
  if (host === undefined) {
    note(`troupe: nothing in ${lines} lines told whose stream it is. Name the host with --host.`);
    return this.endWith(1);
  }
  if (malformedLines > 0) note(`troupe: ${malformedLines} of ${lines} lines were not understood.`);
}

/** Exits with the program's code. */
async function run(
  this: CliContext<'programs'>,
  flags: ShadowFlags & Pick<RunRequest, 'intercept' | 'inject'>,
  ...command: readonly string[]
): Promise<void> {
  const [program, ...args] = command;
  if (program === undefined) return;
  const { intercept, inject } = flags;
  if (inject !== undefined && !intercept)
    throw new UserError(
      'inject-alone',
      '--inject needs --intercept.',
      'Add --intercept: only then troupe stands between.',
    );
  const how = { ...requestOf(flags), intercept, ...known({ inject }) };
  const outcome = await this.programs.run({ ...how, command: [program, ...args] });
  if (outcome.kind === 'exited') this.endWith(outcome.code);
}

function requestOf({ disk, tree, events, ...flags }: ShadowFlags): ShadowRequest {
  return { where: whereOf(flags), disk, tree, ...known({ events }) };
}
