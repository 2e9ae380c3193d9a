// The actions are loaded when one is called: a hook that runs `troupe identify` waits for it to start.

import { buildCommand } from '@stricli/core';
import type { RunRequest, ShadowRequest } from '../control/index.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  SESSION_GROUPS,
  SESSION_SORTS,
  SPEND_DIMENSIONS,
  type SpendDimension,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { KnownHost } from '../sessions/index.ts';
import { toLimits } from './budget.ts';
import type { CliContext } from './context.ts';
import {
  agentArgument,
  helpText,
  optional,
  type SharedFlags,
  sessionArgument,
  sharedFlags,
  toCount,
  toggle,
  toIndex,
  toWhen,
  toWord,
  whereOf,
  withDefault,
} from './flags.ts';

export const lsCommand = buildCommand({
  loader: async () => (await import('./sessions.ts')).ls,
  parameters: {
    flags: {
      ...sharedFlags,
      limit: withDefault(toCount, '20', 'N', 'How many sessions to list'),
      all: toggle('List every session'),
      empty: toggle('Also list sessions without a conversation'),
      sort: {
        kind: 'enum',
        values: SESSION_SORTS,
        default: 'time',
        brief: 'Last active first, or largest cost, agents, duration or output tokens first',
      },
      group: { kind: 'enum', values: SESSION_GROUPS, default: 'none', brief: 'By day or by project' },
    },
    aliases: { n: 'limit' },
    positional: {
      kind: 'array',
      parameter: { parse: String, placeholder: 'FILTER', brief: 'Words and filters, as for troupe search' },
    },
  },
  docs: helpText(
    'List sessions, newest first',
    [
      'troupe ls',
      'troupe ls --all --group project',
      'troupe ls after:7d model:opus',
      'troupe ls login project:my-app --sort cost',
      'troupe ls status:failed type:Explore --json',
      'troupe ls -n 100 --json',
      'troupe ls --root ~/backup/of-my-sessions',
    ],
    'Lists the newest sessions of this machine: status, project, title, agents (at work/all), output tokens, age.',
    'With filters, an order or groups, all sessions are read; without, only those listed. Words are found by their beginning in',
    'titles, folders, branches, ids, and names, types and models of agents. Filters: host, project, agent, type, model, status,',
    'before, after; several of one kind widen, of different kinds narrow, with - in front they exclude (put -- before those).',
    'Sessions in which nobody asked anything are counted, not listed. Ends with 1 if no session matches.',
  ),
});

export const treeCommand = buildCommand({
  loader: async () => (await import('./sessions.ts')).tree,
  parameters: {
    flags: {
      ...sharedFlags,
      internal: toggle('Also show agents that the host started for itself'),
      explain: optional(String, 'AGENT', 'Say for one agent how each fact is known, with its place'),
      orDemo: toggle('Where there is no session, show the recording that ships with troupe'),
    },
    positional: sessionArgument,
  },
  docs: helpText(
    "Show a session's agents: who asked whom, how each is doing, how it is known",
    [
      'troupe tree',
      'troupe tree fa129e54',
      'troupe tree fa129e54 --json | jq .agents[].status',
      'troupe tree fa129e54 --explain a2ca437a',
    ],
    'Draws the tree of agents of one session, main first, with status, model, current tool, calls, tokens and time.',
    'A link that is not certain says so: ~ strong evidence, ? a guess or none.',
  ),
});

export const showCommand = buildCommand({
  loader: async () => (await import('./sessions.ts')).show,
  parameters: {
    flags: {
      ...sharedFlags,
      from: withDefault(toIndex, '0', 'N', 'Begin behind the first N messages'),
      limit: optional(toCount, 'N', 'Show at most N messages'),
      full: toggle('Fold nothing'),
    },
    positional: {
      kind: 'tuple',
      parameters: [agentArgument],
    },
  },
  docs: helpText(
    'Read the transcript of one agent',
    ['troupe show ae4b3f4', 'troupe show builder --full', 'troupe show fa129e54 --from 20 --limit 10 --json'],
    'Shows what an agent was told, said and did. Results of tools stand behind their calls; long things are folded with',
    'their size; under a call that made a sub-agent stands the way into its transcript.',
  ),
});

export const searchCommand = buildCommand({
  loader: async () => (await import('./search.ts')).search,
  parameters: {
    flags: {
      ...sharedFlags,
      limit: withDefault(toCount, '10', 'N', 'How many sessions to show, last active first'),
      hits: withDefault(toCount, '3', 'N', 'How many messages of each to show, the best ones'),
      wait: toggle('First read everything that is not indexed yet'),
    },
    aliases: { n: 'limit' },
    positional: {
      kind: 'array',
      parameter: { parse: String, placeholder: 'WORDS', brief: 'Words, phrases and filters' },
      minimum: 1,
    },
  },
  docs: helpText(
    'Find messages of all sessions and agents by their words',
    [
      'troupe search authentication',
      'troupe search \'"rate limit" retr* -draft\'',
      'troupe search deploy project:my-app after:7d',
      'troupe search file:src/main.ts tool:Edit',
      'troupe search timeout type:Explore status:failed --json',
      "troupe search --wait -n 50 'panic before:2026-11-01'",
    ],
    'Looks through prompts, answers, thinking, commands, file names and outputs of tools (long ones: their beginning and end),',
    'sub-agents included. Every word must be in the message: "in quotes" as a phrase, with * at its end as a beginning, with -',
    'in front not at all. Filters: host, project, agent, type, tool, file, model, status, before, after; several of one kind',
    'widen, of different kinds narrow, with - in front they exclude. Ends with 1 if nothing was found.',
    'The words are in an index, which is made after you agreed once; troupe index status shows its size.',
  ),
});

export const costCommand = buildCommand({
  loader: async () => (await import('./cost.ts')).cost,
  parameters: {
    flags: {
      ...sharedFlags,
      by: withDefault(toDimension, 'day', 'WHAT', `One row for each: ${SPEND_DIMENSIONS.join(', ')}`),
      split: optional(toSplit, 'WHAT', 'Divide each row by model, type or host (JSON only)'),
      since: withDefault(toWhen, '30d', 'TIME', 'Only what was used since: 2h, 7d, today, 2026-11-15'),
      until: optional(toWhen, 'TIME', 'Only what was used until then; a day counts whole'),
      all: toggle('From the beginning'),
      limit: withDefault(toCount, '30', 'N', 'At most so many rows, largest first; days are shown whole'),
      csv: toggle('Write all rows as CSV'),
      prices: toggle('Show the price of each model, with its source and date'),
    },
    aliases: { n: 'limit' },
    positional: {
      kind: 'array',
      parameter: {
        parse: String,
        placeholder: 'FILTER',
        brief: 'Words and filters as in troupe search',
      },
    },
  },
  docs: helpText(
    'Show what sessions and their sub-agents cost',
    [
      'troupe cost',
      'troupe cost --by agent --since today',
      'troupe cost --by type project:my-app --all',
      'troupe cost --by model --since 2026-11-01 --until 2026-11-15 --csv > november.csv',
      'troupe cost --prices',
    ],
    'Counts tokens from the transcripts, each message once, in the day on which it was sent; sub-agents are included, and their',
    'share is shown. Money is by the list prices of the models, or yours in config.json; models without a price are named.',
    'A number with ≥ is a lower bound. docs/explanation/cost.md has the rules.',
  ),
});

function toDimension(text: string): SpendDimension {
  return oneOf(text, SPEND_DIMENSIONS);
}

function toSplit(text: string): 'model' | 'type' | 'host' {
  return oneOf(text, ['model', 'type', 'host']);
}

function oneOf<T extends string>(text: string, all: readonly T[]): T {
  const found = all.find((one) => one === text.trim().toLowerCase());
  if (!found) throw new SyntaxError(`"${text}" is not one of ${all.join(', ')}`);
  return found;
}

export const statuslineCommand = buildCommand({
  loader: async () => (await import('./cost.ts')).statusline,
  parameters: { flags: sharedFlags, positional: sessionArgument },
  docs: helpText(
    'Print one line about a session: its cost, its sub-agents, approvals that wait',
    ['troupe statusline', 'troupe statusline fa129e54', 'echo \'{"session_id":"…"}\' | troupe statusline'],
    'The session is the one named, else the one in the JSON on standard input, else the newest. Hosts run a faster script that',
    'asks the server: troupe hooks install --statusline.',
  ),
});

export const identifyCommand = buildCommand({
  loader: async () => (await import('./sessions.ts')).identify,
  parameters: {
    flags: {
      json: sharedFlags.json,
      host: sharedFlags.host,
      transcript: optional(String, 'FILE', "The session's transcript, as a hook names it (transcript_path)"),
      toolUseId: optional(String, 'ID', 'The call in question (tool_use_id): makes the answer exact'),
    },
  },
  docs: helpText(
    'Say which agent is behind a tool call',
    ['troupe identify --transcript FILE --json', 'troupe identify --transcript FILE --tool-use-id toolu_01abc --json'],
    'Tells whether the main agent or a sub-agent is running, from the transcript that a hook names.',
    'With the id of the call the answer is exact; without it, the open calls of the current turn decide, and where',
    'several agents may be meant the answer is "unknown" with all candidates.',
  ),
});

export const exportCommand = buildCommand({
  loader: async () => (await import('./export.ts')).exportSessions,
  parameters: {
    flags: {
      ...sharedFlags,
      json: { ...sharedFlags.json, brief: 'Say as JSON what was written (docs/JSON.md has the names)' },
      outDir: optional(toWord, 'DIR', 'Where the pages go; without it, one format goes to standard output'),
      format: {
        kind: 'parsed',
        parse: toFormat,
        variadic: ',',
        optional: true,
        placeholder: 'html,md,json',
        brief: 'One or several; default: html',
      },
      singleFile: toggle('One page that holds everything: tree, race, replay and all transcripts'),
      allSessions: toggle('Every session, with an index over them'),
      project: optional(toWord, 'DIR', 'Every session of this project: its folder, or a part of its path'),
      since: optional(toWhen, 'TIME', 'Every session with something newer: 2h, 3d, today, 2026-11-15'),
      compact: toggle('Shorten thinking, large results and repetitions; every cut is marked'),
      pageSize: optional(toCount, 'N', 'At most N messages on a page; longer transcripts are split'),
      redact: optional(
        toRedaction,
        'pii',
        'Also e-mail addresses, phone and card numbers, IP addresses; secrets are redacted in any case',
      ),
      noRedact: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Look for nothing: passwords and keys of the session will stand in what is written',
      },
      images: toggle('Also images: nobody can look inside them for secrets'),
      review: toggle('First list everything that was found, and ask'),
      yes: toggle('Write without asking, also after --review'),
      force: toggle('Also into a folder that is not empty and not an export; what is not ours stays'),
    },
    aliases: { o: 'outDir', f: 'format', y: 'yes' },
    positional: sessionArgument,
  },
  docs: helpText(
    'Write a session as linked pages to share: HTML, Markdown or JSON, without its secrets',
    [
      'troupe export --out-dir ./share',
      'troupe export fa129e54 --out-dir ./share --format html,md,json --compact',
      'troupe export fa129e54 --single-file > race.html',
      'troupe export fa129e54 --format md | less',
      'troupe export --all-sessions --since 7d --out-dir ~/sessions --review',
    ],
    'Writes one page for the session (index.html) and one for each sub-agent at any depth, linked with each other. They need no',
    'script, load nothing from anywhere and can be read from a folder, a disk or any web server. Passwords, keys, your name and',
    'the path of your home are replaced in all of them (docs/REDACTION.md); redactions.json beside them says what and where.',
    'The folder is replaced as a whole, or not at all; files in it that are not ours stay. Of many sessions, each is in its place as',
    'soon as it is written; if you stop the command, the same command writes the others.',
  ),
});

function toFormat(text: string): ExportFormat {
  const format = EXPORT_FORMATS.find((one) => one === text.trim().toLowerCase());
  if (!format) throw new SyntaxError(`«${text}» is not one of ${EXPORT_FORMATS.join(', ')}`);
  return format;
}

function toRedaction(text: string): 'pii' | 'secrets' {
  if (text === 'pii' || text === 'secrets') return text;
  throw new SyntaxError(`«${text}» is not pii (secrets are redacted in any case)`);
}

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
        budget: optional(
          toBudget,
          'LIMITS',
          'End the run with code 75 when this is used up: usd=5,tokens=2M,minutes=30',
        ),
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
        'troupe run --budget usd=5,tokens=2M -- COMMAND',
      ],
      'Starts the program with the same input, output and environment, passes on signals, and ends as it ends. What it prints',
      'comes out byte for byte; troupe reads along where it is a stream, follows the files of its session where it is not, and',
      'leaves a record of the events. The running server shows what the stream knows first.',
    ),
  });

function steered(hosts: readonly KnownHost[]): string {
  return hosts.flatMap(({ title, isSteered }) => (isSteered ? [title] : [])).join(', ');
}

const WITH_VALUE = new Set(['--root', '--host', '--events', '--inject', '--budget']);

/** After `run`, the first word that is not one of our flags begins the command line of the program. */
export function withCommandApart(args: readonly string[]): readonly string[] {
  if (args[0] !== 'run') return args;
  let at = 1;
  while (at < args.length && args[at]?.startsWith('-') && args[at] !== '--')
    at += WITH_VALUE.has(args[at] ?? '') ? 2 : 1;
  if (at >= args.length || args[at] === '--') return args;
  return [...args.slice(0, at), '--', ...args.slice(at)];
}

export const mcpCommand = buildCommand({
  async func(this: CliContext<'mcp'>): Promise<void> {
    if (process.stdin.isTTY)
      this.terminal.note(
        'This is a server for coding agents, which start it themselves: see troupe mcp --help. Ctrl-C ends it.',
      );
    await this.mcp.serve();
  },
  parameters: {},
  docs: helpText(
    'Let agents ask about other agents (an MCP server on standard input and output)',
    ['troupe mcp', 'echo \'{"mcpServers":{"troupe":{"command":"troupe","args":["mcp"]}}}\' > .mcp.json'],
    'Coding agents start it. Its tools list and search sessions and agents, read transcripts, and say who is running, who changed a',
    'file, what it cost, what budget is left, and what the policy decided. An agent sees its own project only, without secrets; who is',
    'not known sees nothing. In your policy, mcp widens that, or lets agents stop and message agents below them (docs/guides/mcp.md).',
  ),
});

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
  flags: ShadowFlags & Pick<RunRequest, 'intercept' | 'inject' | 'budget'>,
  ...command: readonly string[]
): Promise<void> {
  const [program, ...args] = command;
  if (program === undefined) return;
  const { intercept, inject, budget } = flags;
  if (inject !== undefined && !intercept)
    throw new UserError(
      'inject-alone',
      '--inject needs --intercept.',
      'Add --intercept: only then troupe stands between.',
    );
  const how = { ...requestOf(flags), intercept, ...known({ inject, budget }) };
  const outcome = await this.programs.run({ ...how, command: [program, ...args] });
  if (outcome.kind === 'exited') this.endWith(outcome.code);
  if (outcome.kind !== 'over-budget') return;
  this.terminal.note(`troupe: ended the run, for its budget is used up: ${outcome.spent}`);
  this.endWith(OVER_BUDGET);
}

/** As `EX_TEMPFAIL` of sysexits.h: with a larger budget it may succeed. */
const OVER_BUDGET = 75;

function toBudget(text: string): NonNullable<RunRequest['budget']> {
  const { agents_at_once: atOnce, depth, ...limits } = toLimits(text);
  if (atOnce !== undefined || depth !== undefined)
    throw new SyntaxError('agents_at_once and depth limit single calls: write them into a policy');
  return limits;
}

function requestOf({ disk, tree, events, ...flags }: ShadowFlags): ShadowRequest {
  return { where: whereOf(flags), disk, tree, ...known({ events }) };
}
