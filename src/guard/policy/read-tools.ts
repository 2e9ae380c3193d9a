import type { ToolPattern } from '../policy.ts';
import { offsetOf, type Reader, tell, textOf } from './fields.ts';
import { suggestWord } from './suggest-word.ts';
import { toToolPattern } from './tool-text.ts';
import { MAX_TEXT, TOOL } from './words.ts';

/** Those that hosts have had so far, by the names that our rules use. New ones come: another name is a warning. */
const KNOWN_TOOLS = [
  ...[
    'Agent',
    'AskUserQuestion',
    'Bash',
    'BashOutput',
    'Edit',
    'EnterPlanMode',
    'ExitPlanMode',
    'Glob',
    'Grep',
    'KillShell',
  ],
  ...['LS', 'LSP', 'ListMcpResources', 'Monitor', 'MultiEdit', 'NotebookEdit', 'NotebookRead', 'PowerShell', 'Read'],
  ...[
    'ReadMcpResource',
    'SendMessage',
    'Skill',
    'SlashCommand',
    'Task',
    'TaskCreate',
    'TaskGet',
    'TaskList',
    'TaskOutput',
  ],
  ...[
    'TaskStop',
    'TaskUpdate',
    'TeamCreate',
    'TeamDelete',
    'TodoRead',
    'TodoWrite',
    'ToolSearch',
    'WebFetch',
    'WebSearch',
  ],
  ...['Workflow', 'Write'],
];

const tool = textOf<ToolPattern>((text) => {
  if (text === '*')
    return { wrong: 'cannot be `*`.', remedy: 'Remove `tools`: a rule without it is about every tool.' };
  if (text.length > MAX_TEXT || !TOOL.test(text))
    return { wrong: `is \`${text.slice(0, 60)}\`, which is no tool.`, remedy: remedyFor(text) };
  return toToolPattern(text);
});

export const readTool: Reader<ToolPattern> = (walk, node, what) => {
  const pattern = tool(walk, node, what);
  if (!pattern) return undefined;
  const warn = (message: string, remedy: string): void =>
    tell(walk, { severity: 'warning', code: 'suspicious', offset: offsetOf(node), message, remedy });
  const known = pattern.tool.startsWith('mcp__') || pattern.tool.includes(':') || KNOWN_TOOLS.includes(pattern.tool);
  if (!known) {
    const meant = suggestWord(pattern.tool, KNOWN_TOOLS);
    warn(
      `No tool is known that is called \`${pattern.tool}\`.`,
      meant ? `Did you mean \`${meant}\`?` : 'It is matched by that name.',
    );
  }
  if (pattern.tool === 'Bash' && pattern.argument && /:\*./.test(pattern.argument))
    warn('`:*` means "and what follows" at the end only.', 'Use `*` alone in the middle.');
  if (pattern.tool !== 'Bash' && pattern.argument && OF_THE_SYSTEM.test(pattern.argument))
    warn(
      `\`${pattern.argument}\` begins at the project's folder, not at that of the system.`,
      `Write \`${pattern.tool}(/${pattern.argument})\` for the folder of the system.`,
    );
  return pattern;
};

/** Folders that a project hardly has. */
const OF_THE_SYSTEM = /^\/(?:Library|System|Users|Volumes|boot|dev|etc|home|mnt|opt|proc|root|sys|tmp|usr|var)(?:\/|$)/;

function remedyFor(text: string): string {
  const meant = suggestWord(text.replace(/\(.*/s, ''), KNOWN_TOOLS);
  if (/\(\s*\)$/.test(text)) return 'Write something between the brackets, or remove them.';
  if (/\),|,[^()]*\(|^[^()]*,[^()]*$/.test(text)) return 'Write several as a list: `[Bash(rm:*), Edit]`.';
  if (text.includes('(') && !text.endsWith(')')) return 'The bracket has no end: write `Bash(git push:*)`.';
  if (meant && !text.startsWith(meant)) return `Did you mean \`${meant}\`?`;
  return 'Write `Bash`, `Bash(git push:*)`, `Edit(src/**)`, `mcp__server__*` or `host:name`.';
}
