// What a tool call did, in the form that shows it best.

import { asFlag, asObject, asText, isObject, type JsonObject, parseJson } from '../../lib/json.ts';
import { parsePatch } from '../../lib/patch-text.ts';
import { cleanBlock, cleanLine } from '../index.ts';
import { type CallResult, plainToolName, type ToolCall } from './messages.ts';

/** What a call is shown as, by kind. Each UI draws these in its own way. */
interface Views {
  readonly terminal: {
    readonly command: string;
    /** In the words of the agent: what for. */
    readonly note: string | undefined;
    readonly isBackground: boolean;
    /** As the program that ran it wrote it down. */
    readonly exitCode: number | undefined;
    readonly output: string | undefined;
  };
  readonly edits: { readonly path: string; readonly edits: readonly Edit[] };
  /** A whole file. */
  readonly written: { readonly path: string; readonly text: string };
  /** Lines of a file that was read. */
  readonly file: {
    readonly path: string;
    /** Number of the first line; undefined where the lines were not numbered. */
    readonly first: number | undefined;
    readonly text: string | undefined;
    readonly note: string;
  };
  /** Files or lines that a search found. */
  readonly found: { readonly pattern: string; readonly where: string | undefined; readonly text: string | undefined };
  readonly checks: { readonly checks: readonly Check[] };
  readonly web: {
    /** Only a link where it is one of the web. */
    readonly target: string;
    readonly question: string | undefined;
    readonly hits: readonly { readonly title: string; readonly url: string }[];
    readonly text: string | undefined;
  };
  /** Something said to another agent. */
  readonly letter: { readonly to: string; readonly text: string };
  /** What a sub-agent was asked. */
  readonly errand: {
    readonly type: string | undefined;
    readonly description: string | undefined;
    readonly prompt: string;
    readonly answer: string | undefined;
  };
  /** A tool that nobody told us about. */
  readonly fields: { readonly fields: readonly Field[]; readonly output: string | undefined };
}

export type CallView = { [Kind in keyof Views]: { readonly kind: Kind } & Views[Kind] }[keyof Views];
export type ViewOf<Kind extends CallView['kind']> = Extract<CallView, { readonly kind: Kind }>;

export interface Edit {
  readonly before: string;
  readonly after: string;
  readonly isEverywhere: boolean;
}

interface Check {
  readonly text: string;
  readonly state: 'open' | 'doing' | 'done' | 'dropped';
}

interface Field {
  readonly name: string;
  readonly text: string;
}

function describeEdit(input: JsonObject): CallView | undefined {
  const [path, edit] = [pathIn(input), editIn(input)];
  return path === undefined || !edit ? undefined : { kind: 'edits', path, edits: [edit] };
}

function describeEdits(input: JsonObject): CallView | undefined {
  const [path, list] = [pathIn(input), input['edits']];
  if (path === undefined || !Array.isArray(list)) return undefined;
  const edits = list.filter(isObject).flatMap((one) => editIn(one) ?? []);
  return edits.length < list.length ? undefined : { kind: 'edits', path, edits };
}

/** A patch may be about several files: their parts follow each other. */
function describePatch(input: JsonObject): CallView | undefined {
  const files = parsePatch(asText(input['patch']) ?? asText(input['patchText']) ?? asText(input['input']) ?? '');
  if (files.length === 0) return undefined;
  const edits = files.flatMap(({ hunks }) =>
    hunks.map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n'), isEverywhere: false })),
  );
  return { kind: 'edits', path: files.map(({ path }) => path).join(', '), edits };
}

function describeWrite(input: JsonObject): CallView | undefined {
  return written(pathIn(input), input['content'] ?? input['file_text']);
}

function describeNotebook(input: JsonObject): CallView | undefined {
  return written(asText(input['notebook_path']), input['new_source']);
}

function describeRead(input: JsonObject, output: string | undefined): CallView | undefined {
  const path = pathIn(input);
  if (path === undefined) return undefined;
  const numbered = output === undefined ? undefined : parseNumbered(output);
  return { kind: 'file', path, ...(numbered ?? { first: undefined, text: output, note: '' }) };
}

function written(path: string | undefined, text: unknown): CallView | undefined {
  return path === undefined || typeof text !== 'string' ? undefined : { kind: 'written', path, text };
}

function pathIn(input: JsonObject): string | undefined {
  const names = ['file_path', 'filePath', 'absolute_path', 'path'];
  return names.map((name) => asText(input[name])).find((path) => path !== undefined);
}

function editIn(input: JsonObject): Edit | undefined {
  const before = input['old_string'] ?? input['oldString'] ?? input['old_str'];
  const after = input['new_string'] ?? input['newString'] ?? input['new_str'];
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  return { before, after, isEverywhere: asFlag(input['replace_all'] ?? input['replaceAll']) === true };
}

function describeFound(input: JsonObject, output: string | undefined): CallView | undefined {
  const [pattern, where] = [asText(input['pattern']), asText(input['path']) ?? asText(input['dir_path'])];
  if (pattern === undefined && where === undefined) return undefined;
  return { kind: 'found', pattern: pattern ?? '', where: asText(input['glob']) ?? where, text: output };
}

const STATES: ReadonlyMap<string, Check['state']> = new Map([
  ['in_progress', 'doing'],
  ['completed', 'done'],
  ['cancelled', 'dropped'],
  ['deleted', 'dropped'],
]);

function describeChecks(input: JsonObject): CallView | undefined {
  const list = input['todos'] ?? input['plan'];
  if (!Array.isArray(list)) return undefined;
  const checks = list.filter(isObject).flatMap((one): readonly Check[] => {
    const text = asText(one['content']) ?? asText(one['subject']) ?? asText(one['step']) ?? asText(one['description']);
    return text === undefined ? [] : [{ text, state: stateOf(one) }];
  });
  return checks.length < list.length ? undefined : { kind: 'checks', checks };
}

/** One thing to do, made or moved on. */
function describeTask(input: JsonObject): CallView | undefined {
  const id = asText(input['taskId']);
  const text = asText(input['subject']) ?? (id === undefined ? undefined : `Task ${id}`);
  return text === undefined ? undefined : { kind: 'checks', checks: [{ text, state: stateOf(input) }] };
}

function stateOf(input: JsonObject): Check['state'] {
  return STATES.get(asText(input['status']) ?? '') ?? 'open';
}

function describeFetch(input: JsonObject, output: string | undefined): CallView | undefined {
  const target = asText(input['url']);
  if (target === undefined) return undefined;
  return { kind: 'web', target, question: asText(input['prompt']), hits: [], text: output };
}

function describeWebSearch(input: JsonObject, output: string | undefined): CallView | undefined {
  const target = asText(input['query']);
  return target === undefined ? undefined : { kind: 'web', target, question: undefined, ...hitsIn(output) };
}

/** Some hosts write what was found as one line of JSON, and behind it what the model made of it. */
const LINKS = /^Links: (\[.*\])$/m;

function hitsIn(output: string | undefined) {
  const match = LINKS.exec(output ?? '');
  const list = parseJson(match?.[1]);
  if (!match || !Array.isArray(list)) return { hits: [], text: output };
  const hits = list.filter(isObject).flatMap((one) => {
    const url = asText(one['url']);
    // Out of JSON once more, which can spell any character out.
    return url === undefined ? [] : [{ title: cleanLine(asText(one['title']) ?? url), url: cleanLine(url) }];
  });
  return { hits, text: output?.replace(match[0], '').trim() };
}

type Describe = (input: JsonObject, output: string | undefined) => CallView | undefined;

/** By the tool's name, and only where its input is what that tool takes: the same name may be another host's tool. */
const TOOLS: ReadonlyMap<string, Describe> = new Map([
  ...named(describeCommand, 'bash shell localshell runshellcommand execcommand shellcommand powershell'),
  ...named(describeEdit, 'edit replace'),
  ...named(describeEdits, 'multiedit'),
  ...named(describePatch, 'applypatch'),
  ...named(describeWrite, 'write writefile create'),
  ...named(describeNotebook, 'notebookedit'),
  ...named(describeRead, 'read readfile view'),
  ...named(describeFound, 'grep grepsearch searchfilecontent listdirectory glob ls list'),
  ...named(describeChecks, 'todowrite writetodos updateplan'),
  ...named(describeTask, 'taskcreate taskupdate'),
  ...named(describeFetch, 'webfetch'),
  ...named(describeWebSearch, 'websearch googlewebsearch'),
  ...named(describeLetter, 'sendmessage writeagent'),
  ...named(describeErrand, 'task agent invokeagent'),
]);

function named(describe: Describe, names: string): readonly (readonly [string, Describe])[] {
  return names.split(' ').map((name) => [name, describe]);
}

const known = new WeakMap<ToolCall, { readonly result: CallResult | undefined; readonly view: CallView }>();

/** What a call did, in the shape that shows it best. Asked again for the same call, it gives the same. */
export function describeCall(call: ToolCall, result: CallResult | undefined): CallView {
  const before = known.get(call);
  if (before && before.result === result) return before.view;
  const view = describe(call, result);
  known.set(call, { result, view });
  return view;
}

function describe({ name, input, ref }: ToolCall, result: CallResult | undefined): CallView {
  const fields = asObject(input);
  const special = fields && TOOLS.get(plainToolName(name))?.(fields, result?.text);
  if (special) return special;
  if (ref) return errandOf(fields ?? {}, result?.text);
  return { kind: 'fields', fields: formatFields(input), output: result && prettyJson(result.text) };
}

const EXIT_CODE = /^Exit code (\d{1,5})(?:\n|$)/;

function describeCommand(input: JsonObject, output: string | undefined): CallView | undefined {
  const given = input['command'] ?? input['cmd'];
  const command = Array.isArray(given) ? given.map(String).join(' ') : asText(given);
  if (command === undefined) return undefined;
  const exit = EXIT_CODE.exec(output ?? '');
  return {
    kind: 'terminal',
    command,
    note: asText(input['description']),
    isBackground: asFlag(input['run_in_background']) === true,
    exitCode: exit ? Number(exit[1]) : undefined,
    output: exit ? output?.slice(exit[0].length) : output,
  };
}

function describeLetter(input: JsonObject): CallView | undefined {
  const to = asText(input['to']) ?? asText(input['recipient']) ?? asText(input['agent_id']);
  const text = asText(input['message']) ?? asText(input['content']);
  return to === undefined || text === undefined ? undefined : { kind: 'letter', to, text };
}

function describeErrand(input: JsonObject, output: string | undefined): CallView | undefined {
  return asText(input['prompt']) === undefined ? undefined : errandOf(input, output);
}

/** What the host says in place of an answer when the agent goes on by itself. */
const LAUNCH_NOTICE =
  /^(?:(?:(?:Async|Background) agent launched|Spawned) successfully|Workflow launched in background|Agent started in background|\{"(?:agent_id|task_name)":)/;

function errandOf(input: JsonObject, output: string | undefined): CallView {
  return {
    kind: 'errand',
    type: asText(input['subagent_type']) ?? asText(input['agent_type']) ?? asText(input['agent_name']),
    description: asText(input['description']),
    prompt:
      asText(input['prompt']) ??
      asText(input['message']) ??
      formatFields(input)
        .map(({ name, text }) => `${name}: ${text}`)
        .join('\n'),
    answer: output !== undefined && LAUNCH_NOTICE.test(output) ? undefined : output,
  };
}

/** The input of a tool that we know nothing about: what it was given, by name. */
function formatFields(input: unknown): readonly Field[] {
  if (isObject(input)) return Object.entries(input).map(([name, value]) => ({ name, text: formatValue(value) }));
  return input === undefined || input === null ? [] : [{ name: 'input', text: formatValue(input) }];
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, undefined, 2) ?? 'undefined';
}

/** Longer ones are data for a program, and shown as they are. */
const MAX_PRETTY = 200_000;

/** JSON on one line becomes JSON on many; any other text stays as it is. */
function prettyJson(text: string): string {
  if (text.length > MAX_PRETTY || !/^\s*[[{]/.test(text)) return text;
  try {
    // JSON can spell characters out (`\u202e`): what was cleaned before is hostile again.
    return cleanBlock(JSON.stringify(JSON.parse(text), undefined, 2));
  } catch {
    return text;
  }
}

const NUMBERED = /^ *(\d{1,9})(?:→|\t)(.*)$/;

/**
 * A file as a tool showed it to the agent: each line behind its number; `note` is what the host said behind it. Undefined
 * where the text is not numbered from its first line on.
 */
function parseNumbered(text: string) {
  const lines = text.split('\n');
  const first = NUMBERED.exec(lines[0] ?? '');
  if (!first) return undefined;
  const from = Number(first[1]);
  const bodies: string[] = [];
  for (const line of lines) {
    const match = NUMBERED.exec(line);
    if (Number(match?.[1]) !== from + bodies.length) break;
    bodies.push(match?.[2] ?? '');
  }
  return { first: from, text: bodies.join('\n'), note: lines.slice(bodies.length).join('\n').trim() };
}

/** The line that stands for a call. What a command is stands below it anyway: here it is what for. */
export function headText({ name, summary }: ToolCall, view: CallView): string {
  const about = view.kind === 'terminal' ? view.note : summary;
  return about === undefined ? name : `${name} ${about}`;
}
