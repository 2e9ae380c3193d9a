import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { asObject, asText } from '../lib/json.ts';
import { createFile, readText } from '../lib/regular-file.ts';
import { ensureStateFolder } from '../lib/state-folder.ts';
import type { FailureAnswers } from './failure-script.ts';
import { guardScript, observeScript } from './hook-scripts.ts';

/** The commands that a host runs, as files. */
export interface HookStubs {
  /** Keeps what a hook is told, and says nothing. */
  readonly observe: string;
  /** Does so, too, and prints what was decided. */
  readonly guard: string;
}

export interface HookStubOptions {
  /** The program that runs `hookFile`. */
  readonly node: string;
  /** dist/hook.cjs of the installed package. */
  readonly hookFile: string;
  /** Where the person's policy lies; the state folder, where left out. */
  readonly configFolder?: string;
  /** By host: what the guard says where nobody could be asked. */
  readonly answers?: Readonly<Record<string, FailureAnswers>>;
}

/** Writes both into the state folder, whole at any moment: hooks may run meanwhile. The same again changes nothing. */
export async function writeHookStubs(folder: string, options: HookStubOptions): Promise<HookStubs> {
  const { node, hookFile, configFolder = folder, answers = {} } = options;
  await ensureStateFolder(folder);
  const state = path.resolve(folder);
  const bin = path.join(state, 'bin');
  for (const made of [bin, path.join(state, 'spool')]) await mkdir(made, { recursive: true, mode: 0o700 });
  const [observe, guard] = [path.join(bin, 'observe'), path.join(bin, 'guard')];
  const words = {
    state,
    config: path.resolve(configFolder),
    node,
    hookFile,
    version: await versionOf(hookFile),
    bash: await findBash(),
    answers,
  };
  await writeProgram(observe, observeScript(words));
  await writeProgram(guard, guardScript(words));
  return { observe, guard };
}

async function writeProgram(file: string, text: string): Promise<void> {
  if ((await readText(file).catch(() => undefined)) === text) return chmod(file, 0o700);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await createFile(draft, text, 0o700);
  await rename(draft, file);
}

/** Of the package that the hook file belongs to. */
async function versionOf(hookFile: string): Promise<string> {
  try {
    const manifest = path.join(path.dirname(hookFile), '..', 'package.json');
    const { name, version } = asObject(JSON.parse(await readText(manifest))) ?? {};
    return (name === 'troupe' && asText(version)) || 'unknown';
  } catch {
    return 'unknown';
  }
}

/** By its place, so that no `env` has to look for it at each call. */
async function findBash(): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/bin', '/usr/bin'];
  for (const folder of folders.filter((one) => path.isAbsolute(one))) {
    const file = path.join(folder, 'bash');
    // What stands behind #! ends at a space.
    if (/\s/.test(file)) continue;
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}
