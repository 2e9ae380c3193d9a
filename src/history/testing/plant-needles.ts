// Words that occur once, put into every text of a recording: a search has to find each one that a transcript shows.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../lib/json.ts';
import { driver } from '../../lib/sqlite-driver.ts';

/** Changes the files below a folder. Returns how many needles there are: `needle0zz`, `needle1zz`, … */
export async function plantNeedles(folder: string): Promise<number> {
  let count = 0;
  const plant = (text: string): string => {
    const blank = text.indexOf(' ', Math.floor(text.length / 2));
    const at = blank === -1 ? text.indexOf(' ') : blank;
    return `${text.slice(0, at)} needle${count++}zz${text.slice(at)}`;
  };
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (/^\s*[{[]/.test(value)) return changeText(value);
      // Ids, times and kinds have no blanks; marks of hosts stay as they are.
      return /[A-Za-z]{2,} [A-Za-z]/.test(value) && !/^<[a-z-]+>/.test(value) ? plant(value) : value;
    }
    if (Array.isArray(value)) return value.map(change);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)])) : value;
  };
  const changeText = (text: string): string => {
    try {
      return JSON.stringify(change(JSON.parse(text)));
    } catch {
      return text;
    }
  };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    if (/truth\.json$|projects\.json$/.test(name)) continue;
    if (name.endsWith('.jsonl')) {
      const lines = readFileSync(file, 'utf8').split('\n');
      writeFileSync(file, lines.map((line) => (line === '' ? line : changeText(line))).join('\n'));
    } else if (name.endsWith('.json')) writeFileSync(file, changeText(readFileSync(file, 'utf8')));
    else if (name.endsWith('.db')) await changeRows(file, changeText);
  }
  return count;
}

async function changeRows(file: string, changeText: (text: string) => string): Promise<void> {
  const database = (await driver()).open(file);
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[];
  for (const { name } of tables) {
    if (!['message', 'part', 'session_message'].includes(name)) continue;
    const change = database.prepare(`update ${name} set data = ? where id = ?`);
    for (const { id, data } of database.prepare(`select id, data from ${name}`).all() as { id: string; data: string }[])
      change.run(changeText(data), id);
  }
  database.close();
}
