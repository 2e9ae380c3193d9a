// The actions are loaded when one is called.
import { buildCommand, buildRouteMap } from '@stricli/core';
import { DECISIONS } from '../core/index.ts';
import type { AGENT_KINDS } from '../guard/index.ts';
import type { CliContext } from './context.ts';
import {
  helpText,
  optional,
  optionalArgument,
  sessionArgument,
  sharedFlags,
  toCount,
  toggle,
  toIndex,
  toWhen,
  toWord,
} from './flags.ts';

/** Written out: importing the value would load the whole guard (160 kB) at the start of every command. */
const KINDS: typeof AGENT_KINDS = ['main', 'task', 'fork', 'teammate', 'workflow', 'internal'];

const policyFlag = optional(String, 'FILE', 'By this policy instead of what holds in the project');

const explainCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).explainCall,
  parameters: {
    flags: {
      ...sharedFlags,
      command: optional(String, 'COMMAND', 'Imagine a call of Bash with this command'),
      tool: optional(String, 'TOOL', 'Imagine a call of this tool, by the name it has in rules'),
      input: optional(String, 'JSON', 'What that tool is given'),
      type: optional(String, 'TYPE', 'Of a sub-agent of this type; without a word about the agent, of main'),
      name: optional(String, 'NAME', 'Of an agent of this name'),
      kind: { kind: 'enum', values: KINDS, optional: true, brief: 'Of an agent of this kind' },
      depth: optional(toIndex, 'N', 'At this depth; main is at 0'),
      under: {
        ...optional(String, 'TYPE', 'Below an agent of this type; several from the topmost down'),
        variadic: true,
      },
      unknown: toggle('Of an agent that nobody can name'),
      cwd: optional(String, 'DIR', 'Made in this folder, in a session that began there; default: here'),
      policy: policyFlag,
    },
    positional: optionalArgument(
      'CALL',
      'A call of the past: its number in the audit (n), or the id that the host gave it',
    ),
  },
  docs: helpText(
    'Say what the guard decides about a call, past or imagined, and why',
    [
      'troupe guard explain 1042',
      'troupe guard explain --type reviewer --command "rm -rf build"',
      'troupe guard explain --type coder --under planner --tool Edit --input \'{"file_path":"src/app.ts"}\'',
      'troupe guard explain 1042 --json | jq -r \'.tried[] | select(.outcome == "matched").rule.id\'',
    ],
    'Shows what the call would do as far as it can be known before it runs (commands, files, hosts), every rule that was looked',
    'at with what came of it, the one that won, and whether it binds an agent above. For a call that is denied or asked about,',
    'also the rule that would allow exactly this. A past call is judged by the policy of now.',
  ),
});

const testCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).testPolicy,
  parameters: {
    flags: { json: sharedFlags.json, policy: policyFlag },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, placeholder: 'FILE', brief: 'A table of calls and expected decisions, in YAML' }],
    },
  },
  docs: helpText(
    'Hold the policy against a table of calls and expected decisions',
    [
      'troupe guard test policy-test.yaml',
      'troupe guard test policy-test.yaml --policy .troupe/policy.yaml',
      "troupe guard test policy-test.yaml --json | jq '.mismatches[].line'",
    ],
    'Each entry of the table is a call with the decision that is expected: `- { agent: { type: reviewer }, command: "rm -rf x",',
    'expect: deny }`. Explains each that is decided otherwise; ends with code 1 where there is one, or a mistake in the table or',
    'the policy, with line and column. docs/POLICY.md has the words of the table.',
  ),
});

const suggestCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).suggestPolicy,
  parameters: { flags: sharedFlags, positional: sessionArgument },
  docs: helpText(
    'Write the smallest policy under which a session would have run',
    [
      'troupe guard suggest fa129e54 > policy.yaml && troupe guard check policy.yaml',
      "troupe guard suggest --json | jq '.left[].reason'",
    ],
    'Reads every tool call of a session, sub-agents and all, and writes rules that allow exactly these, by type of agent and tool,',
    'and ask about everything else. From its transcripts, or, where they are gone, from what the hooks heard. What cannot be',
    'turned into a rule is named at the end: code that is only known when it runs, secrets, very long commands.',
  ),
});

const asksCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).listApprovals,
  parameters: { flags: { json: sharedFlags.json } },
  docs: helpText(
    'Show the tool calls that wait for your answer',
    ['troupe guard asks', "troupe guard asks --json | jq -r '.asks[].id'"],
    'A rule with `decision: ask` and `wait` has the server hold the call until somebody answers: on the page, in troupe watch,',
    'or with troupe guard answer. Each is shown with the agent that makes it, what it is about, and the time that is left.',
  ),
});

const answerCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).answerApproval,
  parameters: {
    flags: { json: sharedFlags.json },
    positional: {
      kind: 'tuple',
      parameters: [
        { parse: String, placeholder: 'ID', brief: 'The first characters of its id' },
        { parse: toAnswer, placeholder: 'allow|deny', brief: 'What the call may do, this once' },
      ],
    },
  },
  docs: helpText(
    'Allow or deny a tool call that waits, this once',
    ['troupe guard answer 4f0c9a12 allow'],
    'Whoever answers first decides. Ends with code 1 where it was decided before; then it says how.',
  ),
});

function toAnswer(text: string): 'allow' | 'deny' {
  if (text === 'allow' || text === 'deny') return text;
  throw new SyntaxError('Say allow or deny');
}

const logCommand = buildCommand({
  loader: async () => (await import('./guard-log.ts')).showLog,
  parameters: {
    flags: {
      ...sharedFlags,
      json: { ...sharedFlags.json, brief: 'Write each entry as a line of JSON (docs/JSON.md has the names)' },
      agent: optional(
        toWord,
        'AGENT',
        'Only of this agent: the beginning of its id, its name, or main, subagent, unknown',
      ),
      type: optional(toWord, 'TYPE', 'Only of agents of this type'),
      decision: { kind: 'enum', values: DECISIONS, optional: true, brief: 'Only with this decision' },
      tool: optional(toWord, 'TOOL', 'Only calls of this tool'),
      session: optional(toWord, 'ID', 'Only of this session, by the first characters of its id'),
      since: optional(
        toWhen,
        'TIME',
        'Not before: 90s, 10m, 2h, 3d (ago), today, yesterday, 14:30, 2026-11-15, or a whole ISO 8601 time',
      ),
      until: optional(toWhen, 'TIME', 'Not after'),
      limit: optional(toCount, 'N', 'The newest N of them; default: 50'),
      follow: toggle('Go on with new ones as they come, until Ctrl-C'),
      verify: toggle('Check instead that no line of all of them was changed, moved or removed; code 1 if one was'),
    },
    aliases: { n: 'limit', f: 'follow' },
  },
  docs: helpText(
    'Show the tool calls that hooks heard of, and which agent made each',
    [
      'troupe guard log',
      'troupe guard log --since 2h --tool Bash --agent tester',
      'troupe guard log --follow --decision deny',
      'troupe guard log --since today -n 100000 --json | jq -r \'.agent.path | join(" > ")\' | sort | uniq -c',
      'troupe guard log --verify',
    ],
    'Each tool call that passed a hook of troupe is one line of the audit: when, which agent (from the main agent down),',
    'which tool, what for, what was decided, and how many milliseconds the host waited. Secrets in it are masked. Each',
    'line has the hash of the one before it, so that --verify can tell whether something was changed.',
  ),
});

const coverageCommand = buildCommand({
  loader: async () => (await import('./guard-log.ts')).showCoverage,
  parameters: {
    flags: sharedFlags,
    positional: sessionArgument,
  },
  docs: helpText(
    'Say whether every tool call of a session passed a hook',
    ['troupe guard coverage', 'troupe guard coverage fa129e54', 'troupe guard coverage --json | jq .missed[].path'],
    'Holds every tool call in every transcript of a session, sub-agents and all, against what the hooks heard of. Names',
    'those that no hook heard of and the agent that made each; apart from them those that the host refused before any',
    'hook, with its words. Ends with code 1 where one was missed.',
  ),
});

const checkCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).checkPolicy,
  parameters: {
    flags: { json: sharedFlags.json },
    positional: optionalArgument('FILE', 'A policy; default: those that hold in this folder'),
  },
  docs: helpText(
    'Look for mistakes in the policy: what each agent may do',
    [
      'troupe guard check',
      'troupe guard check .troupe/policy.yaml',
      "troupe guard check --json | jq -r '.problems[].message'",
    ],
    'Reads policy.yaml, and .troupe/policy.yaml and .troupe/policy.local.yaml of the project, and names every mistake with its',
    'line and column; code 1 where there is one. Until it is mended, the guard asks about every call that is not denied.',
    'Without FILE, what is read is kept for the hooks. docs/POLICY.md has the language.',
  ),
});

const presetsCommand = buildCommand({
  loader: async () => (await import('./guard.ts')).showPresets,
  parameters: {
    flags: { json: sharedFlags.json },
    positional: optionalArgument('NAME', 'Show its rules; default: all presets in a line each'),
  },
  docs: helpText(
    'Show the rules that come with troupe',
    ['troupe guard presets', 'troupe guard presets no-secret-files'],
    'A policy takes them with `presets: [NAME, …]`.',
  ),
});

export const guardRoutes = buildRouteMap<string, CliContext<'audit' | 'questions' | 'policy' | 'approvals'>>({
  routes: {
    check: checkCommand,
    presets: presetsCommand,
    explain: explainCommand,
    test: testCommand,
    suggest: suggestCommand,
    asks: asksCommand,
    answer: answerCommand,
    log: logCommand,
    coverage: coverageCommand,
  },
  docs: { brief: 'What agents may do, and what the hooks heard: the policy, the audit of tool calls' },
});
