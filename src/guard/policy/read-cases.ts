// A table of calls with the decisions that people expect: read as strictly as a policy, for a case that is not understood tests nothing.

import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { GuardMismatch, PolicyProblem } from '../../core/index.ts';
import { decide } from '../decide.ts';
import { AGENT_KINDS, type DescribedCall, findContradiction, type ImaginedAgent } from '../described-call.ts';
import { DECISIONS, type Decision, type GuardedCall, type Policy, type Rule } from '../policy.ts';
import { explainCall } from './explain-call.ts';
import {
  listOrOne,
  MAX_ALIASES,
  nameOf,
  offsetOf,
  oneOf,
  type Reader,
  readFields,
  resolveAlias,
  tell,
  textOf,
  type Walk,
  wrong,
} from './fields.ts';
import { DATE, LINE, MAX_TEXT, TOOL } from './read-rule.ts';
import { readYaml } from './read-yaml.ts';
import type { PolicySource } from './sources.ts';

interface GuardCase {
  readonly line: number;
  readonly name: string | null;
  readonly call: DescribedCall;
  readonly expected: Decision;
  readonly expectedRule: string | null;
}

interface ReadCases {
  /** None where there is an error. */
  readonly cases: readonly GuardCase[];
  readonly problems: readonly PolicyProblem[];
}

export function readCases(file: string, content: PolicySource['content']): ReadCases {
  const { document, problems } = readYaml({ scope: 'user', file, root: null, content });
  if (!document || problems.errors() > 0) return { cases: [], problems: problems.list() };
  const cases = readList({ document, problems, aliasesLeft: MAX_ALIASES }, document.contents);
  return { cases: problems.errors() === 0 ? cases : [], problems: problems.list() };
}

function readList(walk: Walk, contents: Node | null): readonly GuardCase[] {
  if (contents === null || !isSeq(contents) || contents.items.length === 0) {
    const is = contents === null ? 'nothing' : isSeq(contents) ? 'an empty list' : nameOf(contents);
    const message = `A table is a list of calls, not ${is}.`;
    const remedy = 'Write e.g. `- { agent: { type: reviewer }, command: "rm -rf x", expect: deny }`.';
    tell(walk, { code: 'value', offset: offsetOf(contents), message, remedy });
    return [];
  }
  return (contents.items as readonly Node[]).flatMap((item) => readCase(walk, item) ?? []);
}

function readCase(walk: Walk, node: Node): GuardCase | undefined {
  const fields = readFields(walk, node, 'a call', {
    name: line,
    agent: readAgent,
    command: textOf<string>((text) => text),
    tool: toolName,
    input: readInput,
    cwd: line,
    project: line,
    host: line,
    at: moment,
    expect: oneOf(DECISIONS),
    rule: line,
  });
  if (!fields) return undefined;
  reportMissing(walk, offsetOf(node), fields.keys);
  const { agent = {}, command, tool = 'Bash', input, expect, name = null, rule = null, ...around } = fields.values;
  if (expect === undefined) return undefined;
  const call = { agent, tool, input: command === undefined ? (input ?? {}) : { command }, ...around };
  return { line: walk.problems.lineOf(offsetOf(node)), name, call, expected: expect, expectedRule: rule };
}

function reportMissing(walk: Walk, offset: number, keys: ReadonlyMap<string, number>): void {
  const missing = (message: string, remedy: string): void =>
    tell(walk, { code: 'missing-key', offset, message, remedy });
  if (!keys.has('expect')) missing('What is expected is not said.', 'Add `expect: deny`, `ask`, `allow` or `none`.');
  if (!keys.has('command') && !keys.has('tool'))
    missing('Which call is meant is not said.', 'Add a `command`, or a `tool` and its `input`.');
  for (const key of ['tool', 'input']) {
    const both = keys.get(key);
    if (both !== undefined && keys.has('command'))
      tell(walk, {
        code: 'conflict',
        offset: both,
        message: `\`command\` is a call of Bash: it has no \`${key}\`.`,
        remedy: 'Remove one of them.',
      });
  }
}

const line = textOf<string>((text) =>
  text.length <= MAX_TEXT && LINE.test(text) ? text : { wrong: 'must be one short line.' },
);

const toolName = textOf<string>((text) =>
  TOOL.test(text) && !/[(*]/.test(text)
    ? text
    : {
        wrong: `is \`${text.slice(0, 60)}\`, which is no tool.`,
        remedy: 'Write `Edit`, `mcp__server__tool` or `host:name`.',
      },
);

const moment = textOf<number>((text) =>
  DATE.test(text) && text.includes('T')
    ? Date.parse(text)
    : {
        wrong: 'is no moment.',
        remedy: 'Write "2026-11-30T18:00", with `Z` or an offset where the clock of the place must not matter.',
      },
);

const readInput: Reader<unknown> = (walk, node, what) => {
  const map = resolveAlias(walk, node);
  if (!map) return undefined;
  if (!isMap(map)) return wrong(walk, node, `${what} must be \`key: value\` lines, not ${nameOf(map)}.`);
  try {
    return map.toJS(walk.document, { maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return wrong(walk, node, `${what} cannot be read: ${(error as Error).message}.`);
  }
};

/** `main`, `unknown`, or what is known of a sub-agent. */
const readAgent: Reader<ImaginedAgent | null> = (walk, node, what) => {
  const agent = resolveAlias(walk, node);
  if (!agent) return undefined;
  if (isScalar(agent)) {
    const word = oneOf(['main', 'unknown'])(walk, node, what);
    return word === 'unknown' ? null : word && {};
  }
  const fields = readFields(walk, node, what, {
    kind: oneOf(AGENT_KINDS),
    type: line,
    name: line,
    depth,
    under: listOrOne(line),
  });
  if (!fields) return undefined;
  const contradiction = findContradiction(fields.values);
  return contradiction === undefined ? fields.values : wrong(walk, node, `There is no such agent. ${contradiction}`);
};

const depth: Reader<number> = (walk, node, what) => {
  const scalar = resolveAlias(walk, node);
  if (!scalar) return undefined;
  const value = isScalar(scalar) ? scalar.value : undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1_000) return value;
  return wrong(walk, node, `${what} must be a whole number.`, 'Main is at 0.');
};

/** Undefined where the call is decided as expected. */
export function mismatchOf(tested: GuardCase, policy: Policy, call: GuardedCall): GuardMismatch | undefined {
  const { line, name, expected, expectedRule } = tested;
  const { decision, rule } = decide(policy, call);
  if (decision === expected && (expectedRule === null || isCalled(rule, expectedRule))) return undefined;
  return { line, name, expected, expectedRule, explanation: explainCall(policy, call) };
}

function isCalled(rule: Rule | null, wanted: string): boolean {
  return rule !== null && (rule.id === wanted || rule.name === wanted);
}
