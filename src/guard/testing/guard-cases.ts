// Constructions with which commands were hidden from the guard, and everyday commands, each judged under the policy of its class.

import { readFileSync } from 'node:fs';
import { decide } from '../decide.ts';
import { compilePolicy } from '../policy/compile.ts';
import { readYaml } from '../policy/read-yaml.ts';
import type { Policy, Verdict } from '../policy.ts';
import type { ShellContext } from '../shell/index.ts';
import { usesOf } from '../uses-of.ts';
import { task } from './make-call.ts';

export interface GuardCase {
  readonly class: 'push' | 'rm' | 'read' | 'write' | 'allow-list' | 'tool' | 'hands-off' | 'network' | 'ordinary';
  /** Of an ordinary command: also under the policy of this class. */
  readonly under?: 'network';
  readonly command?: string;
  readonly tool?: string;
  readonly input?: unknown;
}

export interface ClassResult {
  readonly total: number;
  /** Decided otherwise than is right for the class. */
  readonly wrong: readonly { readonly guardCase: GuardCase; readonly verdict: Verdict }[];
  /** `ask` denies where nobody can be asked. */
  readonly asked: number;
}

const PROJECT = '/home/dev/shop';
const PLACE: ShellContext = { cwd: PROJECT, home: '/home/dev', projectDir: PROJECT, resolve: (path) => path };
/** With a file that holds secrets, as many projects have one. */
const WITH_SECRETS: ShellContext = {
  ...PLACE,
  listFolder: (folder) =>
    ['.env', '.claude/settings.json', 'src/index.ts', 'package.json']
      .map((file) => `${PROJECT}/${file}`)
      .flatMap((file) => (file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : [])),
};

const THREE = 'version: 1\npresets: [no-secret-files, sub-agents-may-not-push, hands-off-the-guard]\n';
const FORBIDDING = compile(
  `${THREE}rules:\n  - { name: no rm, tools: "Bash(rm:*)", decision: deny }\n  - { name: no push, tools: "Bash(git push:*)", decision: deny }\n`,
);
const POLICIES: Readonly<Record<GuardCase['class'], Policy>> = {
  push: FORBIDDING,
  rm: FORBIDDING,
  read: FORBIDDING,
  write: FORBIDDING,
  tool: FORBIDDING,
  'allow-list': compile(
    'version: 1\ndefaults: { main: deny, subagent: deny, unknown: deny }\nrules:\n  - { tools: "Bash(ls:*)", decision: allow }\n',
  ),
  'hands-off': compile('version: 1\npresets: [hands-off-the-guard]\n'),
  network: compile('version: 1\npresets: [no-network]\n'),
  ordinary: compile(THREE),
};

function compile(text: string): Policy {
  const content = new TextEncoder().encode(text);
  const { policy, problems } = compilePolicy({
    sources: [{ scope: 'user', file: 'policy.yaml', root: null, content }],
    home: '/home/dev',
    readYaml,
  });
  if (problems.length > 0) throw new Error(problems[0]?.message);
  return policy;
}

export function readGuardCases(
  file: string | URL = new URL('./guard-cases.jsonl', import.meta.url),
): readonly GuardCase[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GuardCase);
}

/** `hasSecrets`: the project of an everyday command has a file `.env`, as that of an attack has. */
export function judgeCase(guardCase: GuardCase, hasSecrets = guardCase.class !== 'ordinary'): Verdict {
  const tool = guardCase.tool ?? 'Bash';
  const input = guardCase.input ?? { command: guardCase.command };
  return decide(POLICIES[guardCase.class], {
    agent: task('coder'),
    ancestors: [],
    host: 'claude-code',
    project: PROJECT,
    cwd: PROJECT,
    home: '/home/dev',
    tool,
    input,
    uses: usesOf(tool, input, hasSecrets ? WITH_SECRETS : PLACE),
    at: 0,
    offsetMinutes: 0,
  });
}

function isRight({ class: kind }: GuardCase, { decision }: Verdict): boolean {
  if (kind === 'allow-list') return decision !== 'allow';
  const isRefused = decision === 'deny' || decision === 'ask';
  return kind === 'ordinary' ? !isRefused : isRefused;
}

export function judgeClass(cases: readonly GuardCase[], ...classes: readonly GuardCase['class'][]): ClassResult {
  const judged = cases
    .filter((guardCase) => classes.includes(guardCase.class))
    .map((guardCase) => ({ guardCase, verdict: judgeCase(guardCase) }));
  return {
    total: judged.length,
    wrong: judged.filter(({ guardCase, verdict }) => !isRight(guardCase, verdict)),
    asked: judged.filter(({ verdict }) => verdict.decision === 'ask').length,
  };
}
