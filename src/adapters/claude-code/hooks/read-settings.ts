// What stands in a settings file of Claude Code, as far as hooks are concerned.
import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { asFlag, asObject, asText, isObject, type JsonObject } from '../../../base/json.ts';
import { parseHookCommand } from '../../../model/hook-command.ts';
import type { SettingsHook, SettingsView } from '../../adapter.ts';
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
}

/** The mark that some editors put in front; `JSON.parse` does not want it. */
export const BOM = '\ufeff';

/**
 * Why the program would not take this file, in words for people; nothing where it does. It reads plain JSON: one comment,
 * one comma too many, and all of the file counts as empty, without a word (docs/HOOKS.md).
 */
export function problemIn(text: string): string | undefined {
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
  for (const { event, command } of handlersIn(text)) {
    const own = parseHookCommand(command);
    if (own) ours.push({ event, ...own });
    else if (event === BEFORE_A_CALL) othersBeforeCalls.push(command);
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
        return value && command !== undefined ? [{ event, group, place, value, command }] : [];
      }),
    ),
  );
}

export function pathOf({ event, group, place }: Handler): JsonPath {
  return ['hooks', event, group, 'hooks', place];
}

/** Also of what the program itself would not take: ours are to be found there, too. */
export function readTolerantly(text: string): unknown {
  const tree: Node | undefined = parseTree(text.startsWith(BOM) ? text.slice(1) : text, [], {
    allowTrailingComma: true,
  });
  return tree && getNodeValue(tree);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
