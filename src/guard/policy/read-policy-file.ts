import type { PolicyProblem } from '../../core/index.ts';
import { DECISIONS, type Decision, OPAQUE, type Opaque, type Policy } from '../policy.ts';
import type { InputMapping, ToolMappings } from '../tool-inputs.ts';
import { type Field, listOfEach, listOrOne, oneOf, plainField, type Reader, rootField, textOf } from './fields.ts';
import { isMap, isScalar, isSeq, readPlainYaml } from './plain-yaml.ts';
import { PRESET_NAMES, type PresetName } from './presets.ts';
import { collectProblems, type Problems } from './problems.ts';
import {
  type FolderContext,
  MAX_TEXT,
  ON_ERROR,
  type ReadBudget,
  type ReadRule,
  readBudget,
  readRule,
} from './read-rule.ts';
import type { readYaml } from './read-yaml.ts';
import { MAX_BYTES, type PolicySource } from './sources.ts';

/** By the YAML library: the hook loads it only where it must. */
export type ReadYaml = typeof readYaml;

/** What one file says, as far as it can be understood. */
export interface PolicyFile {
  readonly presets: readonly PresetName[];
  readonly defaults: { readonly [K in keyof Policy['defaults']]?: Placed<Decision> };
  readonly onError?: Placed<Decision>;
  readonly opaque?: Placed<Opaque>;
  readonly tools?: ToolMappings;
  /** With the number that each has in the file, from 1 on: those with mistakes are not here. */
  readonly rules: readonly (ReadRule & { readonly number: number; readonly offset: number })[];
  /** The same of budgets. */
  readonly budgets: readonly (ReadBudget & { readonly number: number; readonly offset: number })[];
  /** The first thing that is wrong; null: it can be used as it is. */
  readonly error: PolicyProblem | null;
  readonly problems: Problems;
}

export interface Placed<T> {
  readonly value: T;
  readonly offset: number;
}

type Folders = Omit<FolderContext, 'root'>;

export function readPolicyFile(source: PolicySource, folders: Folders, read: ReadYaml): PolicyFile {
  return readPlainFile(source, folders) ?? readByLibrary(source, folders, read);
}

/** Undefined where there is more in it, or anything is wrong: what the library says of it counts then. */
function readPlainFile(source: PolicySource, folders: Folders): PolicyFile | undefined {
  const { content, file } = source;
  if (!(content instanceof Uint8Array) || content.length > MAX_BYTES) return undefined;
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8');
  const node = readPlainYaml(text);
  if (!node) return undefined;
  const problems = collectProblems(file, text);
  const { keys, values } = readAll(plainField(node, problems, 'a policy'), source, folders) ?? {};
  if (!keys?.has('version') || problems.list().length > 0) return undefined;
  return { presets: [], defaults: {}, rules: [], budgets: [], ...nameValues(values), error: null, problems };
}

function readByLibrary(source: PolicySource, folders: Folders, read: ReadYaml): PolicyFile {
  const { document, problems } = read(source);
  const empty = { presets: [], defaults: {}, rules: [], budgets: [], problems };
  const firstError = (): PolicyProblem | null =>
    problems.list().find(({ severity, code }) => severity === 'error' && code !== 'loosens') ?? null;
  if (!document) return { ...empty, error: firstError() };
  const isYaml = problems.errors() === 0;
  const root = rootField(document, isYaml ? problems : muted(problems), 'a policy');
  const fields =
    document.contents === null
      ? root.missing('The file is empty.', 'Begin it with `version: 1`, or remove it.')
      : readAll(root, source, folders);
  if (fields && !fields.keys.has('version'))
    root.missing('The version is missing.', 'Begin the file with `version: 1`.');
  const error = firstError();
  const { presets = [], defaults = {}, rules = [], budgets = [], ...known } = nameValues(fields?.values);
  // In a text that is no YAML, what seems to be a rule may be half of one.
  return isYaml ? { presets, defaults, ...known, rules, budgets, error, problems } : { ...empty, ...known, error };
}

function readAll(root: Field, { root: project }: PolicySource, folders: Folders) {
  return root.readInner(root.node, root.what, (field) =>
    field.readFields({
      version: versionOne,
      presets: presetList,
      defaults: readDefaults,
      on_error: placed(oneOf(ON_ERROR)),
      opaque: placed(oneOf(OPAQUE)),
      tools: readMappings,
      rules: ruleList({ ...folders, root: project }),
      budgets: budgetList({ ...folders, root: project }),
    }),
  );
}

type Values = NonNullable<ReturnType<typeof readAll>>['values'];

/** By the names that they have here. */
function nameValues({
  version: _,
  on_error: onError,
  ...others
}: Values = {}): Partial<Omit<PolicyFile, 'error' | 'problems'>> {
  return { ...others, ...(onError && { onError }) };
}

/** A text of ours, in which no folder is relative. */
export function readOwnText(file: string, text: string, read: ReadYaml): PolicyFile {
  const source = { scope: 'user', file, root: null, content: new TextEncoder().encode(text) } as const;
  return readPolicyFile(source, { home: '', resolve: (folder) => folder }, read);
}

/** What follows from a first mistake is no news. */
function muted(problems: Problems): Problems {
  return { ...problems, add: () => {} };
}

export const versionOne: Reader<1> = (field) => {
  if (isScalar(field.node) && field.node.value === 1) return 1;
  return field.wrong('This troupe knows `version: 1` only.', 'Write `version: 1`, or use a newer troupe.');
};

function placed<T>(read: Reader<T>): Reader<Placed<T>> {
  return (field) => {
    const value = read(field);
    return value === undefined ? undefined : { value, offset: field.offset };
  };
}

const presetList: Reader<readonly PresetName[]> = (field) => {
  const seen = new Set<string>();
  const names = listOrOne(placed(oneOf(PRESET_NAMES)))(field);
  return names?.flatMap(({ value, offset }) => {
    if (seen.has(value))
      field.tell({ code: 'duplicate', offset, message: `\`${value}\` is there twice.`, remedy: 'Remove one.' });
    return seen.has(value) ? [] : seen.add(value) && value;
  });
};

const readDefaults: Reader<PolicyFile['defaults']> = (field) => {
  const decision = placed(oneOf(DECISIONS));
  const fields = field.readFields({ main: decision, subagent: decision, unknown: decision });
  if (fields?.keys.size === 0) return field.wrong(`${field.what} is empty.`, 'Remove it.');
  return fields?.values;
};

/** A tool that has no name of its own in rules: of an MCP server, or of a host. */
export const MAPPED_TOOL = /^(?:mcp__[A-Za-z0-9_-]+|[a-z][a-z0-9-]*:[A-Za-z0-9_.-]+)$/;

/** The way to an input: `command`, `options.script`. */
export const INPUT_PATH = /^[^\s.]+(?:\.[^\s.]+)*$/;

const inputPath = textOf<string>((text) =>
  text.length <= MAX_TEXT && INPUT_PATH.test(text)
    ? text
    : { wrong: 'must name an input.', remedy: 'Write `command`, or `options.script` for an input inside another.' },
);

const readMapping: Reader<InputMapping> = (field) => {
  const inputs = listOrOne(inputPath);
  return field.readFields({ command: inputs, read: inputs, write: inputs, url: inputs })?.values;
};

const readMappings: Reader<ToolMappings> = (field) => {
  const { node: map, what } = field;
  if (!isMap(map)) return field.wrong(`${what} must be \`tool: inputs\` lines.`);
  if (map.items.length === 0) return field.wrong(`${what} is empty.`, 'Remove it.');
  const names = map.items.flatMap(({ key }) => (isScalar(key) ? [{ key, name: String(key.value) }] : []));
  for (const { key, name } of names) {
    if (name.length <= MAX_TEXT && MAPPED_TOOL.test(name)) continue;
    const message = `\`${name.slice(0, 60)}\` cannot have a mapping.`;
    const remedy = 'Name one tool of an MCP server (`mcp__server__tool`) or of a host (`host:tool`).';
    field.tell({ code: 'value', offset: key.range?.[0] ?? field.offset, message, remedy });
  }
  return field.readFields(Object.fromEntries(names.map(({ name }) => [name, readMapping])))?.values as
    | ToolMappings
    | undefined;
};

function ruleList(folders: FolderContext): Reader<PolicyFile['rules']> {
  const list = listOfEach('rule', (field, number) => {
    const rule = readRule(field, folders);
    return rule && { ...rule, number, offset: field.offset };
  });
  return unlessEmpty(list);
}

function budgetList(folders: FolderContext): Reader<PolicyFile['budgets']> {
  const names = new Set<string>();
  const list = listOfEach('budget', (field, number) => {
    const budget = readBudget(field, folders);
    if (budget && names.has(budget.name)) {
      const message = `Two budgets are called \`${budget.name}\`.`;
      field.tell({ code: 'duplicate', message, remedy: 'Give one of them another name.' });
    }
    if (budget) names.add(budget.name);
    return budget && { ...budget, number, offset: field.offset };
  });
  return unlessEmpty(list);
}

function unlessEmpty<T>(list: Reader<T>): Reader<T> {
  return (field) => {
    const isEmpty = isSeq(field.node) && field.node.items.length === 0;
    return isEmpty ? field.wrong(`${field.what} is an empty list.`, 'Remove it.') : list(field);
  };
}
