// `sessions/<pid>.json` of a session that is played: this very process stands in for the one that was recorded.
import { known } from '../../lib/json.ts';
import { linuxStart } from '../../lib/processes.ts';
import type { TimedLine } from './timed-lines.ts';

/** As 2.1.325 writes it, without what only the program itself needs (sockets, features). */
export async function createProcessRecord(sessionId: string, lines: readonly TimedLine[]) {
  const first = (field: string): unknown => lines.find(({ record }) => record[field] !== undefined)?.record[field];
  const entrypoint = first('entrypoint');
  const record = {
    pid: process.pid,
    sessionId,
    ...known({ cwd: first('cwd') }),
    // Of the process, not of the session: where there is no /proc, it tells us from another process with our number.
    startedAt: Math.round(performance.timeOrigin),
    ...known({ procStart: await linuxStart(process.pid), version: first('version') }),
    kind: 'interactive',
    ...known({ entrypoint }),
  };
  return {
    file: `sessions/${process.pid}.json`,
    text(isTurnOver: boolean, at: number): string {
      // Without a terminal (`-p`) the program is busy until it ends, also while it waits for agents in the background.
      const status = isTurnOver && entrypoint !== 'sdk-cli' ? 'idle' : 'busy';
      return JSON.stringify({ ...record, status, updatedAt: at, statusUpdatedAt: at });
    },
  };
}
