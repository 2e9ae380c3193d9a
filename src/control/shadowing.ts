import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import type { SharedScreen } from '../lib/screen.ts';
import { UserError } from '../lib/user-error.ts';
import {
  createShadow,
  placesOf,
  readsStreams,
  type Shadow,
  type ShadowOptions,
  type ShadowReport,
  type StreamEvent,
} from '../sessions/index.ts';
import type { ShadowRequest } from './shadow-request.ts';
import { createTreeView } from './tree-view.ts';

/** A shadow as the person asked for it, with the tree on stderr where wanted. */
export function startShadow(
  { where, disk, tree }: Pick<ShadowRequest, 'where' | 'disk' | 'tree'>,
  onEvents: (events: readonly StreamEvent[]) => void,
  {
    screen,
    onFacts,
  }: {
    /** Where the tree is drawn as it changes; left out: only at the end. */
    readonly screen?: SharedScreen | undefined;
    readonly onFacts?: ShadowOptions['onFacts'];
  },
): Shadow {
  const { host } = where;
  const adapters = ADAPTERS.filter(readsStreams).filter((adapter) => host === undefined || adapter.host === host);
  if (adapters.length === 0) throw unknownHost(host);
  const view = tree ? createTreeView(screen) : undefined;
  const shadow = createShadow({
    adapters,
    clock: systemClock,
    placesOf: (of) => (disk ? placesOf({ ...where, host: of }) : []),
    onEvents,
    onError: reportTrouble,
    ...(onFacts && { onFacts }),
    ...(view && { onTree: (now) => view.show(now) }),
  });
  return {
    get isRecognised() {
      return shadow.isRecognised;
    },
    assume: (stream) => shadow.assume(stream),
    push: (chunk) => shadow.push(chunk),
    async end(): Promise<ShadowReport> {
      const report = await shadow.end();
      view?.end(report.tree);
      return report;
    },
  };
}

function unknownHost(host: string | undefined): UserError {
  const known = ADAPTERS.filter(readsStreams).map((adapter) => adapter.host);
  const isHost = ADAPTERS.some((adapter) => adapter.host === host);
  const what = isHost ? `troupe reads no stream of «${host}».` : `troupe does not know the host «${host}».`;
  return new UserError('unknown-host', what, `Known: ${known.join(', ')}`);
}
