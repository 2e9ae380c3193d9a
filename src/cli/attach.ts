import { createPaint, type Steered } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { type SharedFlags, writeJson, writeLines } from './flags.ts';
import { formatAttachHead, formatAttachPlan } from './format/index.ts';
import type { CliContext } from './run-cli.ts';

export interface AttachFlags extends SharedFlags {
  readonly message?: string;
  readonly fork: boolean;
  readonly dryRun: boolean;
  readonly print: boolean;
  readonly budget: number;
}

export type AgentFlags = Omit<SharedFlags, 'host'>;

/** `--host` is who goes on: the agent is looked for everywhere. */
function whereOf({ root }: AgentFlags) {
  return { roots: root ?? [] };
}

export async function attach(this: CliContext, flags: AttachFlags, agent: string): Promise<void> {
  const { terminal } = this.face;
  const { message, host, fork, budget } = flags;
  const where = whereOf(flags);
  const attaching = await this.face.attach(where);
  const plan = await attaching.plan(agent, { fork, budget, ...known({ message, host }) }, { mayAsk: true });
  const { report } = plan;
  if (flags.print && !flags.json) return terminal.send(report.text ?? '');
  if (flags.dryRun || flags.print) {
    if (flags.json) return writeJson(this, report);
    return terminal.page(`${formatAttachPlan(report, createPaint(terminal.colours)).join('\n')}\n`);
  }
  // What the program prints is the answer; what we say about it is not.
  if (flags.json) terminal.note(JSON.stringify(report));
  else for (const line of formatAttachHead(report, createPaint(terminal.colours))) terminal.note(line);
  if (report.way === 'follow')
    return this.face.watch({ where, json: flags.json, plain: false, lines: false, agent: report.agent.id });
  this.endWith(await plan.run((text) => terminal.write(text)));
}

export async function send(this: CliContext, flags: AgentFlags, agent: string, message: string): Promise<void> {
  tell(this, flags, 'It was not told: ', await (await this.face.attach(whereOf(flags))).send(agent, message));
}

export async function stopAgent(this: CliContext, flags: AgentFlags, agent: string): Promise<void> {
  tell(this, flags, 'It was not stopped: ', await (await this.face.attach(whereOf(flags))).stop(agent));
}

function tell(context: CliContext, { json }: AgentFlags, failure: string, outcome: Steered): void {
  const isDone = !('whyNot' in outcome);
  const text = 'whyNot' in outcome ? failure + outcome.whyNot : outcome.words;
  if (json) writeJson(context, { done: isDone, text });
  else writeLines(context, [text]);
  if (!isDone) context.endWith(1);
}
