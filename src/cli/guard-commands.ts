import { buildCommand, buildRouteMap } from '@stricli/core';
import { DECISIONS } from '../core/index.ts';
import { optionalArgument, sessionArgument, sharedFlags, toCount, toWord } from './flags.ts';
import { answerCommand, asksCommand } from './guard-ask-commands.ts';
import { explainCommand, suggestCommand, testCommand } from './guard-question-commands.ts';
import { toWhen } from './when.ts';

const text = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: toWord, optional: true, placeholder, brief }) as const;
const time = (brief: string) =>
  ({ kind: 'parsed', parse: toWhen, optional: true, placeholder: 'TIME', brief }) as const;

const logCommand = buildCommand({
  loader: async () => (await import('./guard-log.ts')).guardLog,
  parameters: {
    flags: {
      ...sharedFlags,
      json: { ...sharedFlags.json, brief: 'Write each entry as a line of JSON (docs/JSON.md has the names)' },
      agent: text('AGENT', 'Only of this agent: the beginning of its id, its name, or main, subagent, unknown'),
      type: text('TYPE', 'Only of agents of this type'),
      decision: { kind: 'enum', values: DECISIONS, optional: true, brief: 'Only with this decision' },
      tool: text('TOOL', 'Only calls of this tool'),
      session: text('ID', 'Only of this session, by the first characters of its id'),
      since: time('Not before: 90s, 10m, 2h, 3d (ago), today, yesterday, 14:30, 2026-11-15, or a whole ISO 8601 time'),
      until: time('Not after'),
      limit: {
        kind: 'parsed',
        parse: toCount,
        optional: true,
        placeholder: 'N',
        brief: 'The newest N of them; default: 50',
      },
      follow: { kind: 'boolean', default: false, brief: 'Go on with new ones as they come, until Ctrl-C' },
      verify: {
        kind: 'boolean',
        default: false,
        brief: 'Check instead that no line of all of them was changed, moved or removed; code 1 if one was',
      },
    },
    aliases: { n: 'limit', f: 'follow' },
  },
  docs: {
    brief: 'Show the tool calls that hooks heard of, and which agent made each',
    fullDescription: [
      'Each tool call that passed a hook of troupe is one line of the audit: when, which agent (from the main agent down),',
      'which tool, what for, what was decided, and how many milliseconds the host waited. Secrets in it are masked. Each',
      'line has the hash of the one before it, so that --verify can tell whether something was changed.',
      '',
      'Examples:',
      '  troupe guard log',
      '  troupe guard log --since 2h --tool Bash --agent tester',
      '  troupe guard log --follow --decision deny',
      '  troupe guard log --since today -n 100000 --json | jq -r \'.agent.path | join(" > ")\' | sort | uniq -c',
      '  troupe guard log --verify',
    ].join('\n'),
  },
});

const coverageCommand = buildCommand({
  loader: async () => (await import('./guard-coverage.ts')).guardCoverage,
  parameters: {
    flags: sharedFlags,
    positional: sessionArgument,
  },
  docs: {
    brief: 'Say whether every tool call of a session passed a hook',
    fullDescription: [
      'Holds every tool call in every transcript of a session, sub-agents and all, against what the hooks heard of. Names',
      'those that no hook heard of and the agent that made each; apart from them those that the host refused before any',
      'hook, with its words. Ends with code 1 where one was missed.',
      '',
      'Examples:',
      '  troupe guard coverage',
      '  troupe guard coverage fa129e54',
      '  troupe guard coverage --json | jq .missed[].path',
    ].join('\n'),
  },
});

const checkCommand = buildCommand({
  loader: async () => (await import('./guard-policy.ts')).guardCheck,
  parameters: {
    flags: { json: sharedFlags.json },
    positional: optionalArgument('FILE', 'A policy; default: those that hold in this folder'),
  },
  docs: {
    brief: 'Look for mistakes in the policy: what each agent may do',
    fullDescription: [
      'Reads policy.yaml, and .troupe/policy.yaml and .troupe/policy.local.yaml of the project, and names every mistake with its',
      'line and column; code 1 where there is one. Until it is mended, the guard asks about every call that is not denied.',
      'Without FILE, what is read is kept for the hooks. docs/POLICY.md has the language.',
      '',
      'Examples:',
      '  troupe guard check',
      '  troupe guard check .troupe/policy.yaml',
      "  troupe guard check --json | jq -r '.problems[].message'",
    ].join('\n'),
  },
});

const presetsCommand = buildCommand({
  loader: async () => (await import('./guard-policy.ts')).guardPresets,
  parameters: {
    flags: { json: sharedFlags.json },
    positional: optionalArgument('NAME', 'Show its rules; default: all presets in a line each'),
  },
  docs: {
    brief: 'Show the rules that come with troupe',
    fullDescription: [
      'A policy takes them with `presets: [NAME, …]`.',
      '',
      'Examples:',
      '  troupe guard presets',
      '  troupe guard presets no-secret-files',
    ].join('\n'),
  },
});

export const guardRoutes = buildRouteMap({
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
