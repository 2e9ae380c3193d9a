import type { GuardLog } from '../../audit/index.ts';
import type { Finding, FindingArea, HooksStatus } from '../../core/index.ts';
import type { SourceAdapter } from '../../hosts/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { UserError } from '../../lib/user-error.ts';
import type { TelegramHealth } from '../../notify/index.ts';
import { findSessions, type Place } from '../../sessions/index.ts';
import type { HooksControl } from '../hooks/hooks-types.ts';
import { examineAudit } from './examine-audit.ts';
import { examineFolders } from './examine-folders.ts';
import { examineHooks } from './examine-hooks.ts';
import { examineHost } from './examine-hosts.ts';
import { examineServer } from './examine-server.ts';
import { examineState } from './examine-state.ts';
import { examineTelegram } from './examine-telegram.ts';
import { findingsOf, wordsOf } from './finding.ts';
import { tryHooks } from './try-hooks.ts';

export interface ExamineOptions {
  readonly adapters: readonly SourceAdapter[];
  /** Where troupe keeps its state. */
  readonly state: string;
  readonly places: readonly Place[];
  readonly hooks: HooksControl;
  readonly log: GuardLog;
  readonly version: string;
  readonly clock: Clock;
  /** Undefined where no bot is set up. */
  telegram(): Promise<TelegramHealth | undefined>;
}

/**
 * Everything that has to be in order, from the hosts to the audit. Writes nothing but two calls of its own into the
 * audit. What keeps one part from being examined is a finding, and the others go on.
 */
export async function* examine(options: ExamineOptions): AsyncGenerator<Finding> {
  const { adapters, state, places, hooks, log, version, clock } = options;
  const looked: ExaminedHost[] = [];
  const absent: ExaminedHost[] = [];
  for (const adapter of adapters.filter(({ hookSettings }) => hookSettings))
    yield* orWhyNot('hosts', async function* () {
      const host = { adapter, status: await hooks.status({ host: adapter.host }) };
      if (await isAbsent(host, places)) return void absent.push(host);
      looked.push(host);
      yield* examineHost(adapter, host.status.hostVersion);
    });
  // Who has none of them is told about the one that commands mean where none is named.
  if (looked.length === 0) {
    looked.push(...absent.filter(({ status }) => !status.isToBeNamed));
    for (const { adapter, status } of looked) yield* examineHost(adapter, status.hostVersion);
  }
  yield* orWhyNot('folders', () => examineFolders(places));
  for (const { adapter, status } of looked) {
    yield* orWhyNot('hooks', () => examineHooks(status));
    const { hooks: capability } = adapter;
    if (capability) yield* orWhyNot('hooks', () => tryHooks({ hooks: capability, status, log }));
  }
  yield* orWhyNot('server', () => examineServer(state, version));
  yield* orWhyNot('state', () => examineState(state, clock));
  yield* orWhyNot('audit', () => examineAudit(log));
  yield* orWhyNot('telegram', () => examineTelegram(options.telegram));
}

interface ExaminedHost {
  readonly adapter: SourceAdapter;
  readonly status: HooksStatus;
}

/** Of the hosts that a person does not have nothing is missing. */
async function isAbsent({ adapter, status }: ExaminedHost, places: readonly Place[]): Promise<boolean> {
  if (status.hostVersion !== null || status.places.some(({ events }) => events.length > 0)) return false;
  const own = places.filter((place) => place.adapter.host === adapter.host);
  return (await findSessions(own)).sessions.length === 0;
}

async function* orWhyNot(
  area: FindingArea,
  part: () => AsyncIterable<Finding> | Iterable<Finding>,
): AsyncGenerator<Finding> {
  try {
    yield* part();
  } catch (error) {
    const remedy = error instanceof UserError ? error.remedy : 'Mend what it says, and try again.';
    yield findingsOf(area).problem('not-examined', `This could not be examined: ${wordsOf(error)}`, remedy);
  }
}
