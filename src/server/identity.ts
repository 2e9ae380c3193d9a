import { randomBytes } from 'node:crypto';
import { type ChannelKeys, KEYED_CHANNELS } from '../core/index.ts';

/** What a server needs before it listens, new for each start. */
export function createIdentity(): { readonly token: string; readonly keys: ChannelKeys; readonly epoch: string } {
  const createSecret = (): string => randomBytes(32).toString('base64url');
  const keys = Object.fromEntries(KEYED_CHANNELS.map((channel) => [channel, createSecret()])) as ChannelKeys;
  return { token: createSecret(), keys, epoch: randomBytes(6).toString('hex') };
}
