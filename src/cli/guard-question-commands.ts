import { buildCommand } from '@stricli/core';
import { AGENT_KINDS } from '../guard/index.ts';
import { optionalArgument, sessionArgument, sharedFlags, toIndex } from './flags.ts';

const text = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, placeholder, brief }) as const;

const policyFlag = text('FILE', 'By this policy instead of what holds in the project');

export const explainCommand = buildCommand({
  loader: async () => (await import('./guard-explain.ts')).guardExplain,
  parameters: {
    flags: {
      ...sharedFlags,
      command: text('COMMAND', 'Imagine a call of Bash with this command'),
      tool: text('TOOL', 'Imagine a call of this tool, by the name it has in rules'),
      input: text('JSON', 'What that tool is given'),
      type: text('TYPE', 'Of a sub-agent of this type; without a word about the agent, of main'),
      name: text('NAME', 'Of an agent of this name'),
      kind: { kind: 'enum', values: AGENT_KINDS, optional: true, brief: 'Of an agent of this kind' },
      depth: { kind: 'parsed', parse: toIndex, optional: true, placeholder: 'N', brief: 'At this depth; main is at 0' },
      under: {
        ...text('TYPE', 'Below an agent of this type; several from the topmost down'),
        variadic: true,
      },
      unknown: { kind: 'boolean', default: false, brief: 'Of an agent that nobody can name' },
      cwd: text('DIR', 'Made in this folder, in a session that began there; default: here'),
      policy: policyFlag,
    },
    positional: optionalArgument(
      'CALL',
      'A call of the past: its number in the audit (n), or the id that the host gave it',
    ),
  },
  docs: {
    brief: 'Say what the guard decides about a call, past or imagined, and why',
    fullDescription: [
      'Shows what the call would do as far as it can be known before it runs (commands, files, hosts), every rule that was looked',
      'at with what came of it, the one that won, and whether it binds an agent above. For a call that is denied or asked about,',
      'also the rule that would allow exactly this. A past call is judged by the policy of now.',
      '',
      'Examples:',
      '  troupe guard explain 1042',
      '  troupe guard explain --type reviewer --command "rm -rf build"',
      '  troupe guard explain --type coder --under planner --tool Edit --input \'{"file_path":"src/app.ts"}\'',
      '  troupe guard explain 1042 --json | jq -r \'.tried[] | select(.outcome == "matched").rule.id\'',
    ].join('\n'),
  },
});

export const testCommand = buildCommand({
  loader: async () => (await import('./guard-policy.ts')).guardTest,
  parameters: {
    flags: { json: sharedFlags.json, policy: policyFlag },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, placeholder: 'FILE', brief: 'A table of calls and expected decisions, in YAML' }],
    },
  },
  docs: {
    brief: 'Hold the policy against a table of calls and expected decisions',
    fullDescription: [
      'Each entry of the table is a call with the decision that is expected: `- { agent: { type: reviewer }, command: "rm -rf x",',
      'expect: deny }`. Explains each that is decided otherwise; ends with code 1 where there is one, or a mistake in the table or',
      'the policy, with line and column. docs/POLICY.md has the words of the table.',
      '',
      'Examples:',
      '  troupe guard test policy-test.yaml',
      '  troupe guard test policy-test.yaml --policy .troupe/policy.yaml',
      "  troupe guard test policy-test.yaml --json | jq '.mismatches[].line'",
    ].join('\n'),
  },
});

export const suggestCommand = buildCommand({
  loader: async () => (await import('./guard-policy.ts')).guardSuggest,
  parameters: { flags: sharedFlags, positional: sessionArgument },
  docs: {
    brief: 'Write the smallest policy under which a session would have run',
    fullDescription: [
      'Reads every tool call of a session, sub-agents and all, and writes rules that allow exactly these, by type of agent and tool,',
      'and ask about everything else. From its transcripts, or, where they are gone, from what the hooks heard. What cannot be',
      'turned into a rule is named at the end: code that is only known when it runs, secrets, very long commands.',
      '',
      'Examples:',
      '  troupe guard suggest fa129e54 > policy.yaml && troupe guard check policy.yaml',
      "  troupe guard suggest --json | jq '.left[].reason'",
    ].join('\n'),
  },
});
