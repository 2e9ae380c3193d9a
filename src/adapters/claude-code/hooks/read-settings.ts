// What stands in a settings file of Claude Code, as far as hooks are concerned.
import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { asAmount, asFlag, asObject, asText, isObject, type JsonObject, known } from '../../../base/json.ts';
import { parseHookCommand } from '../../../model/hook-command.ts';
import type { SettingsHook, SettingsView } from '../../adapter.ts';
import { HOST } from '../line-context.ts';
import { BEFORE_A_CALL, tooNewFor } from './events.ts';
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

/**
 * Why the program would not take this file, in words for people; nothing where it does. It reads plain JSON: one comment,
 * one comma too many, and all of the file counts as empty, without a word (docs/HOOKS.md).
 */
export function problemIn(text: string): string | undefined {
  if (isTooDeep(text)) return `it is nested more than ${MAX_DEPTH} deep`;
  let settings: unknown;
  try {
    settings = JSON.parse(text.startsWith(BOM) ? text.slice(1) : text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return isAlmostJson(text)
      ? `it has a comment or a comma too many, and Claude Code ignores such a file as a whole (${reason})`
      : `it is not valid JSON (${reason})`;
  }
  if (!isObject(settings)) return 'it does not hold an object';
  const hooks = settings['hooks'];
  if (hooks === undefined) return undefined;
  if (!isObject(hooks)) return 'its "hooks" is not an object';
  const odd = Object.keys(hooks).find((event) => !isListOfGroups(hooks[event]));
  return odd === undefined ? undefined : `its hooks for "${odd}" are not a list of { "hooks": [ … ] }`;
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

function isListOfGroups(value: unknown): boolean {
  return Array.isArray(value) && value.every((group) => isObject(group) && Array.isArray(group['hooks']));
}

export function inspect(text: string, version?: string): SettingsView {
  const settings = asObject(readTolerantly(text)) ?? {};
  const events = Object.keys(asObject(settings['hooks']) ?? {});
  const tooNew = version === undefined ? [] : tooNewFor(version, events);
  const problem =
    (text.trim() === '' ? undefined : problemIn(text)) ??
    (tooNew.length === 0
      ? undefined
      : `Claude Code ${version} does not know ${tooNew.join(', ')}, and ignores a file with hooks for such events as a whole`);
  const ours: SettingsHook[] = [];
  const othersBeforeCalls: string[] = [];
  for (const handler of handlersIn(text)) {
    const own = ownOf(handler);
    if (own) ours.push(own);
    else if (handler.event === BEFORE_A_CALL) othersBeforeCalls.push(handler.command);
  }
  return {
    ...(problem !== undefined && { problem }),
    ...(tooNew.length > 0 && { tooNew }),
    ours,
    othersBeforeCalls,
    ...switchOf(settings, 'disableAllHooks', 'allOff'),
    ...switchOf(settings, 'allowManagedHooksOnly', 'onlyManaged'),
  };
}

function ownOf(handler: Handler): SettingsHook | undefined {
  const { event, command } = handler;
  const found = parseHookCommand(command, HOST);
  if (!found) return undefined;
  const { isAsWritten, ...own } = found;
  const changed = narrowing(handler) ?? (isAsWritten ? undefined : 'its command is not what troupe writes');
  const seconds = asAmount(handler.value['timeout']) ?? DEFAULT_SECONDS;
  return { event, command, seconds, ...own, ...(changed !== undefined && { changed }) };
}

/** For how long the program waits for a hook where nobody says: the least of all versions. */
const DEFAULT_SECONDS = 60;

const FIELDS: ReadonlySet<string> = new Set(['type', 'command', 'timeout', 'async']);

/** Why a handler is not called at every such event, in words for people. */
function narrowing({ matcher, value }: Handler): string | undefined {
  if (value['type'] !== 'command') return `its type is ${JSON.stringify(value['type'] ?? null)}`;
  if (!isForAll(matcher)) return `it is only for ${JSON.stringify(matcher)}`;
  const further = Object.keys(value).find((field) => !FIELDS.has(field));
  return further === undefined ? undefined : `it has the field ${JSON.stringify(further)}`;
}

/** Of a group: it is called whatever tool, agent or reason an event is about. */
export function isForAll(matcher: unknown): boolean {
  return matcher === undefined || matcher === '' || matcher === '*';
}

function switchOf<K extends string>(settings: JsonObject, name: string, as: K): { readonly [key in K]?: boolean } {
  const value = asFlag(settings[name]);
  return value === undefined ? {} : ({ [as]: value } as { [key in K]: boolean });
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
