import { buildCommand } from '@stricli/core';
import {
  type AttachReport,
  cleanBlock,
  cleanLine,
  createPaint,
  formatCount,
  type Paint,
  type Steered,
  shellLine,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { type CliContext, warnOfOldName, writeJson, writeLines } from './context.ts';
import { agentArgument, helpText, optional, type SharedFlags, sharedFlags, toCount, toggle, toWord } from './flags.ts';

export const attachCommand = buildCommand({
  func: attach,
  parameters: {
    flags: {
      json: sharedFlags.json,
      root: sharedFlags.root,
      message: optional(toWord, 'TEXT', 'What to say to it; without it, the program is opened for you'),
      host: optional(String, 'HOST', "The host that is to go on; default: the agent's own"),
      fork: toggle('Leave the conversation as it is, and go on in a copy'),
      dryRun: toggle('Only say what would happen: the way, the command, every word that is handed over'),
      print: toggle('Only write what would be handed over'),
      handoverTokens: optional(
        toCount,
        'N',
        'Size limit of the summary that a new session starts with, in tokens; default: 8000, at most 30000',
      ),
      budget: { ...optional(toCount, 'N', 'Old name of --handover-tokens'), hidden: true },
    },
    positional: { kind: 'tuple', parameters: [agentArgument] },
    aliases: { m: 'message' },
  },
  docs: helpText(
    'Go on from any agent of any tree',
    [
      'troupe attach ae4b3f4 --message "Which of the two files did you mean?"',
      'troupe attach ae4b3f4 --host HOST --dry-run',
      'troupe attach ae4b3f4 --print | less',
    ],
    'Takes the best true way that the host offers, and says which: an agent at work is followed; one that has ended goes on itself',
    'where its host can do that; else a new session, of the same host or of another, is told what it was asked, did and found,',
    'without secrets. The new session stands below the agent in the tree. docs/ATTACH.md has the ways of each host.',
  ),
});

export const sendCommand = buildCommand({
  func: send,
  parameters: {
    flags: { json: sharedFlags.json, root: sharedFlags.root },
    positional: {
      kind: 'tuple',
      parameters: [agentArgument, { parse: toWord, placeholder: 'MESSAGE', brief: 'What to say to it' }],
    },
  },
  docs: helpText(
    'Tell an agent something while its session runs',
    ['troupe send ae4b3f4 "Leave the tests as they are."', 'troupe send ses_49c7c5e7 "Leave the tests as they are."'],
    'Hands a message to an agent of a run of `troupe run --intercept`, or where its host takes one from outside (docs/ATTACH.md says',
    'which). Otherwise says why not, and ends with code 1.',
  ),
});

interface AttachFlags extends SharedFlags {
  readonly message?: string;
  readonly fork: boolean;
  readonly dryRun: boolean;
  readonly print: boolean;
  readonly handoverTokens?: number;
  readonly budget?: number;
}

export type AgentFlags = Omit<SharedFlags, 'host'>;

/** `--host` names the host that continues; the agent itself may be of any host. */
function whereOf({ root }: AgentFlags) {
  return { roots: root ?? [] };
}

async function attach(this: CliContext<'agents' | 'live'>, flags: AttachFlags, agent: string): Promise<void> {
  const { terminal, agents, live } = this;
  const { message, host, fork } = flags;
  const budget = handoverTokensOf(this, flags) ?? HANDOVER_TOKENS;
  const where = whereOf(flags);
  const plan = await (await agents.open(where)).plan(
    agent,
    { fork, budget, ...known({ message, host }) },
    { mayAsk: true },
  );
  const { report } = plan;
  if (flags.print && !flags.json) return terminal.send(report.text ?? '');
  if (flags.dryRun || flags.print) {
    if (flags.json) return writeJson(this, report);
    return terminal.page(`${formatAttachPlan(report, createPaint(terminal.colours)).join('\n')}\n`);
  }
  // Standard output is for what the program prints.
  if (flags.json) terminal.note(JSON.stringify(report));
  else for (const line of formatAttachHead(report, createPaint(terminal.colours))) terminal.note(line);
  if (report.way === 'follow')
    return live.watch({ where, json: flags.json, plain: false, lines: false, agent: report.agent.id });
  this.endWith(await plan.run((text) => terminal.write(text)));
}

const HANDOVER_TOKENS = 8_000;

function handoverTokensOf(context: CliContext, { handoverTokens, budget }: AttachFlags): number | undefined {
  if (budget === undefined) return handoverTokens;
  if (handoverTokens !== undefined)
    throw new UserError(
      'usage',
      '--budget is the old name of --handover-tokens; only one of them can be used.',
      'Remove --budget.',
    );
  warnOfOldName(context, 'troupe attach --budget', 'troupe attach --handover-tokens');
  return budget;
}

async function send(this: CliContext<'agents'>, flags: AgentFlags, agent: string, message: string): Promise<void> {
  tell(this, flags, 'It was not told: ', await (await this.agents.open(whereOf(flags))).send(agent, message));
}

export async function stopAgent(this: CliContext<'agents'>, flags: AgentFlags, agent: string): Promise<void> {
  tell(this, flags, 'It was not stopped: ', await (await this.agents.open(whereOf(flags))).stop(agent));
}

function tell(context: CliContext, { json }: AgentFlags, failure: string, outcome: Steered): void {
  const isDone = !('whyNot' in outcome);
  const text = 'whyNot' in outcome ? failure + outcome.whyNot : outcome.words;
  if (json) writeJson(context, { done: isDone, text });
  else writeLines(context, [text]);
  if (!isDone) context.endWith(1);
}

function formatAttachHead(report: AttachReport, paint: Paint): readonly string[] {
  const { agent, words, reasons, limits, begins } = report;
  return [
    `${paint.bold(cleanLine(agent.label))} ${paint.dim(`${agent.id}, ${agent.status}`)}`,
    words,
    ...reasons.map(cleanLine),
    ...limits,
    ...(begins ? ['The new session will stand below the agent in the tree.'] : []),
  ];
}

/** With the command, and every word that is handed over. */
function formatAttachPlan(report: AttachReport, paint: Paint): readonly string[] {
  const { command, text, tokens, leftOut, redacted } = report;
  const about = [
    ...(tokens > 0 ? [`about ${formatCount(tokens)} tokens`] : []),
    ...redacted.map(({ what, count }) => `${count} × ${what} taken out`),
    ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : []),
  ];
  return [
    ...formatAttachHead(report, paint),
    ...(command ? ['', paint.dim('Command'), shellLine(shortened(command, text))] : []),
    ...(text === null ? [] : ['', paint.dim(['What it is told', ...about].join(' · ')), cleanBlock(text).trimEnd()]),
  ];
}

/** The text is printed below the command, where it does not hide the rest. */
function shortened(command: NonNullable<AttachReport['command']>, text: string | null) {
  return text?.includes('\n')
    ? { ...command, args: command.args.map((word) => word.replace(text, '<the text below>')) }
    : command;
}
