// The command line of `claude -p` → the one that is steered over stdin and stdout. Options as in 2.0.76 to 2.1.325.

import { wordSet } from '../../lib/group.ts';
import { UserError } from '../../lib/user-error.ts';
import type { ControlPlan } from '../index.ts';

const WITH_VALUE = wordSet(`
  --agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort --environment
  --fallback-model --input-format --json-schema --max-budget-usd --max-thinking-tokens --max-turns --model -n --name
  --output-format --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir --plugin-url
  --remote-control-session-name-prefix --resume-session-at --session-id --setting-sources --settings --system-prompt
  --system-prompt-file --system-prompt-snapshot
`);
/** They take every word up to the next option. */
const WITH_MANY = wordSet(`
  --add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file --mcp-config --tools
`);
/** They take a word that is there. */
const WITH_MAYBE = wordSet(
  '--cloud -d --debug --from-pr --prompt-suggestions --remote-control -r --resume --teleport -w --worktree',
);
const ALONE = wordSet(`
  --allow-dangerously-skip-permissions --ax-screen-reader --bare --brief --chrome -c --continue --dangerously-skip-permissions
  --disable-slash-commands --exclude-dynamic-system-prompt-sections --fork-session --forward-subagent-text --ide
  --include-hook-events --include-partial-messages --mcp-debug --no-chrome --no-session-persistence -p --print
  --replay-user-messages --restricted --safe-mode --strict-mcp-config --tmux --verbose
`);
/** They end in something else than a conversation that can be steered. */
const NOT_STEERED = wordSet('--bg --background --desktop -h --help -v --version --cloud --remote-control');

const LINES = 'stream-json';
const BY_STDIO = 'stdio';

export function planControl(args: readonly string[]): ControlPlan {
  const kept: string[] = [];
  const prompts: string[] = [];
  const said = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') {
      prompts.push(...args.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      prompts.push(word);
      continue;
    }
    const [name = word, ...rest] = word.split('=');
    if (NOT_STEERED.has(name)) throw notSteered(`\`${name}\``);
    const taken = rest.length > 0 ? 0 : valuesBehind(args, at, name);
    const values = rest.length > 0 ? [rest.join('=')] : args.slice(at + 1, at + 1 + taken);
    said.set(name, values[0] ?? '');
    if (!OURS.has(name)) kept.push(word, ...(rest.length > 0 ? [] : values));
    at += taken;
  }
  if (!said.has('-p') && !said.has('--print')) throw notSteered('the program without `-p`');
  const tool = said.get('--permission-prompt-tool');
  if (tool !== undefined && tool !== BY_STDIO) throw notSteered('`--permission-prompt-tool`');
  const form = said.get('--output-format') ?? 'text';
  const isVerbose = said.has('--verbose');
  const prompt = prompts.join(' ');
  return {
    args: [
      ...['-p', '--input-format', LINES, '--output-format', LINES, '--verbose', '--permission-prompt-tool', BY_STDIO],
      ...kept,
    ],
    ...(prompt !== '' && { prompt }),
    input: said.get('--input-format') === LINES ? 'lines' : 'text',
    output: form === LINES ? 'lines' : 'last',
    form: form === 'json' && isVerbose ? 'json-list' : form,
    needsAllLines: form === 'json' && isVerbose,
    asksCaller: tool === BY_STDIO,
  };
}

export function withLines(args: readonly string[]): readonly string[] {
  return ['-p', ...args, '--input-format', LINES, '--output-format', LINES];
}

/** What we say ourselves. */
const OURS = wordSet('-p --print --input-format --output-format --verbose --permission-prompt-tool');

function valuesBehind(args: readonly string[], at: number, name: string): number {
  const isValue = (index: number): boolean => args[index] !== undefined && !args[index].startsWith('-');
  if (ALONE.has(name)) return 0;
  if (WITH_VALUE.has(name)) return at + 1 < args.length ? 1 : 0;
  if (WITH_MAYBE.has(name)) return isValue(at + 1) ? 1 : 0;
  if (WITH_MANY.has(name)) {
    let count = 0;
    while (isValue(at + 1 + count)) count++;
    return count;
  }
  // Which word is the prompt must not be guessed.
  if (isValue(at + 1))
    throw new UserError(
      'unknown-option',
      `troupe does not know whether a value follows \`${name}\`.`,
      `Write \`${name}=VALUE\` where it does; else put the option last.`,
    );
  return 0;
}

function notSteered(what: string): UserError {
  return new UserError(
    'not-steered',
    `troupe cannot steer ${what}.`,
    'Give `claude -p …` with a prompt, or leave out --intercept.',
  );
}
