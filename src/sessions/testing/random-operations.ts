import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createRandom, runsOf } from '../../lib/testing/seed.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { pace } from '../../lib/testing/waiting.ts';
import { filesBelow } from './files-below.ts';

interface RandomPlay {
  /** What else lies in the folder stays as it is. */
  isChanged(file: string): boolean;
  /** In `npm run fuzz`. */
  readonly operations: number;
  readonly checkEvery: number;
  /** Follows both folders, and gives what has to hold at each check. */
  start(roots: readonly string[]): Promise<() => Promise<void>>;
}

/** The files in a folder, and the same in a second one that is empty at first. */
export async function playRandomly(
  root: string,
  { isChanged, operations, checkEvery, start }: RandomPlay,
): Promise<void> {
  const other = makeTemporaryFolder('random-other');
  const roots = [root, other];
  const files = filesBelow(root).filter(isChanged);
  const originals = roots.flatMap((at) =>
    files.map((file) => ({ file: path.join(at, path.relative(root, file)), bytes: readFileSync(file) })),
  );
  const check = await start(roots);
  const random = createRandom();
  const all = runsOf(operations);
  for (let done = 1; done <= all; done++) {
    operate(random, originals, roots);
    if (random() < 0.02) await pace(1 + random() * 10);
    if (done % checkEvery === 0 || done === all) await check();
  }
}

/** A file as it was recorded. */
interface Original {
  readonly file: string;
  readonly bytes: Buffer;
}

/** One thing that a host, a person or a program of theirs may do to the files, and things that nobody does. */
function operate(random: () => number, originals: readonly Original[], roots: readonly string[]): void {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const original = pick(originals);
  const now = pick(filesNow(originals));
  if (!original) return;
  const { file, bytes } = original;
  const size = now && existsSync(now) ? statSync(now).size : 0;
  const whose = originals.find((one) => one.file === now);
  const kind = random();
  if (kind < 0.55 && now && whose) {
    // What a host does: goes on writing where it stopped, in whole lines or in halves.
    appendFileSync(now, whose.bytes.subarray(size, size + Math.ceil(random() * 3000)));
  } else if (kind < 0.65 || !now) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes.subarray(0, random() < 0.3 ? bytes.length : Math.floor(random() * bytes.length)));
  } else if (kind < 0.73) truncateSync(now, Math.floor(random() * size));
  else if (kind < 0.78) {
    writeFileSync(`${now}.tmp`, bytes.subarray(0, Math.floor(random() * bytes.length)));
    renameSync(`${now}.tmp`, now);
  } else if (kind < 0.84) rmSync(now);
  else if (kind < 0.88) {
    const folder = path.dirname(now);
    putAt(random, folder, `${folder}-${Math.floor(random() * 3)}`);
  } else if (kind < 0.95) putElsewhere(random, now, pick(originals)?.file ?? now, roots);
  else if (kind < 0.96) rmSync(path.dirname(now), { recursive: true });
  else if (kind < 0.98) {
    mkdirSync(path.join(path.dirname(now), 'deep', 'deeper'), { recursive: true });
    writeFileSync(path.join(path.dirname(now), 'deep', 'deeper', path.basename(file)), bytes);
  } else {
    // Other bytes, no longer than before.
    const text = readFileSync(now);
    writeFileSync(
      now,
      text.toReversed().map((byte) => (byte === 10 ? 32 : byte)),
    );
  }
}

/** A file or a session's whole folder comes to lie in the project of another one, of this data folder or of the other. */
function putElsewhere(random: () => number, from: string, neighbour: string, roots: readonly string[]): void {
  const at = roots.find((one) => from.startsWith(one + path.sep)) ?? '';
  const [projects = '', ...below] = path.relative(at, from).split(path.sep);
  const depth = random() < 0.5 ? below.length : Math.ceil(random() * below.length);
  const project = roots.flatMap((one) => path.relative(one, neighbour).split(path.sep)[1] ?? [])[0] ?? '';
  const root = random() < 0.5 ? (roots[0] ?? '') : (roots[1] ?? '');
  const source = path.join(at, projects, ...below.slice(0, depth));
  const isSameProject = random() < 0.5;
  const target = path.join(
    root,
    projects,
    ...below.slice(0, depth).with(0, isSameProject ? (below[0] ?? '') : project),
  );
  if (target !== source) putAt(random, source, target);
}

function putAt(random: () => number, from: string, to: string): void {
  if (to.startsWith(from + path.sep) || from.startsWith(to + path.sep)) return;
  rmSync(to, { recursive: true, force: true });
  mkdirSync(path.dirname(to), { recursive: true });
  if (random() < 0.5) renameSync(from, to);
  else cpSync(from, to, { recursive: true });
}

function filesNow(originals: readonly Original[]): readonly string[] {
  return originals.map(({ file }) => file).filter((file) => existsSync(file));
}
