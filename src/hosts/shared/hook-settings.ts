// Hosts that took over Claude Code's way to write hooks down: in a JSON file, by event, groups of commands. Text in, text out: every
// byte that is not ours stays as it is.

import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { type HookRole, parseHookCommand } from '../../core/index.ts';
import { asAmount, asFlag, asObject, asText, isEqual, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { HookCommands, HookSettingsCapability, SettingsHook, SettingsView } from '../index.ts';
import { append, type JsonPath, nodeAt, remove, replace } from './edit-json.ts';

/** All of it that follows from the form; where the files lie is the host's own. */
export function settingsOf(form: SettingsForm): Omit<HookSettingsCapability, 'programs' | 'files'> {
  return {
    versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
    isBeforeCalls: (event) => event === form.beforeCalls,
    eventsFor: (version = form.oldest) => form.eventsOf(version),
    problemIn: (text) => problemIn(text, form),
    install: (text, version = form.oldest, commands) => planInstall(text, form, version, commands),
    uninstall: (text, before) => planUninstall(text, form, before),
    inspect: (text, version) => inspect(text, form, version),
  };
}

export interface SettingsForm {
  readonly host: string;
  /** As people write it. */
  readonly title: string;
  /** The event in front of a tool call. */
  readonly beforeCalls: string;
  eventsOf(version: string): readonly string[];
  /** Where nobody knows the version. */
  readonly oldest: string;
  /** The entry of one command of ours. */
  entryFor(event: string, command: string, role: HookRole, version: string): JsonObject;
  /** What an entry may have without being other than ours. */
  readonly fields: ReadonlySet<string>;
  /** How long the host waits, by the entry's `timeout`; by its own, where it has none. */
  secondsOf(timeout: number | undefined): number;
  /** A comment does not make the host drop the file. */
  readonly takesComments?: true;
  /** What else in the file says whether hooks run. */
  readSwitches(settings: JsonObject, version: string | undefined): Omit<SettingsView, 'ours' | 'othersBeforeCalls'>;
}

/** Seconds. Ours answer in milliseconds, or something is broken. */
export const OBSERVER_SECONDS = 5;

/** But where a person is asked, the guard holds the call for as long as a policy may say, an hour, and answers then. */
export const GUARD_SECONDS = 3_600 + 60;

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
const BOM = '\ufeff';

/** Why the program would not take this file, in words for people; nothing where it does. */
function problemIn(text: string, form: Pick<SettingsForm, 'title' | 'takesComments'>): string | undefined {
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

function inspect(text: string, form: SettingsForm, version?: string): SettingsView {
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
function isForAll(matcher: unknown): boolean {
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

function pathOf({ event, group, place }: Handler): JsonPath {
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

/** What is to stand there, by event. For texts in which `problemIn` finds none; an empty one is a file that is not there. */
function planInstall(text: string, form: SettingsForm, version: string, commands: HookCommands): string {
  const wanted = wantedFor(form, version, commands);
  if (text.trim() === '') {
    const groups = [...wanted].map(([event, handler]) => [event, [{ hooks: [handler] }]]);
    return `${JSON.stringify({ hooks: Object.fromEntries(groups) }, null, 2)}\n`;
  }
  return withoutMark(text, (body) => {
    let next = removeOurs(body, form, ({ event }) => !wanted.has(event), {});
    for (const [event, handler] of wanted) next = put(next, form, event, handler);
    return next;
  });
}

/**
 * The text without ours. What became empty by it goes as well, unless it stood there empty `before` we came; nothing is
 * left of a text in which there was nothing but ours.
 */
function planUninstall(text: string, form: SettingsForm, before?: string): string {
  return withoutMark(text, (body) => removeOurs(body, form, () => true, asObject(readTolerantly(before ?? '')) ?? {}));
}

/** Where both are wanted the guard alone stands in front of calls: it observes as well. */
function wantedFor(form: SettingsForm, version: string, { observe, guard }: HookCommands): ReadonlyMap<string, object> {
  const entryFor = (event: string): object =>
    event === form.beforeCalls && guard !== undefined
      ? form.entryFor(event, guard, 'guard', version)
      : form.entryFor(event, observe, 'observe', version);
  return new Map(form.eventsOf(version).map((event) => [event, entryFor(event)]));
}

function put(text: string, form: SettingsForm, event: string, handler: object): string {
  const found = oursIn(text, form).filter((one) => one.event === event);
  // A group may have been narrowed to some calls, and others may stand in it.
  const first = found.find(({ matcher }) => isForAll(matcher));
  let next = text;
  for (const one of found.filter((other) => other !== first).reverse()) next = removeHandler(next, one);
  if (first) return isEqual(first.value, handler) ? next : replace(next, pathOf(first), handler);
  const group = { hooks: [handler] };
  if (!nodeAt(next, ['hooks'])) return append(next, [], { [event]: [group] }, 'hooks');
  if (!nodeAt(next, ['hooks', event])) return append(next, ['hooks'], [group], event);
  return append(next, ['hooks', event], group);
}

function removeOurs(text: string, form: SettingsForm, isMeant: (handler: Handler) => boolean, before: object): string {
  const emptied = new Set<string>();
  let next = text;
  // From the end, so that the places of those in front stay true.
  for (const handler of [...oursIn(text, form)].filter(isMeant).reverse()) {
    next = removeHandler(next, handler);
    emptied.add(handler.event);
  }
  const hooksBefore = asObject((before as { hooks?: unknown }).hooks);
  for (const event of emptied)
    if (isEmpty(next, ['hooks', event]) && hooksBefore?.[event] === undefined) next = remove(next, ['hooks', event]);
  if (emptied.size > 0 && isEmpty(next, ['hooks']) && !hooksBefore) next = remove(next, ['hooks']);
  return next;
}

function removeHandler(text: string, handler: Handler): string {
  const next = remove(text, pathOf(handler));
  const group = ['hooks', handler.event, handler.group] as const;
  return isEmpty(next, [...group, 'hooks']) ? remove(next, group) : next;
}

function oursIn(text: string, { host }: SettingsForm): readonly Handler[] {
  return handlersIn(text).filter(({ command }) => parseHookCommand(command, host));
}

function isEmpty(text: string, path: readonly (string | number)[]): boolean {
  return nodeAt(text, path)?.children?.length === 0;
}

function withoutMark(text: string, change: (body: string) => string): string {
  return text.startsWith(BOM) ? BOM + change(text.slice(1)) : change(text);
}
