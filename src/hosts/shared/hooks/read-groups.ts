// What stands in such a settings file, as far as hooks are concerned.

import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { parseHookCommand } from '../../../core/index.ts';
import { asAmount, asFlag, asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import type { SettingsHook, SettingsView } from '../../index.ts';
import type { SettingsForm } from './form.ts';
import type { JsonPath } from './json-text.ts';

/** One program that is called, and where its entry stands. */
export interface Handler {
  readonly event: string;
  /** Of the group, in the list of its event. */
  readonly group: number;
  /** In its group. */
  readonly place: number;
  readonly value: JsonObject;
  readonly command: string;
  /** Of its group: for what alone it is called. */
  readonly matcher?: unknown;
}

/** The mark that some editors put in front; `JSON.parse` does not want it. */
export const BOM = '\ufeff';

/** Why the program would not take this file, in words for people; nothing where it does. */
export function problemIn(text: string, form: Pick<SettingsForm, 'title' | 'takesComments'>): string | undefined {
  if (isTooDeep(text)) return `it is nested more than ${MAX_DEPTH} deep`;
  const read = readStrictly(text, form);
  if ('problem' in read) return read.problem;
  if (!isObject(read.settings)) return 'it does not hold an object';
  const hooks = read.settings['hooks'];
  if (hooks === undefined) return undefined;
  if (!isObject(hooks)) return 'its "hooks" is not an object';
  const odd = Object.keys(hooks).find((event) => !isListOfGroups(hooks[event]));
  return odd === undefined ? undefined : `its hooks for "${odd}" are not a list of { "hooks": [ … ] }`;
}

type Read = { readonly settings: unknown } | { readonly problem: string };

function readStrictly(text: string, { title, takesComments }: Pick<SettingsForm, 'title' | 'takesComments'>): Read {
  const body = text.startsWith(BOM) ? text.slice(1) : text;
  if (takesComments) {
    const errors: ParseError[] = [];
    const tree = parseTree(body, errors);
    return errors.length === 0 && tree ? { settings: getNodeValue(tree) } : { problem: 'it is not valid JSON' };
  }
  try {
    return { settings: JSON.parse(body) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      problem: isAlmostJson(text)
        ? `it has a comment or a comma too many, and ${title} ignores such a file as a whole (${reason})`
        : `it is not valid JSON (${reason})`,
    };
  }
}

/** Nobody's settings are; what reads them calls itself at each step down. */
const MAX_DEPTH = 500;

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === '\\' ? 1 : 0;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
  }
  return depth > MAX_DEPTH;
}

function isAlmostJson(text: string): boolean {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: true });
  return errors.length === 0;
}

/** Beside the events, newer hosts have switches under the same name: what is no list is none of ours. */
function isListOfGroups(value: unknown): boolean {
  return Array.isArray(value) && value.every((group) => isObject(group) && Array.isArray(group['hooks']));
}

export function inspect(text: string, form: SettingsForm, version?: string): SettingsView {
  const settings = asObject(readTolerantly(text)) ?? {};
  const { problem: further, ...switches } = form.readSwitches(settings, version);
  const problem = (text.trim() === '' ? undefined : problemIn(text, form)) ?? further;
  const ours: SettingsHook[] = [];
  const othersBeforeCalls: string[] = [];
  for (const handler of handlersIn(text)) {
    const own = ownOf(handler, form);
    if (own) ours.push(own);
    else if (handler.event === form.beforeCalls) othersBeforeCalls.push(handler.command);
  }
  return { ...known({ problem }), ours, othersBeforeCalls, ...switches };
}

function ownOf(handler: Handler, form: SettingsForm): SettingsHook | undefined {
  const { event, command } = handler;
  const found = parseHookCommand(command, form.host);
  if (!found) return undefined;
  const { isAsWritten, ...own } = found;
  const changed = narrowing(handler, form) ?? (isAsWritten ? undefined : 'its command is not what troupe writes');
  const seconds = form.secondsOf(asAmount(handler.value['timeout']));
  return { event, command, seconds, ...own, ...known({ changed }) };
}

/** Why a handler is not called at every such event, in words for people. */
function narrowing({ matcher, value }: Handler, { fields }: SettingsForm): string | undefined {
  if (value['type'] !== 'command') return `its type is ${JSON.stringify(value['type'] ?? null)}`;
  if (!isForAll(matcher)) return `it is only for ${JSON.stringify(matcher)}`;
  const further = Object.keys(value).find((field) => !fields.has(field));
  return further === undefined ? undefined : `it has the field ${JSON.stringify(further)}`;
}

/** Of a group: it is called whatever tool, agent or reason an event is about. */
export function isForAll(matcher: unknown): boolean {
  return matcher === undefined || matcher === '' || matcher === '*';
}

/** A flag under a name of ours, where the file has it. */
export function switchOf<K extends string>(value: unknown, as: K): { readonly [key in K]?: boolean } {
  const flag = asFlag(value);
  return flag === undefined ? {} : ({ [as]: flag } as { [key in K]: boolean });
}

/** In the order of the file. Handlers that run no command (prompts, web hooks) are nobody's that we know. */
export function handlersIn(text: string): readonly Handler[] {
  const hooks = asObject(asObject(readTolerantly(text))?.['hooks']) ?? {};
  return Object.keys(hooks).flatMap((event) =>
    asList(hooks[event]).flatMap((entry, group) =>
      asList(asObject(entry)?.['hooks']).flatMap((handler, place) => {
        const value = asObject(handler);
        const command = asText(value?.['command']);
        const matcher = asObject(entry)?.['matcher'];
        return value && command !== undefined ? [{ event, group, place, value, command, ...known({ matcher }) }] : [];
      }),
    ),
  );
}

export function pathOf({ event, group, place }: Handler): JsonPath {
  return ['hooks', event, group, 'hooks', place];
}

/** Also of what the program itself would not take: ours are to be found there, too. */
export function readTolerantly(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  const tree: Node | undefined = parseTree(text.startsWith(BOM) ? text.slice(1) : text, [], {
    allowTrailingComma: true,
  });
  return tree && getNodeValue(tree);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
