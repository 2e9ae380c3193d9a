import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { CoverageReport } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import { agentsOf, sessions } from '../store.ts';
import { onHeard } from './call-feed.ts';

export interface CoverageFeed {
  /** Undefined as long as it is not known. */
  readonly report: ReadonlySignal<CoverageReport | undefined>;
  close(): void;
}

const PAUSE_MS = 3_000;
/** Every transcript of the session is read for it: of all the time, no more than so much goes into that. */
const SHARE = 10;

/** Whether the hooks heard of every call of a session, kept up to date while somebody looks. */
export function openCoverageFeed(backend: Pick<Backend, 'coverage'>, session: string): CoverageFeed {
  const report = signal<CoverageReport | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let notBefore = 0;
  let isLoading = false;
  let isStale = false;
  let isClosed = false;
  const load = async (): Promise<void> => {
    timer = undefined;
    [isLoading, isStale] = [true, false];
    const begun = performance.now();
    // Without an answer the line stays as it is: the next change asks again.
    const answer = await backend.coverage(session).catch(() => report.peek());
    notBefore = performance.now() + Math.max(PAUSE_MS, (performance.now() - begun) * SHARE);
    isLoading = false;
    if (isClosed) return;
    report.value = answer;
    if (isStale) plan();
  };
  const plan = (): void => {
    isStale = true;
    if (isLoading || isClosed) return;
    timer ??= setTimeout(() => void load(), Math.max(0, notBefore - performance.now()));
  };
  const callCount = computed(() => {
    const found = sessions.value.find(({ id }) => id === session);
    return found ? agentsOf(found).reduce((sum, { toolCallCount }) => sum + (toolCallCount ?? 0), 0) : 0;
  });
  const stopCounting = effect(() => {
    callCount.value;
    plan();
  });
  const stopHearing = onHeard({
    hear: (calls) => calls.some((call) => call.session === session) && plan(),
    miss: plan,
  });
  return {
    report,
    close() {
      isClosed = true;
      clearTimeout(timer);
      stopCounting();
      stopHearing();
    },
  };
}
