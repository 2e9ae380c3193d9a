import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import { type HostDescription, type Machine, PROCESS_MARKS } from '../index.ts';

export const qwenHost: HostDescription = {
  host: 'qwen',
  title: 'Qwen Code',
  process: PROCESS_MARKS.qwen,
  roots: rootsOf,
  // The root may be `projects`, or one project in it.
  async mayHold(root) {
    const isOfProject = ({ name }: { readonly name: string }): boolean => name === 'chats' || name === 'subagents';
    return (await hasEntry(root, isOfProject, 1)) || hasEntry(path.join(root, 'projects'), isOfProject, 1);
  },
  programs: ['qwen'],
  printing: 'qwen -p … -o stream-json',
};

/** `QWEN_RUNTIME_DIR` moves what the program writes, `QWEN_HOME` everything. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  return [env['QWEN_RUNTIME_DIR'] || env['QWEN_HOME'] || path.join(home, '.qwen')];
}
