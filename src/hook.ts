// dist/hook.cjs: what a hook runs where no server answers it. It starts in the way of every tool call, so it imports nothing
// it does not need; `drain` loads the rest.
//   guard HOST DRAFT PPID [SINCE]   from the guard stub; DRAFT with its folders, SINCE in epoch seconds
//   guard HOST                      with the payload on stdin
//   drain STATE                     reads the spool
import { writeSync } from 'node:fs';
import path from 'node:path';
import { guardStdin, guardStubCall } from './faces/hook/guard-call.ts';
import { noteError } from './faces/hook/note-error.ts';

const [, program = '', command, ...args] = process.argv;
void runHook();

/** Whatever happens, the host goes on. */
async function runHook(): Promise<void> {
  let folder = command === 'drain' ? args[0] : args[1] && path.dirname(path.dirname(args[1]));
  try {
    folder ??= await ownFolder();
    if (command === 'guard') print(guard(folder));
    else if (command === 'drain') await drain(folder);
    else throw new Error(`hook.cjs knows no ${command}`);
  } catch (error) {
    if (folder !== undefined) noteError(folder, error);
  }
}

function guard(folder: string): string {
  const [host = '', draft, ppid, since] = args;
  if (draft === undefined) return guardStdin(folder, host);
  const call = { host, draft: path.basename(draft), ppid: Number(ppid) };
  return guardStubCall(folder, since ? { ...call, since: Number(since) * 1_000 } : call);
}

/** Not by process.stdout: to set that up takes longer than all the rest. */
function print(text: string): void {
  if (text !== '') writeSync(1, text);
}

/** By the program itself, which knows the hosts. */
async function drain(folder: string): Promise<void> {
  const { pathToFileURL } = await import('node:url');
  const troupe = path.join(path.dirname(program), 'troupe.js');
  process.env['TROUPE_HOME'] = folder;
  process.argv.splice(1, process.argv.length, troupe, 'hooks', 'drain');
  await import(pathToFileURL(troupe).href);
}

async function ownFolder(): Promise<string> {
  const [{ stateFolder }, { homedir }] = await Promise.all([import('./daemon/state-folder.ts'), import('node:os')]);
  return stateFolder({ env: process.env, home: homedir() });
}
