// The tools of Copilot by the names and inputs that rules are written in. What has none is `copilot:name`.

import { asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import { filesInPatch } from '../../../lib/patch-text.ts';
import type { HookCall } from '../../index.ts';
import { HOST } from '../line-context.ts';

/** Such an input is not what the tool takes: it cannot be given back. */
export const TYPED = 'is_typed';

type Guarded = Pick<HookCall, 'tool' | 'input'>;
type Rename = (input: JsonObject) => Guarded;

const same =
  (tool: string): Rename =>
  (input) => ({ tool, input });

const ofFile =
  (tool: string): Rename =>
  ({ path, ...rest }) => ({ tool, input: { ...known({ file_path: path }), ...rest } });

/** One tool for all of it, as Claude's models know it: its `command` says what it does. */
const ofEditor: Rename = (input) => {
  const tool = { view: 'Read', create: 'Write' }[asText(input['command']) ?? ''] ?? 'Edit';
  return ofFile(tool)(input);
};

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['bash', same('Bash')],
  ['local_shell', same('Bash')],
  // What is typed into a shell that runs already is a command to it.
  ['write_bash', ({ input }) => ({ tool: 'Bash', input: { command: withoutKeys(input), [TYPED]: true } })],
  ['view', ofFile('Read')],
  ['create', ofFile('Write')],
  ['edit', ofFile('Edit')],
  ['str_replace_editor', ofEditor],
  ['grep', ({ paths, path, ...rest }) => ({ tool: 'Grep', input: { ...known({ path: path ?? paths }), ...rest } })],
  ['rg', ({ paths, path, ...rest }) => ({ tool: 'Grep', input: { ...known({ path: path ?? paths }), ...rest } })],
  ['glob', ({ paths, path, ...rest }) => ({ tool: 'Glob', input: { ...known({ path: path ?? paths }), ...rest } })],
  ['web_fetch', same('WebFetch')],
  ['web_search', same('WebSearch')],
  [
    'task',
    ({ agent_type, ...rest }) => ({ tool: 'Agent', input: { ...known({ subagent_type: agent_type }), ...rest } }),
  ],
  ['skill', ({ skill, name, ...rest }) => ({ tool: 'Skill', input: { ...known({ skill: skill ?? name }), ...rest } })],
  ['ask_user', same('AskUserQuestion')],
  ['update_todo', same('TodoWrite')],
]);

/** Names of keys stand in braces: `ls{enter}`. */
function withoutKeys(input: unknown): unknown {
  return typeof input === 'string' ? input.replaceAll('{enter}', '\n') : input;
}

/** Tools of MCP servers are called `server-tool`, as others may be: they are `copilot:server-tool`. */
export function toGuarded(tool: string, input: unknown): Guarded {
  if (tool === 'apply_patch') {
    const fields = asObject(input);
    const patch = asText(input) ?? asText(fields?.['input']) ?? asText(fields?.['patch']) ?? '';
    return { tool: 'Edit', input: { file_paths: filesInPatch(patch), patch } };
  }
  const rename = TOOLS.get(tool);
  return rename ? rename(isObject(input) ? input : {}) : { tool: `${HOST}:${tool}`, input: input ?? null };
}
