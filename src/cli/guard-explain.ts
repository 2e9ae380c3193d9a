import type { GuardExplanation } from '../core/index.ts';
import { type AGENT_KINDS, contradictionIn, type ImaginedCall } from '../guard/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import { formatGuardExplanation } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

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

export async function guardExplain(this: CliContext, flags: ExplainFlags, call?: string): Promise<void> {
  const told = await explain(this, flags, call);
  if (flags.json) return writeJson(this, told);
  writeLines(this, formatGuardExplanation(told, textOptionsOf(this.face)));
}

function explain({ face }: CliContext, flags: ExplainFlags, call: string | undefined): Promise<GuardExplanation> {
  if (call === undefined) return face.questions.explain(imaginedBy(flags), flags.policy);
  const { command, tool, input, type, name, kind, depth, under, unknown, cwd } = flags;
  if (unknown || [command, tool, input, type, name, kind, depth, under, cwd].some((flag) => flag !== undefined))
    throw usage('A call of the past is as it was: only --policy, --root, --host and --json go with its number.');
  return face.questions.explainPast(whereOf(flags), call, flags.policy);
}

function imaginedBy(flags: ExplainFlags): ImaginedCall {
  const { type, name, kind, depth, under, cwd, host } = flags;
  const agent = known({ type, name, kind, depth, under });
  if (flags.unknown && Object.keys(agent).length > 0) throw usage('Of an --unknown agent nothing else is known.');
  const contradiction = contradictionIn(agent);
  if (contradiction !== undefined) throw usage(`There is no such agent. ${contradiction}`);
  return { agent: flags.unknown ? null : agent, ...toolOf(flags), ...known({ cwd, host }) };
}

function toolOf({ command, tool, input }: ExplainFlags): Pick<ImaginedCall, 'tool' | 'input'> {
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
