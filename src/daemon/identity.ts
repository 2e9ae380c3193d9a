import { randomBytes } from 'node:crypto';

/** What a server needs before it listens. The epoch is new for each start; the token, where there is none from before. */
export function createIdentity(): { readonly token: string; readonly epoch: string } {
  return { token: randomBytes(32).toString('base64url'), epoch: randomBytes(6).toString('hex') };
}
