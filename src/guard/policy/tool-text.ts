import type { ToolPattern } from '../policy.ts';

/** Of a text that is one. No YAML here: the hook loads this. */
export function toToolPattern(text: string): ToolPattern {
  const bracket = text.indexOf('(');
  const name = bracket === -1 ? text : text.slice(0, bracket);
  const argument = bracket === -1 ? '*' : text.slice(bracket + 1, -1);
  return { text, tool: name, argument: argument === '*' ? null : argument };
}
