import { readFileSync } from 'node:fs';
import { isDraftOf, settleSpooled } from '../../audit/settle-spooled.ts';
import { putSpoolFile } from '../../audit/spool-writer.ts';

/** What the guard stub hands on: it has put the payload into a draft of the spool already. */
export interface StubCall {
  readonly host: string;
  /** The name of the draft. */
  readonly draft: string;
  readonly ppid: number;
  /** Epoch milliseconds; not every shell can tell. */
  readonly since?: number;
}

/** Decides about a call where no server runs. Gives what is to be printed. */
export function guardStubCall(folder: string, { host, draft, ppid, since }: StubCall): string {
  if (!isDraftOf(host, draft)) throw new Error(`no draft of ${host}: ${draft}`);
  settleSpooled(folder, draft, { ppid, decision: 'none' }, since);
  return '';
}

/** The same for a call that is told on stdin, where no shell stands between the host and us. */
export function guardStdin(folder: string, host: string): string {
  if (!/^[a-z0-9-]{1,64}$/.test(host)) throw new Error(`no name of a host: ${host}`);
  const payload = process.stdin.isTTY ? new Uint8Array() : readFileSync(0);
  const ms = Math.round(performance.now() * 10) / 10;
  if (payload.length > 0) putSpoolFile(folder, host, payload, { ppid: process.ppid, decision: 'none', ms });
  return '';
}
