// The tools of OpenCode by the names and inputs that rules are written in. What has none is `opencode:name`.
import { asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import { filesInPatch } from '../../../lib/patch-text.ts';
import { HOST } from '../record.ts';

export interface GuardedTool {
  readonly tool: string;
  readonly input: unknown;
}

type Rename = (args: JsonObject) => GuardedTool;

const same =
  (tool: string): Rename =>
  (input) => ({ tool, input });

const ofFile =
  (tool: string): Rename =>
  ({ filePath, ...rest }) => ({ tool, input: { ...known({ file_path: filePath }), ...rest } });

const ofPatch: Rename = ({ patchText, ...rest }) => {
  const text = asText(patchText) ?? '';
  return { tool: 'Edit', input: { file_paths: filesInPatch(text), patch: text, ...rest } };
};

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['bash', same('Bash')],
  ['read', ofFile('Read')],
  ['write', ofFile('Write')],
  ['edit', ofFile('Edit')],
  ['multiedit', ofFile('MultiEdit')],
  ['apply_patch', ofPatch],
  ['patch', ofPatch],
  ['list', ({ path, ...rest }) => ({ tool: 'LS', input: { path: path ?? '.', ...rest } })],
  ['glob', same('Glob')],
  ['grep', ({ include, ...rest }) => ({ tool: 'Grep', input: { ...rest, ...known({ glob: include }) } })],
  ['webfetch', same('WebFetch')],
  ['websearch', same('WebSearch')],
  ['task', same('Agent')],
  ['skill', ({ name, ...rest }) => ({ tool: 'Skill', input: { ...known({ skill: name }), ...rest } })],
  ['lsp', same('LSP')],
  ['question', same('AskUserQuestion')],
  ['todowrite', same('TodoWrite')],
  ['todoread', same('TodoRead')],
]);

/** `servers`: the names of the MCP servers, as configured. Their tools are called `server_tool`, and nothing else tells them apart. */
export function toGuarded(tool: string, args: unknown, servers: readonly string[]): GuardedTool {
  const rename = TOOLS.get(tool);
  if (rename) return rename(isObject(args) ? args : {});
  const input = args ?? null;
  // `git` and `git_hub` may both be servers: the longer name is the one that is meant.
  const server = servers
    .map(asToolPrefix)
    .toSorted((a, b) => b.length - a.length)
    .find((prefix) => tool.startsWith(prefix));
  if (server === undefined) return { tool: `${HOST}:${tool}`, input };
  return { tool: `mcp__${server.slice(0, -1)}__${tool.slice(server.length)}`, input };
}

function asToolPrefix(server: string): string {
  return `${server.replace(/[^\w-]/g, '_')}_`;
}
