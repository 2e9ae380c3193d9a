// The file of `troupe run --inject`: which calls get which result in place of their own (docs/INTERCEPT.md).

import path from 'node:path';
import type { PolicyProblem } from '../../core/index.ts';
import { decide } from '../decide.ts';
import { type GuardedCall, NO_POLICY, PLAIN_RULE, type Rule } from '../policy.ts';
import { type Field, flag, listOfEach, listOrOne, nameOf, type Reader, rootField, textOf } from './fields.ts';
import { isScalar } from './plain-yaml.ts';
import { versionOne } from './read-policy-file.ts';
import { type FolderContext, readAgents, readTool, sentence } from './read-rule.ts';
import { readYaml } from './read-yaml.ts';
import { readNamedSource, readSource } from './sources.ts';

/** Undefined where there is no such file; no results where there is an error. */
export function readResultsFile(
  file: string,
  home: string,
): { readonly results: readonly GivenResult[]; readonly problems: readonly PolicyProblem[] } | undefined {
  const found = readNamedSource(file);
  if (!found) return undefined;
  const { document, problems } = readYaml({ file, content: found.content });
  // What follows from a first mistake says nothing new.
  if (!document || problems.errors() > 0) return { results: [], problems: problems.list() };
  const folders: FolderContext = { home, root: path.dirname(file), resolve: (place) => place };
  const root = rootField(document, problems, 'a file of results');
  const results = listOfEach('result', (field, number) => readResult(field, number, file, folders));
  const readAll = (field: Field) => field.readFields({ version: versionOne, results });
  const fields = document.contents === null ? undefined : root.readInner(root.node, root.what, readAll);
  if (!fields?.keys.has('version')) root.missing('`version` is missing.', 'Begin the file with `version: 1`.');
  if (!fields?.keys.has('results')) root.missing('`results` is missing.', 'Say which calls get which result.');
  return { results: problems.errors() > 0 ? [] : (fields?.values.results ?? []), problems: problems.list() };
}

function readResult(field: Field, number: number, file: string, folders: FolderContext): GivenResult | undefined {
  const fields = field.readFields({
    name: sentence,
    agents: readAgents(folders),
    tools: listOrOne(readTool),
    result: anyText,
    result_file: fileIn(path.dirname(file)),
    is_error: flag,
  });
  if (!fields) return undefined;
  const { values, keys } = fields;
  if (keys.has('result') === keys.has('result_file'))
    field.tell({
      code: keys.has('result') ? 'conflict' : 'missing-key',
      offset: keys.get('result_file') ?? field.offset,
      message: keys.has('result') ? 'There are two results here.' : 'This has no result.',
      remedy: 'Give a text with `result`, or a file with `result_file`.',
    });
  if (!keys.has('tools'))
    field.missing('This does not say which calls get it.', 'Add `tools: Bash(npm test:*)`, or a list.');
  const text = values.result ?? values.result_file;
  if (text === undefined || values.tools === undefined) return undefined;
  return {
    rule: {
      ...PLAIN_RULE,
      id: `inject:${number}`,
      name: values.name ?? null,
      place: { file, line: field.walk.problems.lineOf(field.offset) },
      agents: values.agents ?? null,
      tools: values.tools,
      decision: 'allow',
    },
    text,
    isError: values.is_error ?? false,
  };
}

/** It may be empty, and have many lines. */
const anyText: Reader<string> = (field) => {
  const { node: scalar, what } = field;
  if (isScalar(scalar) && typeof scalar.value === 'string') return scalar.value;
  return field.wrong(`${what} must be a text, not ${nameOf(scalar)}.`, 'Put quotes around it.');
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
