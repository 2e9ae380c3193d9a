// Our entries in such a settings file: text in, text out. Every byte that is not ours stays as it is.

import { parseHookCommand } from '../../../core/index.ts';
import { asObject, isEqual } from '../../../lib/json.ts';
import type { HookCommands } from '../../index.ts';
import type { SettingsForm } from './form.ts';
import { append, nodeAt, remove, replace } from './json-text.ts';
import { BOM, type Handler, handlersIn, isForAll, pathOf, readTolerantly } from './read-groups.ts';

/** What is to stand there, by event. For texts in which `problemIn` finds none; an empty one is a file that is not there. */
export function planInstall(text: string, form: SettingsForm, version: string, commands: HookCommands): string {
  const wanted = wantedFor(form, version, commands);
  if (text.trim() === '') return `${JSON.stringify({ hooks: asGroups(wanted) }, null, 2)}\n`;
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
export function planUninstall(text: string, form: SettingsForm, before?: string): string {
  return withoutMark(text, (body) => removeOurs(body, form, () => true, asObject(readTolerantly(before ?? '')) ?? {}));
}

/** Where both are wanted the guard alone stands in front of calls: it observes as well. */
function wantedFor(form: SettingsForm, version: string, { observe, guard }: HookCommands): ReadonlyMap<string, object> {
  return new Map(
    form
      .eventsOf(version)
      .map((event) =>
        event === form.beforeCalls && guard !== undefined
          ? [event, form.entryFor(event, guard, 'guard', version)]
          : [event, form.entryFor(event, observe, 'observe', version)],
      ),
  );
}

function asGroups(wanted: ReadonlyMap<string, object>): object {
  return Object.fromEntries([...wanted].map(([event, handler]) => [event, [{ hooks: [handler] }]]));
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
