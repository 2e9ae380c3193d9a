// The file of `troupe run --inject`: which calls get which result in place of their own (docs/INTERCEPT.md).

import path from 'node:path';
import { isScalar, isSeq, type Node } from 'yaml';
import type { PolicyProblem } from '../../core/index.ts';
import { decide } from '../decide.ts';
import { type GuardedCall, NO_POLICY, PLAIN_RULE, type Rule } from '../policy.ts';
import {
  flag,
  listOrOne,
  MAX_ALIASES,
  nameOf,
  type Reader,
  readFields,
  resolveAlias,
  tell,
  textOf,
  type Walk,
  wrong,
} from './fields.ts';
import { versionOne } from './read-policy-file.ts';
import { type FolderContext, readAgents, readTool, sentence } from './read-rule.ts';
import { readYaml } from './read-yaml.ts';
import { readNamedSource, readSource } from './sources.ts';

interface ResultsFile {
  /** Empty where there is an error. */
  readonly results: readonly GivenResult[];
  readonly problems: readonly PolicyProblem[];
}

/** Undefined where there is no such file. */
export function readResultsFile(file: string, home: string): ResultsFile | undefined {
  const found = readNamedSource(file);
  if (!found) return undefined;
  const { document, problems } = readYaml({ scope: 'user', file, root: null, content: found.content });
  // What follows from a first mistake says nothing new.
  if (!document || problems.errors() > 0) return { results: [], problems: problems.list() };
  const { contents } = document;
  const walk: Walk = { document, problems, aliasesLeft: MAX_ALIASES };
  const folder = path.dirname(file);
  const context: FileContext = { file, folders: { home, root: folder, resolve: (place) => place } };
  const fields =
    contents === null
      ? undefined
      : readFields(walk, contents, 'a file of results', { version: versionOne, results: list(context) });
  for (const key of ['version', 'results'] as const)
    if (!fields?.keys.has(key))
      tell(walk, {
        code: 'missing-key',
        offset: contents?.range[0] ?? 0,
        message: `\`${key}\` is missing.`,
        remedy: key === 'version' ? 'Begin the file with `version: 1`.' : 'Say which calls get which result.',
      });
  return { results: problems.errors() > 0 ? [] : (fields?.values.results ?? []), problems: problems.list() };
}

interface FileContext {
  readonly file: string;
  readonly folders: FolderContext;
}

function list(context: FileContext): Reader<readonly GivenResult[]> {
  return (walk, node, what) => {
    const items = resolveAlias(walk, node);
    if (!items) return undefined;
    if (!isSeq(items))
      return wrong(walk, node, `${what} must be a list, not ${nameOf(items)}.`, 'Begin each result with `- `.');
    return (items.items as readonly Node[]).flatMap((item, index) => readResult(walk, item, index + 1, context) ?? []);
  };
}

function readResult(walk: Walk, node: Node, number: number, { file, folders }: FileContext): GivenResult | undefined {
  const fields = readFields(walk, node, 'a result', {
    name: sentence,
    agents: readAgents(folders),
    tools: listOrOne(readTool),
    result: anyText,
    result_file: fileIn(path.dirname(file)),
    is_error: flag,
  });
  if (!fields) return undefined;
  const { values, keys } = fields;
  const offset = node.range?.[0] ?? 0;
  if (keys.has('result') === keys.has('result_file'))
    tell(walk, {
      code: keys.has('result') ? 'conflict' : 'missing-key',
      offset: keys.get('result_file') ?? offset,
      message: keys.has('result') ? 'There are two results here.' : 'This has no result.',
      remedy: 'Give a text with `result`, or a file with `result_file`.',
    });
  if (!keys.has('tools'))
    tell(walk, {
      code: 'missing-key',
      offset,
      message: 'This does not say which calls get it.',
      remedy: 'Add `tools: Bash(npm test:*)`, or a list.',
    });
  const text = values.result ?? values.result_file;
  if (text === undefined || values.tools === undefined) return undefined;
  return {
    rule: {
      ...PLAIN_RULE,
      id: `inject:${number}`,
      name: values.name ?? null,
      place: { file, line: walk.problems.lineOf(offset) },
      agents: values.agents ?? null,
      tools: values.tools,
      decision: 'allow',
    },
    text,
    isError: values.is_error ?? false,
  };
}

/** It may be empty, and have many lines. */
const anyText: Reader<string> = (walk, node, what) => {
  const scalar = resolveAlias(walk, node);
  if (!scalar) return undefined;
  if (isScalar(scalar) && typeof scalar.value === 'string') return scalar.value;
  return wrong(walk, node, `${what} must be a text, not ${nameOf(scalar)}.`, 'Put quotes around it.');
};

/** Relative to the file that names it. Gives what is in it. */
function fileIn(folder: string): Reader<string> {
  return textOf<string>((name) => {
    const content = readSource(path.resolve(folder, name))?.content;
    if (content instanceof Uint8Array) return new TextDecoder().decode(content);
    return { wrong: content ? `\`${name}\`: ${content.trouble}` : `\`${name}\` is not there.` };
  });
}

/** What an agent is to see as the result of a call that does not run. */
export interface GivenResult {
  /** Which calls: those that it would allow, so each part of a command has to be one that it names. */
  readonly rule: Rule;
  readonly text: string;
  readonly isError: boolean;
}

/** The first that is for this call, for certain. */
export function findResult(results: readonly GivenResult[], call: GuardedCall): GivenResult | undefined {
  return results.find(({ rule }) => {
    const verdict = decide({ ...NO_POLICY, rules: [rule] }, call);
    return verdict.decision === 'allow' && verdict.rule !== null;
  });
}
