// `troupe budget`: what is used of each budget, by whom, and when it resets.

import { json as readJson } from 'node:stream/consumers';
import { buildCommand, buildRouteMap } from '@stricli/core';
import {
  type BudgetHolder,
  type BudgetReport,
  type BudgetUse,
  cleanLine,
  formatCount,
  type Paint,
} from '../core/index.ts';
import type { BudgetLimit, ToldCall } from '../guard/index.ts';
import { type CliContext, textOptionsOf, writeJson, writeLines } from './context.ts';
import { helpText, type SharedFlags, sharedFlags, whereOf } from './flags.ts';
import type { TextOptions } from './format/index.ts';

const showCommand = buildCommand({
  func: budget,
  parameters: { flags: sharedFlags },
  docs: helpText(
    'Show what is used of each budget, by whom, and when it resets',
    ['troupe budget', "troupe budget --json | jq '.budgets[] | {name, used: .holders[0].share}'"],
    'Shows the budgets of the policy that holds in this folder, with the agents, sessions or projects nearest to a limit. Usage is',
    'read from transcripts. A day is that of the local time zone, which is named. docs/guides/budgets.md explains budgets.',
  ),
});

const raiseCommand = buildCommand({
  func: raise,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { parse: String, placeholder: 'NAME', brief: 'The budget' },
        { parse: toLimits, placeholder: 'LIMITS', brief: 'The new limits: usd=10,tokens=2M' },
      ],
    },
  },
  docs: helpText(
    'Raise limits of a budget until midnight',
    ['troupe budget raise today usd=60'],
    'For people: a coding agent, or a command that one started, is refused. Asks for your passphrase for approvals if one is set; with',
    'the preset hands-off-the-guard one has to be. To change a budget for good, edit the policy.',
  ),
});

export const budgetRoutes = buildRouteMap<string, CliContext<'budgets' | 'server'>>({
  routes: { show: showCommand, raise: raiseCommand },
  defaultCommand: 'show',
  docs: { brief: 'Show what is used of each budget, and raise one' },
});

/** `usd=5,tokens=2M`. Throws a `SyntaxError` for anything else. */
export function toLimits(text: string): Readonly<Partial<Record<BudgetLimit, number>>> {
  const limits = text.split(',').map((part) => {
    const [, name, digits, factor = ''] = /^\s*([a-z_]+)=(\d+(?:\.\d+)?)([kM]?)\s*$/.exec(part) ?? [];
    const limit = LIMITS.find((one) => one === name);
    const amount = Number(digits) * ({ k: 1e3, M: 1e6 }[factor] ?? 1);
    if (limit === undefined || !(amount > 0))
      throw new SyntaxError(`"${part}" is not a limit. Write usd=5,tokens=2M with any of ${LIMITS.join(', ')}`);
    return [limit, amount] as const;
  });
  return Object.fromEntries(limits);
}

/** Written out: importing the value would load the whole guard at the start of every command. */
const LIMITS = ['usd', 'tokens', 'turns', 'tool_calls', 'minutes', 'spawns', 'agents_at_once', 'depth'] as const;

async function raise(
  this: CliContext<'budgets' | 'server'>,
  _flags: object,
  name: string,
  limits: ReturnType<typeof toLimits>,
): Promise<void> {
  await this.server.passphrase.assertPerson();
  const { askWords } = this.terminal;
  const until = await this.budgets.raise({
    name,
    limits,
    askPassphrase: async () => askWords?.('Passphrase for approvals:', { isSecret: true }),
  });
  writeLines(this, [`Raised until ${localTime(until)}.`]);
}

/** A hook runs it if a policy has budgets and no server answers. */
export const hookBudgetCommand = buildCommand({
  async func(this: CliContext<'budgets'>): Promise<void> {
    writeJson(this, await this.budgets.judge((await readJson(process.stdin)) as ToldCall));
  },
  parameters: {},
  docs: { brief: 'Say what budgets say to the call on standard input' },
});

async function budget(this: CliContext<'budgets'>, flags: SharedFlags): Promise<void> {
  const { budgets, problems } = await this.budgets.report(whereOf(flags));
  for (const problem of problems) this.terminal.note(problem);
  if (flags.json) return writeJson(this, { budgets });
  if (budgets.length === 0)
    return this.terminal.note(
      'The policy that holds here has no budgets. docs/guides/budgets.md shows how to add one.',
    );
  writeLines(this, formatBudgets(budgets, textOptionsOf(this)));
}

const BAR = 16;
/** Agents and sessions that are far from a limit and not at work are only counted. */
const SHOWN = 8;

export function formatBudgets(
  budgets: readonly BudgetReport[],
  { paint }: Pick<TextOptions, 'paint'>,
): readonly string[] {
  return budgets.flatMap((one, index) => {
    const { holders, more } = one;
    const shown = holders.slice(0, SHOWN);
    const names = Math.max(0, ...shown.map(({ label }) => Math.min(24, cleanLine(label).length)));
    const rest = more + holders.length - shown.length;
    return [
      ...(index > 0 ? [''] : []),
      headOf(one, paint),
      ...(holders.length === 0 ? [paint.dim('  nothing used yet')] : []),
      ...shown.flatMap((holder) => formatHolder(one, holder, names, paint)),
      ...(rest > 0 ? [paint.dim(`  and ${rest} more`)] : []),
    ];
  });
}

function headOf(
  { name, per, agents, project, resetsAt, timeZone, onLimit, isRaised }: BudgetReport,
  paint: Paint,
): string {
  const about = [
    `per ${per}`,
    ...(agents === null ? [] : [`agents ${agents}`]),
    ...(project === null ? [] : [`in ${project}`]),
    onLimit === 'ask' ? 'asks at the limit' : 'denies at the limit',
    ...(isRaised ? ['raised'] : []),
    ...(resetsAt === null ? [] : [`resets ${localTime(resetsAt)} (${timeZone})`]),
  ];
  return `${paint.bold(cleanLine(name))}  ${paint.dim(about.map(cleanLine).join(' · '))}`;
}

function localTime(at: string): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function formatHolder(
  { per }: BudgetReport,
  { label, share, state, uses, by, sessionId }: BudgetHolder,
  names: number,
  paint: Paint,
): readonly string[] {
  const colour = state === 'reached' ? paint.red : state === 'ok' ? paint.green : paint.yellow;
  const full = Math.min(BAR, Math.round(share * BAR));
  const bar = colour('█'.repeat(full)) + paint.dim('░'.repeat(BAR - full));
  const name = cleanLine(label).slice(0, 24).padEnd(names);
  const session = sessionId === null || per === 'session' ? '' : paint.dim(`  ${sessionId.slice(0, 8)}`);
  const percent = `${Math.floor(100 * share)} %`.padStart(6);
  const users =
    per === 'agent' || by.length < 2
      ? []
      : [
          paint.dim(
            `${' '.repeat(BAR + 4)}by ${by.map((one) => `${cleanLine(one.label)} ${userText(one)}`).join(', ')}`,
          ),
        ];
  return [`  ${bar}${percent}  ${name}${session}  ${uses.map(useText).join(' · ')}`, ...users];
}

function useText({ limit, text, problem }: BudgetUse): string {
  const words = limit === 'depth' ? `depth up to ${text}` : text;
  return problem === null ? words : `${words}, and more: ${cleanLine(problem)}`;
}

function userText({ tokens, usd }: BudgetHolder['by'][number]): string {
  return usd > 0 ? `$${usd.toFixed(2)}` : `${formatCount(tokens)} tokens`;
}
