// The tools of Codex by the names and inputs that rules are written in. What has none is `codex:name`. Hooks call every shell
// tool `Bash`; in rollouts they have their own names.

import { asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import { filesInPatch } from '../../../lib/patch-text.ts';
import type { HookCall } from '../../index.ts';
import { HOST } from '../line-context.ts';

type Guarded = Pick<HookCall, 'tool' | 'input'>;
type Rename = (input: unknown) => Guarded;

const ofFields =
  (rename: (fields: JsonObject) => Guarded): Rename =>
  (input) =>
    rename(isObject(input) ? input : {});

const ofShell = ofFields(({ command, cmd, ...rest }) => ({
  tool: 'Bash',
  input: { ...known({ command: commandIn(command ?? cmd) }), ...rest },
}));

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['Bash', ofShell],
  ['exec_command', ofShell],
  ['shell', ofShell],
  ['shell_command', ofShell],
  ['local_shell', ofShell],
  [
    'apply_patch',
    (input) => {
      const fields = asObject(input);
      const patch = asText(input) ?? asText(fields?.['command']) ?? asText(fields?.['input']) ?? '';
      return { tool: 'Edit', input: { file_paths: filesInPatch(patch), patch } };
    },
  ],
  [
    'view_image',
    ofFields(({ path, ...rest }) => ({ tool: 'Read', input: { ...known({ file_path: path }), ...rest } })),
  ],
  [
    'spawn_agent',
    ofFields(({ agent_type, message, ...rest }) => ({
      tool: 'Agent',
      input: { ...known({ subagent_type: agent_type, prompt: message }), ...rest },
    })),
  ],
  ['update_plan', (input) => ({ tool: 'TodoWrite', input })],
  ['web_search', (input) => ({ tool: 'WebSearch', input })],
]);

export function toGuarded(tool: string, input: unknown): Guarded {
  const own = withoutNamespace(tool);
  const rename = TOOLS.get(own);
  if (rename) return rename(input);
  return { tool: own.startsWith('mcp__') ? own : `${HOST}:${own}`, input: input ?? null };
}

/** Agent tools are told with their namespace in front, and nothing between: `multi_agent_v1wait_agent`. */
export function withoutNamespace(tool: string): string {
  return tool.replace(/^(?:multi_agent_v\d+|collaboration)\.?_*(?=[a-z])/, '');
}

/** A command may come as its words. */
function commandIn(command: unknown): unknown {
  return Array.isArray(command) ? command.map((word) => quoted(String(word))).join(' ') : command;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
