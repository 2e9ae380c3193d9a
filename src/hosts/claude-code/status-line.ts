// Its status line: one command in the settings, which gets JSON about the session and prints lines for below the prompt
// (2.1.287, 2.1.325). It runs at the start and with the messages of the main agent.

import { asObject, asText } from '../../lib/json.ts';
import type { StatusLineCapability } from '../index.ts';
import { append, nodeAt, readTolerantly, remove, replace } from '../shared/index.ts';

const FIELD = 'statusLine';
/** A shell's words in single quotes. Ours, and behind it the command that was there before. */
const OURS = /^'((?:[^']|'\\'')*[\\/]bin[\\/]statusline)'(?: '((?:[^']|'\\'')*)')?$/;

export const statusLine: StatusLineCapability = {
  isOurs: (text) => OURS.test(commandIn(text) ?? ''),
  scriptIn: (text) => OURS.exec(commandIn(text) ?? '')?.[1]?.replaceAll(`'\\''`, `'`),
  wraps: (text) => wrappedIn(commandIn(text)),
  install(text, file) {
    const command = commandIn(text);
    const before = OURS.test(command ?? '') ? wrappedIn(command) : command;
    const wanted = [file, ...(before === undefined ? [] : [before])].map(quote).join(' ');
    if (text.trim() === '')
      return `${JSON.stringify({ [FIELD]: { type: 'command', command: wanted, padding: 0 } }, null, 2)}\n`;
    return withoutMark(text, (body) => {
      // Whatever else stands there, such as its padding, stays.
      if (command !== undefined) return command === wanted ? body : replace(body, [FIELD, 'command'], wanted);
      const value = { type: 'command', command: wanted, padding: 0 };
      return nodeAt(body, [FIELD]) ? replace(body, [FIELD], value) : append(body, [], value, FIELD);
    });
  },
  uninstall(text) {
    const command = commandIn(text);
    if (!OURS.test(command ?? '')) return text;
    const before = wrappedIn(command);
    return withoutMark(text, (body) =>
      before === undefined ? remove(body, [FIELD]) : replace(body, [FIELD, 'command'], before),
    );
  },
};

function commandIn(text: string): string | undefined {
  const line = asObject(asObject(readTolerantly(text))?.[FIELD]);
  return line?.['type'] === 'command' ? asText(line['command']) : undefined;
}

function wrappedIn(command: string | undefined): string | undefined {
  return OURS.exec(command ?? '')?.[2]?.replaceAll(`'\\''`, `'`);
}

function quote(text: string): string {
  return `'${text.replaceAll(`'`, `'\\''`)}'`;
}

const BOM = '\ufeff';

function withoutMark(text: string, change: (body: string) => string): string {
  return text.startsWith(BOM) ? BOM + change(text.slice(1)) : change(text);
}
