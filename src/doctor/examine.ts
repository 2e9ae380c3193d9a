import type { SourceAdapter } from '../adapters/adapter.ts';
import type { Clock } from '../base/clock.ts';
import type { GuardLog, HooksControl } from '../faces/face.ts';
import type { Finding } from '../reports/doctor-shapes.ts';
import type { HooksStatus } from '../reports/hooks-shapes.ts';
import type { Place } from '../tracker/places.ts';
import { examineAudit } from './examine-audit.ts';
import { examineFolders } from './examine-folders.ts';
import { examineHooks } from './examine-hooks.ts';
import { examineHost } from './examine-hosts.ts';
import { examineServer } from './examine-server.ts';
import { examineState } from './examine-state.ts';
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
}

/** Everything that has to be in order, from the hosts to the audit. Writes nothing but two calls of its own into the audit. */
export async function* examine(options: ExamineOptions): AsyncGenerator<Finding> {
  const { adapters, state, places, hooks, log, version, clock } = options;
  const looked: { readonly adapter: SourceAdapter; readonly status: HooksStatus }[] = [];
  for (const adapter of adapters.filter(({ hookSettings }) => hookSettings)) {
    const status = await hooks.status({ host: adapter.host });
    looked.push({ adapter, status });
    yield* examineHost(adapter, status.hostVersion);
  }
  yield* examineFolders(places);
  for (const { adapter, status } of looked) {
    yield* examineHooks(status);
    if (adapter.hooks) yield* tryHooks({ hooks: adapter.hooks, status, log });
  }
  yield* examineServer(state, version);
  yield* examineState(state, clock);
  yield* examineAudit(log);
}
