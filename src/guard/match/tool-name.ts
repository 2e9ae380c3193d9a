// Can a pattern be about a call, by the names of both alone? Looser than `holdsTool`, and far cheaper: it needs nothing of
// what the call does.
import type { ToolPattern } from '../policy.ts';
import { EDIT_TOOLS, READ_TOOLS } from './parts.ts';

export function canBeAbout({ tool: pattern }: ToolPattern, tool: string): boolean {
  switch (pattern) {
    case 'Bash':
    case 'Skill':
      return tool === pattern;
    case 'Agent':
    case 'Task':
      return tool === 'Agent' || tool === 'Task';
    default:
      // What the shell does may be a read or a write; which other tool reaches a host is not said by its name.
      if (EDIT_TOOLS.has(pattern)) return tool === 'Bash' || EDIT_TOOLS.has(tool);
      if (READ_TOOLS.has(pattern)) return tool === 'Bash' || READ_TOOLS.has(tool);
      return pattern === 'WebFetch' || pattern === tool || pattern.includes('*') || pattern.startsWith('mcp__');
  }
}
