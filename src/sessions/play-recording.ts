import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ReplayStep, SourceAdapter } from '../hosts/index.ts';
import { type Clock, wait as waitFor } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { isProcessAlive, linuxStart } from '../lib/processes.ts';
import { append, createFile } from '../lib/regular-file.ts';
import { assertFound } from '../lib/user-error.ts';

export interface PlayOptions {
  /** 1 is as it happened, 4 is four times as fast. */
  readonly speed: number;
  readonly clock: Clock;
  /** How to wait; by the system's timers unless a test decides. */
  readonly wait?: typeof waitFor;
  /** Begins again as a new session, until it is closed. */
  readonly repeat?: boolean;
  /** Aborting closes it. */
  readonly signal?: AbortSignal;
}

export interface PlayedRecording {
  /** The data folder that is being written; a session is in it already. */
  readonly root: string;
  /** When the last line is written, or it was closed. Rejects where something could not be written. */
  readonly done: Promise<void>;
  /** Stops and removes the folder. May be called twice. */
  close(): Promise<void>;
}

/** Nobody wants to look at nothing for longer, in milliseconds of the recording. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Writes a recording into a folder of its own, at the pace at which it came about, and as if it came about now: whoever
 * watches the folder sees what the host would let them see.
 */
export async function playRecording(
  adapter: SourceAdapter,
  from: string,
  { speed, clock, wait = waitFor, repeat = false, signal }: PlayOptions,
): Promise<PlayedRecording> {
  const replay = assertFound(adapter.replay, `recordings of ${adapter.title} cannot be played`);
  const scenes = paced(await replay.schedule(from));
  assertFound(scenes[0], `there is nothing to play in ${from}`);
  const folder = await createTemporaryFolder('troupe-demo-');
  const root = folder.path;
  const stopped = new AbortController();

  const perform = async (part: readonly Scene[], take: number, startedAt: number): Promise<void> => {
    const toNow = (at: number): number => Math.round(startedAt + offsetOf(at, scenes) / speed);
    for (const { step } of part) {
      const ms = toNow(step.at) - clock();
      if (ms > 0) await wait(ms, stopped.signal);
      if (stopped.signal.aborted) return;
      const text = replay.rename(replay.retime(step.text, toNow), take);
      await write(root, { ...step, file: replay.rename(step.file, take), text });
    }
  };
  const encore = async (): Promise<void> => {
    for (let take = 1; !stopped.signal.aborted; take++) {
      await wait(LONGEST_PAUSE_MS / speed, stopped.signal);
      // The one before stays for those who look at it; a demo that runs all night must not fill the disk.
      const old = take > 1 ? new Set(scenes.map(({ step }) => replay.rename(step.file, take - 2))) : [];
      for (const file of old) await rm(path.join(root, file), { force: true });
      await perform(scenes, take, clock());
    }
  };

  const startedAt = clock();
  const isOpening = ({ offsetMs }: Scene): boolean => offsetMs === 0;
  await perform(scenes.filter(isOpening), 0, startedAt);
  const rest = scenes.filter((scene) => !isOpening(scene));
  const done = perform(rest, 0, startedAt).then(() => (repeat ? encore() : undefined));
  // Those who wait for the end hear of a failure; it is no reason to bring down those who do not.
  done.catch(() => {});
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stopped.abort();
    closed ??= done.catch(() => {}).then(() => folder.remove());
    return closed;
  };
  if (signal?.aborted) await close();
  else signal?.addEventListener('abort', () => void close(), { once: true });
  return { root, done, close };
}

interface Scene {
  readonly step: ReplayStep;
  /** Since the beginning, in milliseconds of the recording, without the long pauses. */
  readonly offsetMs: number;
}

function paced(steps: readonly ReplayStep[]): readonly Scene[] {
  let offsetMs = 0;
  return steps.map((step, index) => {
    const pause = step.at - (steps[index - 1]?.at ?? step.at);
    offsetMs += Math.min(pause, LONGEST_PAUSE_MS);
    return { step, offsetMs };
  });
}

/** How far into the play a time of the recording is. Lines also tell of times between the steps, and before the first. */
function offsetOf(at: number, scenes: readonly Scene[]): number {
  const before = scenes.findLast(({ step }) => step.at <= at) ?? scenes[0];
  return before ? before.offsetMs + Math.min(at - before.step.at, LONGEST_PAUSE_MS) : 0;
}

async function write(root: string, { file, shape, text }: ReplayStep): Promise<void> {
  const place = path.join(root, file);
  if (shape === 'gone') return rm(place, { force: true });
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  if (shape === 'lines') return append(place, text);
  // Whoever reads a document meanwhile must find the old one or the new one, not half of it.
  const unfinished = `${place}.tmp`;
  await createFile(unfinished, text);
  await rename(unfinished, place);
}

/**
 * A new folder that others on this machine cannot look into (mode 0700). It goes with the process at the latest; where
 * that was killed, with the next one that makes one of this prefix.
 */
export async function createTemporaryFolder(prefix: string) {
  // What somebody else may have put there is no reason not to go on.
  await removeLeftovers(prefix).catch(() => {});
  // Whose it is stands in its name: a number alone may be another process's by the next time.
  const owner = `${process.pid}-${(await linuxStart(process.pid)) ?? 0}-`;
  const folder = await mkdtemp(path.join(tmpdir(), prefix + owner));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  const onSignal = (signal: NodeJS.Signals): void => {
    // Somebody else decides what the signal means; if it is the end, `exit` comes.
    if (process.listenerCount(signal) > 1) return;
    removeNow();
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  };
  process.once('exit', removeNow);
  for (const signal of DEADLY) process.on(signal, onSignal);
  return {
    path: folder,
    /** May be called twice. */
    async remove(): Promise<void> {
      process.off('exit', removeNow);
      for (const signal of DEADLY) process.off(signal, onSignal);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function removeLeftovers(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, start] = (name.startsWith(prefix) && /^(\d+)-(\d+)-\w{6}$/.exec(name.slice(prefix.length))) || [];
    if (pid === undefined) continue;
    const procStart = start === '0' ? undefined : start;
    if (await isProcessAlive({ pid: Number(pid), ...known({ procStart }) })) continue;
    const place = path.join(tmpdir(), name);
    const stats = await lstat(place);
    if (stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid))
      await rm(place, { recursive: true, force: true });
  }
}

/** These end a process without `exit`, unless somebody listens to them. */
const DEADLY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
