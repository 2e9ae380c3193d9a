import {
  type ApprovalAnswer,
  type ApprovalRequest,
  cleanLine,
  endText,
  formatApprovalCall,
  formatApprovalLines,
  plural,
  requesterText,
} from '../core/index.ts';
import { type AGENT_KINDS, type DescribedCall, findContradiction, signApproval } from '../guard/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { isProofNeeded } from '../server/index.ts';
import { type CliContext, textOptionsOf, writeAnswer, writeJson, writeLines } from './context.ts';
import { type JsonFlag, type SharedFlags, whereOf } from './flags.ts';
import {
  formatApprovals,
  formatGuardExplanation,
  formatGuardTest,
  formatPolicyCheck,
  formatPresets,
} from './format/index.ts';

type QuestionContext = CliContext<'questions'>;

export async function checkPolicy(this: CliContext<'policy'>, { json }: JsonFlag, file?: string): Promise<void> {
  const check = await this.policy.check(file);
  if (!check.ok) this.endWith(1);
  writeAnswer(this, json, check, formatPolicyCheck);
}

type TestFlags = Pick<ExplainFlags, 'json' | 'policy'>;

export async function testPolicy(this: QuestionContext, { json, policy }: TestFlags, file: string): Promise<void> {
  const report = await this.questions.test(file, policy);
  if (!report.ok) this.endWith(1);
  writeAnswer(this, json, report, formatGuardTest);
}

export async function suggestPolicy(this: QuestionContext, flags: SharedFlags, session?: string): Promise<void> {
  const suggestion = await this.questions.suggest(whereOf(flags), session);
  if (flags.json) return writeJson(this, suggestion);
  writeLines(this, [suggestion.yaml.trimEnd()]);
  const { length } = suggestion.left;
  if (length > 0) this.terminal.note(`${plural(length, 'call')} could not be turned into a rule: see the end of it.`);
}

export async function showPresets(this: CliContext<'policy'>, { json }: JsonFlag, name?: string): Promise<void> {
  const presets = (await this.policy.presets()).filter((preset) => name === undefined || preset.name === name);
  if (presets.length === 0)
    throw new UserError('no-preset', `There is no preset ${name}.`, 'See them with: troupe guard presets');
  if (json) return writeJson(this, presets);
  const [only] = presets;
  writeLines(this, name !== undefined && only ? [only.text.trimEnd()] : formatPresets(presets));
}

interface ExplainFlags extends SharedFlags {
  readonly command?: string;
  readonly tool?: string;
  readonly input?: string;
  readonly type?: string;
  readonly name?: string;
  readonly kind?: (typeof AGENT_KINDS)[number];
  readonly depth?: number;
  readonly under?: readonly string[];
  readonly unknown: boolean;
  readonly cwd?: string;
  readonly policy?: string;
}

export async function explainCall(this: QuestionContext, flags: ExplainFlags, call?: string): Promise<void> {
  if (call !== undefined) refuseDescription(flags);
  const explanation = await (call === undefined
    ? this.questions.explain(imaginedBy(flags), flags.policy)
    : this.questions.explainPast(whereOf(flags), call, flags.policy));
  writeAnswer(this, flags.json, explanation, formatGuardExplanation);
}

function refuseDescription({ command, tool, input, type, name, kind, depth, under, unknown, cwd }: ExplainFlags): void {
  if (unknown || [command, tool, input, type, name, kind, depth, under, cwd].some((flag) => flag !== undefined))
    throw usage('A call of the past is as it was: only --policy, --root, --host and --json go with its number.');
}

function imaginedBy(flags: ExplainFlags): DescribedCall {
  const { type, name, kind, depth, under, cwd, host } = flags;
  const agent = known({ type, name, kind, depth, under });
  if (flags.unknown && Object.keys(agent).length > 0) throw usage('Of an --unknown agent nothing else is known.');
  const contradiction = findContradiction(agent);
  if (contradiction !== undefined) throw usage(`There is no such agent. ${contradiction}`);
  return { agent: flags.unknown ? null : agent, ...toolOf(flags), ...known({ cwd, host }) };
}

function toolOf({ command, tool, input }: ExplainFlags): Pick<DescribedCall, 'tool' | 'input'> {
  if (command !== undefined) {
    if (tool !== undefined || input !== undefined)
      throw usage('--command is a call of Bash: leave out --tool and --input.');
    return { tool: 'Bash', input: { command } };
  }
  if (tool === undefined) throw usage('Which call is meant is not said.');
  return { tool, input: input === undefined ? {} : parseInput(input) };
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError('usage', `--input is no JSON: ${(error as Error).message}.`, EXAMPLES, { cause: error });
  }
}

const EXAMPLES =
  'Write e.g. troupe guard explain 1042, --command "rm -rf x", or --tool Edit --input \'{"file_path":"src/app.ts"}\'';

function usage(message: string): UserError {
  return new UserError('usage', message, EXAMPLES);
}

export async function listApprovals(this: CliContext<'approvals'>, { json }: JsonFlag): Promise<void> {
  const all = await this.approvals.list();
  const open = all?.filter(({ end }) => end === null) ?? [];
  if (json) return writeJson(this, { asks: open });
  if (open.length > 0) {
    writeLines(this, formatApprovals(open, textOptionsOf(this)));
    return this.terminal.note('Answer one with: troupe guard answer ID allow|deny');
  }
  this.terminal.note(
    all ? 'No call waits for an answer.' : 'No call waits for an answer: no server runs that could hold one.',
  );
}

export async function answerApproval(
  this: CliContext<'approvals'>,
  { json }: JsonFlag,
  id: string,
  answer: ApprovalAnswer,
): Promise<void> {
  const ask = findApproval((await this.approvals.list()) ?? [], id);
  const answered = await this.approvals.answer(ask.id, answer, 'cli').catch(async (error: unknown) => {
    if (!isProofNeeded(error)) throw error;
    return this.approvals.answer(ask.id, answer, 'cli', await proveByPassphrase(this, ask, error));
  });
  if (answered.outcome === 'unknown') throw noSuchApproval(id);
  if (answered.outcome === 'late') this.endWith(1);
  if (json) return writeJson(this, answered);
  const { end } = answered.ask;
  const what = `${formatApprovalCall(ask)}, of ${requesterText(ask)}`;
  const said = end ? endText(end) : '';
  writeLines(this, [answered.outcome === 'late' ? `Too late: ${what}` : what, said]);
}

/** The person sees what they allow, and types the passphrase. */
async function proveByPassphrase(
  { approvals, terminal }: CliContext<'approvals'>,
  ask: ApprovalRequest,
  error: unknown,
): Promise<string> {
  const { askWords } = terminal;
  if (!askWords) throw error;
  for (const line of [`${requesterText(ask)} asks for`, ...formatApprovalLines(ask, 100), cleanLine(ask.reason)])
    terminal.note(line);
  const typed = await askWords('Passphrase for approvals:', { isSecret: true });
  if (typed === undefined) throw error;
  return signApproval(await approvals.unlock(typed), ask);
}

/** By the beginning of its id. Finds those that have ended too, to report how they ended. */
function findApproval(asks: readonly ApprovalRequest[], id: string): ApprovalRequest {
  const found = id === '' ? [] : asks.filter((ask) => ask.id.startsWith(id));
  const [first, ...others] = found.length > 1 ? found.filter(({ end }) => end === null) : found;
  if (!first) throw noSuchApproval(id);
  if (others.length > 0)
    throw new UserError('ask-ambiguous', `Several ids begin with ${id}.`, 'Give more characters of it.');
  return first;
}

function noSuchApproval(id: string): UserError {
  return new UserError('ask-not-found', `Nothing of the id ${id} waits for an answer.`, 'See: troupe guard asks');
}
