import { isScalar, isSeq, type Node } from 'yaml';
import type { PolicyProblem } from '../../core/index.ts';
import { DECISIONS, type Decision, type Policy } from '../policy.ts';
import {
  listOrOne,
  MAX_ALIASES,
  nameOf,
  oneOf,
  type Reader,
  readFields,
  resolveAlias,
  tell,
  type Walk,
  wrong,
} from './fields.ts';
import { PRESET_NAMES, type PresetName } from './presets.ts';
import type { Problems } from './problems.ts';
import { type FolderContext, ON_ERROR, type ReadRule, readRule } from './read-rule.ts';
import { readYaml } from './read-yaml.ts';
import type { PolicySource } from './sources.ts';

/** What one file says, as far as it can be understood. */
export interface PolicyFile {
  readonly presets: readonly PresetName[];
  readonly defaults: { readonly [K in keyof Policy['defaults']]?: Placed<Decision> };
  readonly onError?: Placed<Decision>;
  /** With the number that each has in the file, from 1 on: those with mistakes are not here. */
  readonly rules: readonly (ReadRule & { readonly number: number; readonly offset: number })[];
  /** The first thing that is wrong; null: it can be used as it is. */
  readonly error: PolicyProblem | null;
  readonly problems: Problems;
}

export interface Placed<T> {
  readonly value: T;
  readonly offset: number;
}

export function readPolicyFile(source: PolicySource, folders: Omit<FolderContext, 'root'>): PolicyFile {
  const { document, problems } = readYaml(source);
  const empty = { presets: [], defaults: {}, rules: [], problems };
  const firstError = (): PolicyProblem | null =>
    problems.list().find(({ severity, code }) => severity === 'error' && code !== 'loosens') ?? null;
  if (!document) return { ...empty, error: firstError() };
  const isYaml = problems.errors() === 0;
  const { contents } = document;
  const walk: Walk = { document, problems: isYaml ? problems : muted(problems), aliasesLeft: MAX_ALIASES };
  const fields =
    contents === null
      ? reportEmpty(walk)
      : readFields(walk, contents, 'a policy', {
          version: versionOne,
          presets: presetList,
          defaults: readDefaults,
          on_error: placed(oneOf(ON_ERROR)),
          rules: ruleList({ ...folders, root: source.root }),
        });
  if (fields && !fields.keys.has('version')) {
    tell(walk, {
      code: 'missing-key',
      offset: contents?.range[0] ?? 0,
      message: 'The version is missing.',
      remedy: 'Begin the file with `version: 1`.',
    });
  }
  const { presets = [], defaults = {}, on_error: onError, rules = [] } = fields?.values ?? {};
  const error = firstError();
  const known = onError ? { onError } : {};
  // In a text that is no YAML, what seems to be a rule may be half of one.
  return isYaml ? { presets, defaults, ...known, rules, error, problems } : { ...empty, ...known, error };
}

/** What follows from a first mistake is no news. */
function muted(problems: Problems): Problems {
  return { ...problems, add: () => {} };
}

function reportEmpty(walk: Walk): undefined {
  tell(walk, {
    code: 'missing-key',
    offset: 0,
    message: 'The file is empty.',
    remedy: 'Begin it with `version: 1`, or remove it.',
  });
}

export const versionOne: Reader<1> = (walk, node) => {
  const scalar = resolveAlias(walk, node);
  if (!scalar) return undefined;
  if (isScalar(scalar) && scalar.value === 1) return 1;
  return wrong(walk, node, 'This troupe knows `version: 1` only.', 'Write `version: 1`, or use a newer troupe.');
};

function placed<T>(read: Reader<T>): Reader<Placed<T>> {
  return (walk, node, what) => {
    const value = read(walk, node, what);
    return value === undefined ? undefined : { value, offset: node.range?.[0] ?? 0 };
  };
}

const presetList: Reader<readonly PresetName[]> = (walk, node, what) => {
  const seen = new Set<string>();
  const names = listOrOne(placed(oneOf(PRESET_NAMES)))(walk, node, what);
  return names?.flatMap(({ value, offset }) => {
    if (seen.has(value))
      tell(walk, { code: 'duplicate', offset, message: `\`${value}\` is there twice.`, remedy: 'Remove one.' });
    return seen.has(value) ? [] : seen.add(value) && value;
  });
};

const readDefaults: Reader<PolicyFile['defaults']> = (walk, node, what) => {
  const decision = placed(oneOf(DECISIONS));
  const fields = readFields(walk, node, what, {
    main: decision,
    subagent: decision,
    unknown: decision,
  });
  if (fields?.keys.size === 0) return wrong(walk, node, `${what} is empty.`, 'Remove it.');
  return fields?.values;
};

function ruleList(folders: FolderContext): Reader<PolicyFile['rules']> {
  return (walk, node, what) => {
    const list = resolveAlias(walk, node);
    if (!list) return undefined;
    if (!isSeq(list))
      return wrong(walk, node, `${what} must be a list, not ${nameOf(list)}.`, 'Begin each rule with `- `.');
    if (list.items.length === 0) return wrong(walk, node, `${what} is an empty list.`, 'Remove it.');
    return (list.items as readonly Node[]).flatMap((item, index) => {
      const rule = readRule(walk, item, folders);
      return rule ? [{ ...rule, number: index + 1, offset: item.range?.[0] ?? 0 }] : [];
    });
  };
}
