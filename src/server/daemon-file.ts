// daemon.json: which server runs for this person. Always whole: it appears by link or rename, never by writing into it.

import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type ChannelKeys, KEYED_CHANNELS } from '../core/index.ts';
import { linkNew, replaceFile } from '../lib/edit-file.ts';
import { asObject, asText, known, parseObject } from '../lib/json.ts';
import { isRunning, linuxStart } from '../lib/processes.ts';
import { createFile, openRegular, readText } from '../lib/regular-file.ts';
import { ensureStateFolder, inStateFolder } from '../lib/state-folder.ts';
import { codeOf, UserError } from '../lib/user-error.ts';

export interface Daemon {
  readonly pid: number;
  /** On Linux, as in /proc: tells it from a later process of the same number. */
  readonly procStart?: string;
  readonly port: number;
  readonly token: string;
  /** For answers to approvals; left out by servers before 0.2. */
  readonly keys?: ChannelKeys;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly version: string;
  /** Names this run of the server. */
  readonly epoch: string;
  /** Where it looks; left out by one that does not say. */
  readonly places?: readonly string[];
}

/** What stands in the file; no daemon where it is not the whole record of one. */
export interface DaemonFile {
  readonly text: string;
  readonly daemon?: Daemon;
}

export function daemonPath(folder: string): string {
  return path.join(folder, 'daemon.json');
}

/** Nothing where there is no such file. */
export async function readDaemonFile(file: string): Promise<DaemonFile | undefined> {
  try {
    const text = await readHead(file);
    return { text, ...known({ daemon: parseDaemon(text) }) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError('state-folder', `troupe cannot read ${file}: ${reason}`, 'Remove it.', { cause: error });
  }
}

export function isOwn(file: DaemonFile | undefined, { epoch }: Daemon): boolean {
  return file?.daemon?.epoch === epoch;
}

/** This process, as others shall find it. */
export async function describeOwn(own: Omit<Daemon, 'pid' | 'procStart'>): Promise<Daemon> {
  return { pid: process.pid, ...known({ procStart: await linuxStart(process.pid) }), ...own };
}

/** A record under a name of its own, to be put into place whole. */
export async function writeDraft(folder: string, daemon: Daemon): Promise<string> {
  const draft = draftPath(folder);
  try {
    await createFile(draft, `${JSON.stringify(daemon, null, 2)}\n`);
    return draft;
  } catch (error) {
    // A full disk leaves half a file.
    await rm(draft, { force: true });
    throw error;
  }
}

/** Where it is written down who may take the place of a file with this text. */
export function successorPath(folder: string, text: string): string {
  return path.join(folder, `daemon.${createHash('sha256').update(text).digest('hex').slice(0, 24)}.next`);
}

/** Takes the file away, if it is ours. Another's that took its place in this very moment is put back. */
export async function removeOwn(folder: string, own: Daemon): Promise<void> {
  const file = daemonPath(folder);
  if (!isOwn(await readDaemonFile(file), own)) return;
  const aside = draftPath(folder);
  try {
    await rename(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (!isOwn(await readDaemonFile(aside), own)) await linkNew(aside, file);
  await rm(aside, { force: true });
}

/** Drafts and successors that nobody can be busy with any more. Ages by the files' own clock. */
export async function sweepLeftovers(folder: string): Promise<void> {
  const { mtimeMs } = await stat(daemonPath(folder));
  for (const name of await readdir(folder)) {
    if (!/^daemon\..+\.(draft|next)$/.test(name)) continue;
    const file = path.join(folder, name);
    const age = mtimeMs - ((await stat(file).catch(() => undefined))?.mtimeMs ?? mtimeMs);
    // They hold tokens: one whose process has ended is of no use to anybody.
    const left = (await readDaemonFile(file).catch(() => undefined))?.daemon;
    const isOver = left !== undefined && left.pid !== process.pid && !isRunning(left.pid);
    if (isOver || age > LEFTOVER_MS) await rm(file, { force: true });
  }
}

function draftPath(folder: string): string {
  return path.join(folder, `daemon.${randomBytes(9).toString('hex')}.draft`);
}

const LEFTOVER_MS = 60 * 60_000;
const MAX_BYTES = 64 * 1024;

function parseDaemon(text: string): Daemon | undefined {
  const raw = parseObject(text);
  const [pid, port] = [asCount(raw?.['pid'], 2 ** 31), asCount(raw?.['port'], 65_535)];
  const [token, epoch] = [asWord(raw?.['token']), asWord(raw?.['epoch'])];
  const [startedAt, version] = [asText(raw?.['startedAt']), asText(raw?.['version'])];
  if (!pid || !port || !token || !epoch || !startedAt || !version) return undefined;
  const [procStart, places, keys] = [asText(raw?.['procStart']), asTexts(raw?.['places']), parseKeys(raw?.['keys'])];
  return { pid, port, token, startedAt, version, epoch, ...known({ procStart, places, keys }) };
}

function asTexts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}

function parseKeys(value: unknown): ChannelKeys | undefined {
  const raw = asObject(value);
  const keys = KEYED_CHANNELS.map((channel) => [channel, asWord(raw?.[channel])] as const);
  return keys.every(([, key]) => key !== undefined) ? (Object.fromEntries(keys) as ChannelKeys) : undefined;
}

function asCount(value: unknown, most: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
}

/** Fit to stand in a header of a request. */
function asWord(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,200}$/.test(value) ? value : undefined;
}

/** Whatever somebody else may have put there, it costs no more than this. */
async function readHead(file: string): Promise<string> {
  const handle = await openRegular(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

export interface Address {
  readonly port: number;
  readonly logins: readonly string[];
  /** The public key of the passphrase for approvals, as this server knew it: another one is an alarm. */
  readonly approvalKey?: string;
}

/** None where there was no server yet, or where the file is not what we wrote. */
export async function readAddress(folder: string): Promise<Address | undefined> {
  try {
    const raw = parseObject(await readText(addressPath(folder)));
    const port = asCount(raw?.['port'], 65_535);
    const approvalKey = asWord(raw?.['approvalKey']);
    return port === undefined ? undefined : { port, logins: asTexts(raw?.['logins']) ?? [], ...known({ approvalKey }) };
  } catch {
    return undefined;
  }
}

export async function writeAddress(folder: string, address: Address): Promise<void> {
  await ensureStateFolder(folder);
  const text = `${JSON.stringify(address, null, 2)}\n`;
  await inStateFolder(folder, async () => replaceFile(addressPath(folder), text));
}

function addressPath(folder: string): string {
  return path.join(folder, 'address.json');
}

/** What a server needs before it listens, new for each start. */
export function createIdentity(): { readonly token: string; readonly keys: ChannelKeys; readonly epoch: string } {
  const createSecret = (): string => randomBytes(32).toString('base64url');
  const keys = Object.fromEntries(KEYED_CHANNELS.map((channel) => [channel, createSecret()])) as ChannelKeys;
  return { token: createSecret(), keys, epoch: randomBytes(6).toString('hex') };
}
