import path from 'node:path';
import { listFolder } from '../lib/folders.ts';

/** One file of the audit. A day's first is `2026-11-15.jsonl`, its second `2026-11-15.2.jsonl`. */
export interface LogFile {
  readonly name: string;
  readonly path: string;
  readonly day: string;
  readonly part: number;
}

export function auditFolder(folder: string): string {
  return path.join(folder, 'audit');
}

export function lockPath(folder: string): string {
  return path.join(auditFolder(folder), 'drain.lock');
}

export function toLogFile(folder: string, day: string, part: number): LogFile {
  const name = part === 1 ? `${day}.jsonl` : `${day}.${part}.jsonl`;
  return { name, path: path.join(auditFolder(folder), name), day, part };
}

/** In the order in which they were written. */
export async function listLogFiles(folder: string): Promise<readonly LogFile[]> {
  const entries = await listFolder(auditFolder(folder));
  return entries
    .flatMap(({ name }) => {
      const [, day, part = '1'] = /^(\d{4}-\d\d-\d\d)(?:\.(\d{1,9}))?\.jsonl$/.exec(name) || [];
      return day === undefined ? [] : [toLogFile(folder, day, Number(part))];
    })
    .sort(compareFiles);
}

export function compareFiles(a: LogFile, b: LogFile): number {
  return a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1;
}

/** The day of an instant, UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
