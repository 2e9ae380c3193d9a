// The tools of these hosts by the names and inputs that rules are written in. What has none is `host:name`.

import { asText, isObject, type JsonObject, known, parseObject } from '../../../lib/json.ts';
import type { HookCall } from '../../index.ts';

export type Guarded = Pick<HookCall, 'tool' | 'input'>;
/** A host's tool by the name and the inputs that rules use. */
export type Rename = (input: JsonObject) => Guarded;

/** The inputs have the same names. */
export const same =
  (tool: string): Rename =>
  (input) => ({ tool, input });

const ofFile =
  (tool: string): Rename =>
  ({ file_path, absolute_path, ...rest }) => ({
    tool,
    input: { ...known({ file_path: file_path ?? absolute_path }), ...rest },
  });

const ofFolder =
  (tool: string): Rename =>
  ({ path, dir_path, include, include_pattern, ...rest }) => ({
    tool,
    input: {
      ...known({ path: dir_path ?? path, glob: include_pattern ?? (tool === 'Grep' ? include : undefined) }),
      ...rest,
    },
  });

/** Addresses stand in a text of the model's, wherever it put them. */
const ofFetch: Rename = ({ url, prompt, ...rest }) => {
  const addresses = (asText(prompt) ?? '').split(/\s+/).filter((word) => word.includes('://'));
  return { tool: 'WebFetch', input: { ...(url === undefined ? { urls: addresses } : { url }), prompt, ...rest } };
};

const ofAgent: Rename = ({ agent_name, subagent_type, ...rest }) => ({
  tool: 'Agent',
  input: { ...known({ subagent_type: subagent_type ?? agent_name }), ...rest },
});

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['run_shell_command', same('Bash')],
  ['read_file', ofFile('Read')],
  // Only patterns say which files they are.
  [
    'read_many_files',
    ({ include, paths, ...rest }) => ({ tool: 'Read', input: { ...known({ globs: paths ?? include }), ...rest } }),
  ],
  ['zoom_image', ofFile('Read')],
  ['monitor', same('Monitor')],
  ['read_mcp_resource', same('ReadMcpResource')],
  ['write_file', ofFile('Write')],
  ['replace', ofFile('Edit')],
  ['edit', ofFile('Edit')],
  ['notebook_edit', same('NotebookEdit')],
  ['list_directory', (input) => ofFolder('LS')({ path: '.', ...input })],
  ['glob', ofFolder('Glob')],
  ['grep_search', ofFolder('Grep')],
  ['search_file_content', ofFolder('Grep')],
  ['web_fetch', ofFetch],
  ['google_web_search', same('WebSearch')],
  ['web_search', same('WebSearch')],
  ['invoke_agent', ofAgent],
  ['delegate_to_agent', ofAgent],
  ['agent', ofAgent],
  ['task', ofAgent],
  ['skill', same('Skill')],
  ['activate_skill', ({ name, ...rest }) => ({ tool: 'Skill', input: { ...known({ skill: name }), ...rest } })],
  ['write_todos', same('TodoWrite')],
  ['todo_write', same('TodoWrite')],
  ['ask_user', same('AskUserQuestion')],
  ['ask_user_question', same('AskUserQuestion')],
]);

export function toGuarded(host: string, tool: string, input: unknown): Guarded {
  // Qwen Code offers rare tools by one tool that calls them: `tool_call(name, arguments)`.
  if (tool === 'tool_call' && isObject(input) && typeof input['name'] === 'string' && input['name'] !== tool) {
    const { name, arguments: given } = input;
    return toGuarded(host, name, typeof given === 'string' ? (parseObject(given) ?? given) : given);
  }
  const rename = TOOLS.get(tool);
  if (rename) return rename(isObject(input) ? input : {});
  return { tool: tool.startsWith('mcp__') ? tool : `${host}:${tool}`, input: input ?? null };
}
