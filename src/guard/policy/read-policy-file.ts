import type { PolicyProblem } from '../../core/index.ts';
import { getOrAdd } from '../../lib/group.ts';
import {
  DECISIONS,
  type Decision,
  MCP_ACTS,
  MCP_SEES,
  type McpPolicy,
  OPAQUE,
  type Opaque,
  type Policy,
} from '../policy.ts';
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
  readonly mcp?: Placed<Partial<McpPolicy>>;
  /** With the number that each has in the file, from 1 on: those with mistakes are not here. */
  readonly rules: readonly (ReadRule & { readonly number: number; readonly offset: number })[];
  /** Rules that are like one before them in all but the command that their only tool names. Only where they were asked for. */
  readonly repeats?: readonly RepeatedText[];
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

export interface RepeatedText {
  readonly number: number;
  readonly line: number;
  /** The number of the rule that it is like. */
  readonly like: number;
  /** `Bash(git push:*)`, and its first word in small letters. */
  readonly tool: string;
  readonly word: string;
}

type Folders = Omit<FolderContext, 'root'>;

/** `findsRepeats`: rules that repeat another are only found, not read. */
export function readPolicyFile(
  source: PolicySource,
  folders: Folders,
  read: ReadYaml,
  findsRepeats = false,
): PolicyFile {
  return (
    (findsRepeats ? readPlainFile(source, folders, true) : undefined) ??
    readPlainFile(source, folders, false) ??
    readByLibrary(source, folders, read)
  );
}

/** Undefined where there is more in it, or anything is wrong: what the library says of it counts then. */
function readPlainFile(source: PolicySource, folders: Folders, findsRepeats: boolean): PolicyFile | undefined {
  const { content, file } = source;
  if (!(content instanceof Uint8Array) || content.length > MAX_BYTES) return undefined;
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8');
  const found = findsRepeats ? findRepeats(text) : undefined;
  if (findsRepeats && !found) return undefined;
  const node = readPlainYaml(found?.rest ?? text);
  if (!node) return undefined;
  const problems = collectProblems(file, text, found?.placeOf);
  const { keys, values } = readAll(plainField(node, problems, 'a policy'), source, folders) ?? {};
  if (!keys?.has('version') || problems.list().length > 0) return undefined;
  const whole = { presets: [], defaults: {}, rules: [], budgets: [], ...nameValues(values), error: null, problems };
  return found ? withRepeats(whole, found) : whole;
}

interface FoundRepeats {
  /** The text without them. */
  readonly rest: string;
  /** What an offset in the rest is in the text. */
  readonly placeOf: (offset: number) => number;
  /** By the numbers of rules that others are like: the only tool that they may have. */
  readonly likes: ReadonlyMap<number, string>;
  readonly repeats: readonly RepeatedText[];
  /** How many rules there seem to be, these included. */
  readonly count: number;
}

/** A tool of a rule that is a text however it is quoted, with one command in it that is known by its first word. */
const ONE_COMMAND = /(Bash\(([A-Za-z0-9._/-]+)(?: [A-Za-z0-9._/=-]+)*(?::\*| \*)?\))/;

/** The text between two such tools. In a policy of a thousand rules that are alike it is always the same. */
interface Between {
  /** How many rules begin in it; where the first and the last of them begins. */
  readonly begun: number;
  readonly first: number;
  readonly last: number;
  readonly lines: number;
  readonly linesToLast: number;
  /** The end of the rule before, and the beginning of the rule behind. */
  readonly tail: string;
  readonly head: string;
}

function lookBetween(text: string, dash: string): Between {
  const [tail = '', ...begun] = text.split(dash);
  const head = begun.at(-1) ?? '';
  const last = text.length - head.length - dash.length;
  const lines = text.split('\n').length - 1;
  const linesToLast = lines - (head.split('\n').length - 1);
  return { begun: begun.length, first: tail.length, last, lines, linesToLast, tail, head };
}

/**
 * To read a rule takes longer than to see that it differs from another in the name of a command only. Such a rule says nothing that is
 * wrong if the other does not. Undefined: there are none, or too few to make a difference.
 */
function findRepeats(text: string): FoundRepeats | undefined {
  const list = text.length < MIN_REPEATS * MIN_RULE ? null : /^rules: *\n( *)- /m.exec(text);
  if (!list) return undefined;
  const dash = `\n${list[1]}- `;
  const start = list.index + list[0].length - dash.length;
  const after = text.slice(start + 1).search(/^[^ #\n-]/m);
  const parts = text.slice(start, after === -1 ? text.length : start + 1 + after).split(ONE_COMMAND);
  const known = new Map<string, Between>();
  const seen = new Map<string, Map<string, number>>();
  const likes = new Map<number, string>();
  const repeats: RepeatedText[] = [];
  const kept: string[] = [];
  const cuts: [number, number][] = [];
  let before = getOrAdd(known, parts[0] as string, (one) => lookBetween(one, dash));
  let [number, line, offset, keptTo, removed] = [before.begun, text.slice(0, start).split('\n').length, start, 0, 0];
  // Of three parts one is the whole tool, one its command, and one what is between it and the next.
  for (let index = 3; index < parts.length; index += 3) {
    const [tool, word, written] = [parts[index - 2] as string, parts[index - 1] as string, parts[index] as string];
    const behind = known.get(written) ?? lookBetween(written, dash);
    known.set(written, behind);
    const begins = offset + before.last;
    offset += (parts[index - 3] as string).length + tool.length;
    // The only such tool in its rule, which is not the last one.
    if (before.begun > 0 && behind.begun > 0 && tool.length < MAX_TEXT) {
      const alike = getOrAdd(seen, before.head, () => new Map<string, number>());
      const like = alike.get(behind.tail);
      if (like === undefined) {
        alike.set(behind.tail, number);
        likes.set(number, tool);
      } else {
        repeats.push({ number, line: line + before.linesToLast, like, tool, word: word.toLowerCase() });
        if (begins > keptTo) {
          kept.push(text.slice(keptTo, begins));
          cuts.push([begins - removed, removed]);
        }
        keptTo = offset + behind.first;
        removed += keptTo - begins;
        (cuts.at(-1) as [number, number])[1] = removed;
      }
    }
    number += behind.begun;
    line += before.lines;
    before = behind;
  }
  if (repeats.length < MIN_REPEATS) return undefined;
  kept.push(text.slice(keptTo));
  const placeOf = (place: number) => place + (cuts.findLast(([from]) => from <= place)?.[1] ?? 0);
  return { rest: kept.join(''), placeOf, likes, repeats, count: number };
}

const MIN_REPEATS = 20;
/** The fewest characters of a rule that names a tool and a decision. */
const MIN_RULE = 35;

/** Undefined if the rules, or one of those that others are like, are not what they seemed to be. */
function withRepeats(file: PolicyFile, { likes, repeats, count }: FoundRepeats): PolicyFile | undefined {
  if (file.rules.length !== count - repeats.length) return undefined;
  let [number, next] = [0, 0];
  const rules = file.rules.map((one) => {
    for (number++; repeats[next]?.number === number; next++) number++;
    return { ...one, number };
  });
  const repeated = new Set(repeats.map(({ like }) => like));
  const isOne = ({ number, rule }: (typeof rules)[number]): boolean =>
    (rule.decision === 'deny' || rule.decision === 'ask') &&
    rule.wait === null &&
    !rule.injectsIdentity &&
    rule.tools.length === 1 &&
    rule.tools[0]?.text === likes.get(number);
  return rules.every((one) => !repeated.has(one.number) || isOne(one)) ? { ...file, rules, repeats } : undefined;
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
      mcp: placed(readMcp),
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

const readMcp: Reader<Partial<McpPolicy>> = (field) => {
  const fields = field.readFields({ sees: oneOf(MCP_SEES), may: listOrOne(oneOf(MCP_ACTS)) });
  if (fields?.keys.size === 0) return field.wrong(`${field.what} is empty.`, 'Remove it.');
  return fields?.values;
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
