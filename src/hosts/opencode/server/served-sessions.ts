import { type SessionInfo, toSessionInfo } from '../record.ts';
import { getList } from './request.ts';

export interface ServedSession {
  readonly info: SessionInfo;
}

const MOST = 1_000;

/** Of the folder that the server was started in, those of agents too. */
export async function listServed(root: string): Promise<readonly ServedSession[]> {
  const found = await getList(root, `/session?limit=${MOST}`);
  return found.flatMap((raw) => {
    const info = toSessionInfo(raw);
    return info ? [{ info }] : [];
  });
}
