// The passphrase with which a person proves that it is they who allow a call (docs/explanation/guard-model.md). It becomes a key for
// signatures by a slow hash: STATE/approval-key.json holds the public half only, so what is signed can be checked without a secret.

import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  type ScryptOptions,
  scrypt,
  sign,
  verify,
} from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import type { ApprovalRequest } from '../../core/index.ts';
import { readRegular } from '../../lib/regular-file.ts';
import { codeOf, UserError } from '../../lib/user-error.ts';

/** Half a second and 128 MB for each guess. Fixed by the version: a file must not be able to make it cheap. */
const COST: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 192 * 1024 * 1024 };
export const SHORTEST_PASSPHRASE = 12;
const LONGEST_PASSPHRASE = 400;
const MAX_BYTES = 64 * 1024;
const MAX_CHANGES = 100;

const text = v.pipe(v.string(), v.regex(/^[\w-]{20,100}$/));
const schema = v.object({
  version: v.literal(1),
  setAt: v.pipe(v.string(), v.isoTimestamp()),
  salt: text,
  publicKey: text,
  /** The keys before this one, oldest first, each with its signature of the next: a change proves that the old passphrase was known. */
  earlier: v.pipe(v.array(v.object({ publicKey: text, signature: text })), v.maxLength(MAX_CHANGES)),
});

export type ApprovalKey = v.InferOutput<typeof schema>;

/** The private half. Kept in memory only, and no longer than it is needed. */
export type ApprovalSecret = KeyObject;

export const approvalKeyFile = (folder: string): string => path.join(folder, 'approval-key.json');

/** `none`: there is no such file. `bad`: it is not what we wrote. */
export async function readApprovalKey(folder: string): Promise<ApprovalKey | 'none' | 'bad'> {
  try {
    const raw: unknown = JSON.parse((await readRegular(approvalKeyFile(folder), MAX_BYTES)).toString('utf8'));
    const parsed = v.safeParse(schema, raw);
    return parsed.success ? parsed.output : 'bad';
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'bad';
  }
}

/** A new key; with `before`, one that takes its place. Throws a `UserError` if the passphrase is too weak. */
export async function createApprovalKey(
  passphrase: string,
  at: Date,
  before?: { readonly key: ApprovalKey; readonly secret: ApprovalSecret },
): Promise<ApprovalKey> {
  const letters = new Set(normalize(passphrase));
  if (normalize(passphrase).length < SHORTEST_PASSPHRASE || letters.size < 5)
    throw new UserError(
      'weak-passphrase',
      `The passphrase is too easy to guess: it needs at least ${SHORTEST_PASSPHRASE} characters, 5 of them different.`,
      'Use a few random words.',
    );
  const salt = randomBytes(24).toString('base64url');
  const publicKey = publicHalf(await derive(passphrase, salt));
  const earlier = before
    ? [
        ...before.key.earlier,
        { publicKey: before.key.publicKey, signature: signText(before.secret, nextKey(publicKey)) },
      ]
    : [];
  return { version: 1, setAt: at.toISOString(), salt, publicKey, earlier: earlier.slice(-MAX_CHANGES) };
}

/** The private half of this key; undefined if the passphrase is wrong. Takes as long for a wrong one as for the right one. */
export async function unlockKey(passphrase: string, key: ApprovalKey): Promise<ApprovalSecret | undefined> {
  if (passphrase.length > LONGEST_PASSPHRASE) return undefined;
  const secret = await derive(passphrase, key.salt);
  return publicHalf(secret) === key.publicKey ? secret : undefined;
}

/** True if `key` is `known`, or came after it by changes that each were signed with the passphrase before. */
export function isSuccessor(key: ApprovalKey, known: string): boolean {
  const keys = [...key.earlier.map(({ publicKey }) => publicKey), key.publicKey];
  const from = keys.lastIndexOf(known);
  if (from === -1) return false;
  return key.earlier
    .slice(from)
    .every(({ publicKey, signature }, at) => isSigned(publicKey, nextKey(keys[from + at + 1] ?? ''), signature));
}

/** Proof for one call, as it was shown: a signature for another call, or for other words, does not fit. */
export function signApproval(secret: ApprovalSecret, ask: ApprovalRequest): string {
  return signText(secret, approvalText(ask));
}

export function isSignedApproval({ publicKey }: ApprovalKey, ask: ApprovalRequest, signature: string): boolean {
  return isSigned(publicKey, approvalText(ask), signature);
}

/** Without the name of the agent, which becomes better known while the call waits. */
function approvalText({ id, host, session, tool, call, summary, input, cwd, rule, reason }: ApprovalRequest): string {
  return JSON.stringify(['troupe allow', id, host, session, tool, call, summary, input, cwd, rule, reason]);
}

const nextKey = (publicKey: string): string => JSON.stringify(['troupe next key', publicKey]);

export function signText(secret: ApprovalSecret, words: string): string {
  return sign(null, Buffer.from(words), secret).toString('base64url');
}

export function isSigned(publicKey: string, words: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(words), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** The same letters may be typed in several ways: é is one character on some keyboards and two on others. */
const normalize = (passphrase: string): string => passphrase.normalize('NFKC');

/** What DER puts before the 32 bytes of a private key of Ed25519 (RFC 8410). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

async function derive(passphrase: string, salt: string): Promise<ApprovalSecret> {
  const seed = await new Promise<Buffer>((resolve, reject) =>
    scrypt(normalize(passphrase), Buffer.from(salt, 'base64url'), 32, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
  return createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: 'der', type: 'pkcs8' });
}

function publicHalf(secret: ApprovalSecret): string {
  return String(createPublicKey(secret).export({ format: 'jwk' }).x);
}
