// Who may allow calls that need a proof: browsers that were paired with the passphrase, and terminals in which it was typed
// (guard/approvals/approval-key.ts). Nothing in these files is a secret, and none of them is believed without a signature.

import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import * as v from 'valibot';
import type { ApprovalRequest, PairedBrowser, PairingStatus } from '../core/index.ts';
import {
  type ApprovalKey,
  approvalKeyFile,
  createApprovalKey,
  isSigned,
  isSignedApproval,
  isSuccessor,
  readApprovalKey,
  signText,
  unlockKey,
} from '../guard/index.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { replaceFile } from '../lib/edit-file.ts';
import { findClients, listAncestry } from '../lib/processes.ts';
import { readText } from '../lib/regular-file.ts';
import { ensureStateFolder, inStateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { findAgentAbove } from '../sessions/index.ts';
import { readAddress } from './daemon-file.ts';
import type { Refusal } from './http/answers.ts';
import type { Channel } from './http/gate.ts';
import type { PassphraseControl } from './server-control.ts';

const PAIRED_MS = 30 * 86_400_000;
const MAX_BROWSERS = 50;
/** So many wrong passphrases in a row cost no time. */
const FREE_TRIES = 3;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;

const word = v.pipe(v.string(), v.maxLength(200));
const browserSchema = v.object({
  ...{ id: word, name: word, digest: word, signature: word },
  ...{ pairedAt: v.pipe(v.string(), v.isoTimestamp()), expiresAt: v.pipe(v.string(), v.isoTimestamp()) },
});
const browsersSchema = v.object({ browsers: v.array(browserSchema) });
const triesSchema = v.object({ wrong: v.pipe(v.number(), v.minValue(0)), at: v.number() });

type KeptBrowser = v.InferOutput<typeof browserSchema>;
type Tries = v.InferOutput<typeof triesSchema>;

/** What a client brings to show that a person allows the call. */
export interface GivenProof {
  /** Of the call, by the key of the passphrase. */
  readonly signature: string | undefined;
  /** The secret of a paired browser. */
  readonly pairing: string | undefined;
}

interface ProofOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** The public key that an earlier server knew. */
  readonly known: string | undefined;
  /** Keeps it for the next server. */
  readonly onKnown: (publicKey: string) => void;
  /** An alarm begins (with its words), or ends. */
  readonly onAlarm: (alarm: string | undefined) => void;
  readonly note: (words: string) => void;
}

type Look = { readonly key: ApprovalKey } | { readonly alarm: string } | 'none';

export class ApprovalProof {
  readonly #options: ProofOptions;
  #known: string | undefined;
  #alarm: string | undefined;
  #tries: Tries = { wrong: 0, at: 0 };
  #isTrying = false;
  /** Ids of pairings, since this server runs. */
  readonly #seen = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(options: ProofOptions) {
    this.#options = options;
    this.#known = options.known;
  }

  /** Looks whether the key is still the one we know. Called now and then, so that a replaced one does not wait for an approval. */
  async look(): Promise<Look> {
    const { folder, onAlarm, onKnown, note } = this.#options;
    const found = await readApprovalKey(folder);
    const alarm = alarmFor(found, this.#known, approvalKeyFile(folder));
    if (alarm !== this.#alarm) onAlarm(alarm);
    this.#alarm = alarm;
    if (alarm !== undefined) return { alarm };
    if (found === 'none' || found === 'bad') return 'none';
    if (found.publicKey !== this.#known) {
      note(`the passphrase for approvals was ${this.#known ? 'changed' : 'set'} (${found.setAt})`);
      this.#known = found.publicKey;
      onKnown(found.publicKey);
    }
    await this.#browsers(found);
    return { key: found };
  }

  /** `pairing`: the secret of the browser that asks. */
  async status(pairing?: string): Promise<Omit<PairingStatus, 'alarms'>> {
    const look = await this.look();
    if (look === 'none') return { state: 'none', setAt: null, keyId: null, browsers: [], self: null };
    if ('alarm' in look) return { state: 'alarm', setAt: null, keyId: null, browsers: [], self: null };
    const { setAt, publicKey } = look.key;
    const browsers = await this.#browsers(look.key);
    const self = pairing === undefined ? undefined : browsers.find(({ digest }) => digest === digestOf(pairing));
    return {
      state: 'set',
      setAt,
      keyId: publicKey.slice(0, 16),
      browsers: browsers.map(toPublic),
      self: self?.id ?? null,
    };
  }

  /** Why the call must not be allowed with this proof; undefined if it may. */
  async refusalFor(ask: ApprovalRequest, { signature, pairing }: GivenProof): Promise<Refusal | undefined> {
    const look = await this.look();
    if (look === 'none') return NO_PASSPHRASE;
    if ('alarm' in look) return alarmRefusal(look.alarm);
    if (signature !== undefined && isSignedApproval(look.key, ask, signature)) return undefined;
    if (pairing !== undefined && (await this.#isPaired(look.key, pairing))) return undefined;
    return PROOF_NEEDED;
  }

  /** The secret of a browser that is paired now, or why it is not. */
  async pair(passphrase: string, name: string): Promise<{ readonly secret: string; readonly keyId: string } | Refusal> {
    const look = await this.look();
    if (look === 'none') return NO_PASSPHRASE;
    if ('alarm' in look) return alarmRefusal(look.alarm);
    const { key } = look;
    // One guess at a time: each takes half a second of a processor, and 128 MB.
    if (this.#isTrying) return tooMany(1_000);
    this.#isTrying = true;
    try {
      const wait = await this.#waitMs();
      if (wait > 0) return tooMany(wait);
      // Counted before it is known to be wrong: killing the server in between must not give a guess for free.
      const { wrong } = this.#tries;
      this.#keepTries(wrong + 1);
      const unlocked = await unlockKey(passphrase, key);
      if (!unlocked) {
        // The wait begins with the answer: on a busy machine, it could otherwise be over by then.
        this.#keepTries(wrong + 1);
        return WRONG_PASSPHRASE;
      }
      this.#keepTries(0);
      const now = this.#options.clock();
      const secret = randomBytes(32).toString('base64url');
      const browser = {
        ...{ id: randomBytes(6).toString('hex'), name: name.slice(0, 100), digest: digestOf(secret) },
        ...{ pairedAt: new Date(now).toISOString(), expiresAt: new Date(now + PAIRED_MS).toISOString() },
      };
      const signed: KeptBrowser = { ...browser, signature: signText(unlocked, pairingText(browser)) };
      this.#keepBrowsers([...(await this.#browsers(key)), signed].slice(-MAX_BROWSERS));
      this.#seen.add(browser.id);
      this.#options.note(`a browser was paired (${browser.name})`);
      return { secret, keyId: key.publicKey.slice(0, 16) };
    } finally {
      this.#isTrying = false;
    }
  }

  /** False if there is none of this id. */
  async unpair(id: string): Promise<boolean> {
    const look = await this.look();
    if (look === 'none' || 'alarm' in look) return false;
    const before = await this.#browsers(look.key);
    const after = before.filter((browser) => browser.id !== id);
    if (after.length === before.length) return false;
    this.#keepBrowsers(after);
    return true;
  }

  async #isPaired(key: ApprovalKey, secret: string): Promise<boolean> {
    const digest = digestOf(secret);
    return (await this.#browsers(key)).some((browser) => browser.digest === digest);
  }

  /** Those whose pairing the passphrase has signed, and that have not expired: whatever else is in the file counts for nothing. */
  async #browsers(key: ApprovalKey): Promise<readonly KeptBrowser[]> {
    const kept = v.safeParse(browsersSchema, await readJson(browsersFile(this.#options.folder)));
    const now = this.#options.clock();
    const signed = (kept.success ? kept.output.browsers : []).filter(
      (browser) =>
        Date.parse(browser.expiresAt) > now && isSigned(key.publicKey, pairingText(browser), browser.signature),
    );
    // A pairing that was ended must not come back with a copy of the file.
    const ids = new Set(signed.map(({ id }) => id));
    for (const id of this.#seen) if (!ids.has(id)) this.#ended.add(id);
    const browsers = signed.filter(({ id }) => !this.#ended.has(id));
    for (const { id } of browsers) this.#seen.add(id);
    return browsers;
  }

  #keepBrowsers(browsers: readonly KeptBrowser[]): void {
    replaceFile(browsersFile(this.#options.folder), `${JSON.stringify({ browsers }, null, 2)}\n`);
  }

  /** By the file and by what this process remembers: whichever knows of more wrong ones. */
  async #waitMs(): Promise<number> {
    const kept = v.safeParse(triesSchema, await readJson(triesFile(this.#options.folder)));
    if (kept.success && kept.output.wrong > this.#tries.wrong) this.#tries = kept.output;
    const { wrong, at } = this.#tries;
    if (wrong < FREE_TRIES) return 0;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (wrong - FREE_TRIES), LONGEST_WAIT_MS);
    const now = this.#options.clock();
    // A clock that was set back does not make anybody wait longer than that.
    return Math.max(0, Math.min(at, now) + wait - now);
  }

  #keepTries(wrong: number): void {
    this.#tries = { wrong, at: this.#options.clock() };
    replaceFile(triesFile(this.#options.folder), `${JSON.stringify(this.#tries)}\n`);
  }
}

/** Why the key on the disk cannot be trusted; undefined if it can, or if there never was one. */
export function alarmFor(
  found: ApprovalKey | 'none' | 'bad',
  known: string | undefined,
  file: string,
): string | undefined {
  if (found === 'none')
    return known === undefined ? undefined : `Your passphrase for approvals is gone: ${file} was removed.`;
  if (found === 'bad') return `Your passphrase for approvals cannot be read: ${file} was changed.`;
  if (known === undefined || isSuccessor(found, known)) return undefined;
  return `Your passphrase for approvals was replaced by one that was set without the old one: ${file} was changed.`;
}

/** For a process that is not the server: the key, unless the last server knew another one. */
export async function readTrustedKey(folder: string): Promise<ApprovalKey | undefined> {
  const [found, address] = [await readApprovalKey(folder), await readAddress(folder)];
  const alarm = alarmFor(found, address?.approvalKey, approvalKeyFile(folder));
  if (alarm !== undefined) throw new UserError('passphrase-alarm', alarm, ALARM_REMEDY);
  return typeof found === 'object' ? found : undefined;
}

/** In words: the coding agent that started this process, if one did. */
type FindAgent = () => Promise<string | undefined>;

async function assertPersonHere(findAgent: FindAgent): Promise<void> {
  const agent = await findAgent();
  if (agent === undefined) return;
  const remedy = 'Use a terminal that no coding agent started.';
  throw new UserError('from-agent', `Only a person can do this: ${agent}.`, remedy);
}

/** For commands: on the files alone, whether a server runs or not. */
export function createPassphraseControl(folder: string, findAgent: FindAgent): PassphraseControl {
  const assertPerson = (): Promise<void> => assertPersonHere(findAgent);
  const open = async (): Promise<ApprovalProof> => {
    const known = (await readAddress(folder))?.approvalKey;
    const nothing = (): void => undefined;
    return new ApprovalProof({
      ...{ folder, clock: systemClock, known },
      ...{ onKnown: nothing, onAlarm: nothing, note: nothing },
    });
  };
  return {
    async status() {
      const proof = await open();
      const look = await proof.look();
      return { ...(await proof.status()), alarm: typeof look === 'object' && 'alarm' in look ? look.alarm : null };
    },
    assertPerson,
    async set(passphrase, old) {
      await assertPerson();
      const key = await readTrustedKey(folder);
      const secret = key && (await unlockKey(old ?? '', key));
      if (key && !secret) throw new UserError('wrong-passphrase', WRONG_PASSPHRASE.message, 'Try again.');
      const next = await createApprovalKey(passphrase, new Date(systemClock()), key && secret && { key, secret });
      await ensureStateFolder(folder);
      await inStateFolder(folder, async () =>
        replaceFile(approvalKeyFile(folder), `${JSON.stringify(next, null, 2)}\n`),
      );
    },
    async unpair(id) {
      if (!(await (await open()).unpair(id)))
        throw new UserError('browser-not-found', `No paired browser has the id ${id}.`, 'See: troupe server browsers');
    },
  };
}

export const ALARM_REMEDY =
  'Look for who did it, then see docs/explanation/guard-model.md, "If the passphrase is lost". Calls can still be denied.';

const browsersFile = (folder: string): string => path.join(folder, 'paired-browsers.json');
const triesFile = (folder: string): string => path.join(folder, 'passphrase-tries.json');

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readText(file, 1024 * 1024));
  } catch {
    return undefined;
  }
}

function pairingText({ id, name, digest, pairedAt, expiresAt }: Omit<KeptBrowser, 'signature'>): string {
  return JSON.stringify(['troupe pairing', id, name, digest, pairedAt, expiresAt]);
}

function toPublic({ id, name, pairedAt, expiresAt }: KeptBrowser): PairedBrowser {
  return { id, name, pairedAt, expiresAt };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

const NO_PASSPHRASE: Refusal = {
  status: 403,
  code: 'passphrase-not-set',
  message: 'To allow this call, you need a passphrase for approvals, and none is set.',
  remedy: 'In a terminal that no coding agent started, run: troupe server passphrase',
};

const PROOF_NEEDED: Refusal = {
  status: 403,
  code: 'proof-needed',
  message: 'To allow this call, you need your passphrase for approvals.',
  remedy: 'Pair this browser, or run troupe guard answer or troupe watch in a terminal: they ask for the passphrase.',
};

const WRONG_PASSPHRASE: Refusal = {
  status: 403,
  code: 'wrong-passphrase',
  message: 'This is not the passphrase for approvals.',
  remedy: 'Try again. After a few wrong ones you have to wait.',
};

function tooMany(ms: number): Refusal {
  const seconds = Math.ceil(ms / 1_000);
  return {
    status: 429,
    code: 'too-many-tries',
    message: `Too many wrong passphrases: wait ${seconds} s.`,
    remedy: 'troupe guard answer in a terminal takes the passphrase without waiting.',
    headers: { 'Retry-After': String(seconds) },
  };
}

function alarmRefusal(alarm: string): Refusal {
  return { status: 403, code: 'passphrase-alarm', message: alarm, remedy: ALARM_REMEDY };
}

/**
 * Refuses answers to approvals, and login links, if the client was started by a coding agent: an agent must not approve its own
 * calls. This only ever refuses; a process that an agent has hidden well still needs a credential.
 */
export async function refuseAgents({ socket }: IncomingMessage, channel?: Channel): Promise<Refusal | undefined> {
  const clients = await findClients(socket);
  for (const pid of clients) {
    const found = await findAgentAbove(pid);
    if (found) return report(fromAgent(found), socket);
  }
  // A browser may be behind a forwarded port, and has shown its cookie; every other client runs here, as this user.
  return clients.length === 0 && channel !== 'page' ? report(UNKNOWN_CLIENT, socket) : undefined;
}

/**
 * It comes from elsewhere: another machine or user (a forwarded port), or a container. A process that the system does not show is taken
 * for such a one.
 */
export async function isRemote({ socket }: IncomingMessage): Promise<boolean> {
  const clients = await findClients(socket);
  if (clients.length === 0) return true;
  const names = await Promise.all(clients.map(async (pid) => [...((await listAncestry(pid))[0]?.names ?? [])]));
  return names.flat().some((name) => FORWARDERS.has(name));
}

const FORWARDERS: ReadonlySet<string> = new Set(['sshd', 'sshd-session', 'dropbear', 'docker-proxy', 'rootlessport']);

/** A person should see that an agent tried: the server's log keeps it. */
function report(refusal: Refusal, { remotePort }: IncomingMessage['socket']): Refusal {
  process.stderr.write(`troupe: refused a request from port ${remotePort}: ${refusal.message}\n`);
  return refusal;
}

function fromAgent(found: string): Refusal {
  return {
    status: 403,
    code: 'from-agent',
    message: `Only a person can do this: ${found}.`,
    remedy: 'Use the page, Telegram, or a terminal that no coding agent started.',
  };
}

const UNKNOWN_CLIENT: Refusal = {
  status: 403,
  code: 'unknown-process',
  message: 'troupe cannot tell which process sent this request, so it may be an agent.',
  remedy: 'Answer on the page, or from a process of the same user on this machine.',
};
