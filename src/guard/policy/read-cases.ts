// A table of calls with the decisions that people expect: read as strictly as a policy, for a case that is not understood tests nothing.

import type { Document, Node } from 'yaml';
import { type GuardMismatch, type PolicyProblem, toAgentId } from '../../core/index.ts';
import { type BudgetCall, type BudgetVerdict, imagineUsage, judgeBudgets } from '../budgets.ts';
import { decide } from '../decide.ts';
import { AGENT_KINDS, type DescribedCall, findContradiction, type ImaginedAgent } from '../described-call.ts';
import { type Budget, DECISIONS, type Decision, type GuardedCall, isLooser, type Policy } from '../policy.ts';
import { explainCall } from './explain-call.ts';
import { type Field, listOrOne, MAX_ALIASES, nameOf, oneOf, type Reader, rootField, textOf } from './fields.ts';
import { isMap, isScalar, isSeq } from './plain-yaml.ts';
import { DATE, shortLine, TOOL, amount as usedAmount, whole } from './read-rule.ts';
import { readYaml } from './read-yaml.ts';
import type { PolicySource } from './sources.ts';

interface GuardCase {
  readonly line: number;
  readonly name: string | null;
  readonly call: DescribedCall;
  /** By the agent, its session, its project and today; undefined: budgets are left out. */
  readonly used: Budget['limits'] | undefined;
  readonly expected: Decision;
  readonly expectedRule: string | null;
}

/** No cases where there is an error. */
export function readCases(
  file: string,
  content: PolicySource['content'],
): { readonly cases: readonly GuardCase[]; readonly problems: readonly PolicyProblem[] } {
  const { document, problems } = readYaml({ file, content });
  if (!document || problems.errors() > 0) return { cases: [], problems: problems.list() };
  const cases = readList(rootField(document, problems, 'a table'));
  return { cases: problems.errors() === 0 ? cases : [], problems: problems.list() };
}

function readList(root: Field): readonly GuardCase[] {
  const { node: list } = root;
  if (!isSeq(list) || list.items.length === 0) {
    const is = isSeq(list) ? 'an empty list' : nameOf(list);
    const message = `A table is a list of calls, not ${is}.`;
    const remedy = 'Write e.g. `- { agent: { type: reviewer }, command: "rm -rf x", expect: deny }`.';
    root.wrong(message, remedy);
    return [];
  }
  return (list.items as readonly Node[]).flatMap((item) => root.readInner(item, 'a call', readCase) ?? []);
}

const readCase: Reader<GuardCase> = (field) => {
  const fields = field.readFields({
    name: shortLine,
    agent: readAgent,
    command: textOf<string>((text) => text),
    tool: toolName,
    input: readInput,
    cwd: shortLine,
    project: shortLine,
    host: shortLine,
    at: moment,
    used: readUsed,
    expect: oneOf(DECISIONS),
    rule: shortLine,
  });
  if (!fields) return undefined;
  checkKeys(field, fields.keys);
  const {
    agent = {},
    command,
    tool = 'Bash',
    input,
    expect,
    name = null,
    rule = null,
    used,
    ...around
  } = fields.values;
  if (expect === undefined) return undefined;
  const call = { agent, tool, input: command === undefined ? (input ?? {}) : { command }, ...around };
  const line = field.walk.problems.lineOf(field.offset);
  return { line, name, call, used, expected: expect, expectedRule: rule };
};

function checkKeys(field: Field, keys: ReadonlyMap<string, number>): void {
  if (!keys.has('expect'))
    field.missing('What is expected is not said.', 'Add `expect: deny`, `ask`, `allow` or `none`.');
  if (!keys.has('command') && !keys.has('tool'))
    field.missing('Which call is meant is not said.', 'Add a `command`, or a `tool` and its `input`.');
  for (const key of ['tool', 'input']) {
    const offset = keys.get(key);
    const message = `\`command\` is a call of Bash: it has no \`${key}\`.`;
    if (offset !== undefined && keys.has('command'))
      field.tell({ code: 'conflict', offset, message, remedy: 'Remove one of them.' });
  }
}

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

const readInput: Reader<unknown> = (field) => {
  const { walk, node: map, what } = field;
  if (!isMap(map)) return field.wrong(`${what} must be \`key: value\` lines, not ${nameOf(map)}.`);
  try {
    return map.toJS(walk.document as Document, { maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return field.wrong(`${what} cannot be read: ${(error as Error).message}.`);
  }
};

/** `main`, `unknown`, or what is known of a sub-agent. */
const readAgent: Reader<ImaginedAgent | null> = (field) => {
  if (isScalar(field.node)) {
    const word = oneOf(['main', 'unknown'])(field);
    return word === 'unknown' ? null : word && {};
  }
  const fields = field.readFields({
    kind: oneOf(AGENT_KINDS),
    type: shortLine,
    name: shortLine,
    depth,
    under: listOrOne(shortLine),
  });
  if (!fields) return undefined;
  const contradiction = findContradiction(fields.values);
  return contradiction === undefined ? fields.values : field.wrong(`There is no such agent. ${contradiction}`);
};

const depth: Reader<number> = (field) => {
  const value = isScalar(field.node) ? field.node.value : undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1_000) return value;
  return field.wrong(`${field.what} must be a whole number.`, 'Main is at 0.');
};

const readUsed: Reader<Budget['limits']> = (field) => {
  const readers = { tokens: usedAmount, usd: usedAmount, minutes: usedAmount };
  const counts = { turns: whole, tool_calls: whole, spawns: whole, agents_at_once: whole };
  return field.readFields({ ...readers, ...counts })?.values;
};

/** Undefined where the call is decided as expected. */
export function mismatchOf(tested: GuardCase, policy: Policy, call: GuardedCall): GuardMismatch | undefined {
  const { line, name, used, expected, expectedRule } = tested;
  const decided = decide(policy, call);
  const budget = used && judgeImagined(policy, call, used);
  const isLimited = budget !== undefined && isLooser(decided.decision, budget.decision);
  const decision = isLimited ? budget.decision : decided.decision;
  const by = isLimited ? policy.budgets?.find(({ id }) => id === budget.budget) : decided.rule;
  const isRule = expectedRule === null || by?.id === expectedRule || by?.name === expectedRule;
  if (decision === expected && isRule) return undefined;
  const explanation = explainCall(policy, call);
  const said = isLimited ? { decision, reason: budget.reason, rule: null, suggestion: null } : {};
  return { line, name, expected, expectedRule, explanation: { ...explanation, ...said } };
}

function judgeImagined({ budgets = [], onError }: Policy, call: GuardedCall, used: Budget['limits']): BudgetVerdict {
  const { agent, ancestors, host, project, tool, at } = call;
  const idOf = (index: number) => toAgentId(host, `imagined-above-${index}`);
  const asked: BudgetCall = {
    ...{ agent, host, project, tool, at, call: undefined },
    id: agent === null ? undefined : toAgentId(host, 'imagined'),
    ancestors: ancestors.map((one, index) => ({ id: idOf(index), agent: one })),
    spawns: tool === 'Agent' || tool === 'Task',
  };
  const session = imagineUsage(used, asked);
  return judgeBudgets(budgets, asked, { session, sessions: () => [session] }, onError);
}
