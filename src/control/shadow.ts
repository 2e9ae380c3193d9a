import { isatty } from 'node:tty';
import { formatTree } from '../cli/format/index.ts';
import { computeTree, createPaint, type SessionTree } from '../core/index.ts';
import { ADAPTERS, loadHosts } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { createSharedScreen, isDumb, type SharedScreen } from '../lib/screen.ts';
import { createSpillingWriter } from '../lib/spilling-writer.ts';
import { UserError } from '../lib/user-error.ts';
import {
  createShadow,
  dataFoldersFor,
  readsStreams,
  type ShadowOptions,
  type ShadowReport,
} from '../sessions/index.ts';
import { openEvents, toTarget } from './event-output.ts';
import type { ShadowRequest, StreamOutcome, StreamRequest } from './requests.ts';

/** A shadow as the person asked for it, with the tree on stderr where wanted. */
export function startShadow(
  { where, disk, tree }: Pick<ShadowRequest, 'where' | 'disk' | 'tree'>,
  onEvents: ShadowOptions['onEvents'],
  /** Where the tree is drawn as it changes; undefined: only at the end. */
  screen: SharedScreen | undefined,
  onFacts?: ShadowOptions['onFacts'],
) {
  const { host } = where;
  const adapters = ADAPTERS.filter(readsStreams).filter((adapter) => host === undefined || adapter.host === host);
  if (adapters.length === 0) throw unknownHost(host);
  const view = tree ? createTreeView(screen) : undefined;
  const shadow = createShadow({
    adapters,
    clock: systemClock,
    placesOf: (of) => (disk ? dataFoldersFor({ ...where, host: of }) : []),
    onEvents,
    onError: reportTrouble,
    ...(onFacts && { onFacts }),
    ...(view && { onTree: (now) => view.show(now) }),
  });
  return {
    shadow,
    async endShadow(): Promise<ShadowReport> {
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

const REDRAW_MS = 100;

/**
 * The tree on stderr: in place where somebody watches, below what was printed before; once, at the end, where nobody does, or
 * where the screen is not ours: what another program prints there, we do not see, and would draw over it.
 */
function createTreeView(screen: SharedScreen | undefined) {
  const { stderr } = process;
  const isTerminal = stderr.isTTY === true && !isDumb(process);
  let drawn = 0;
  let latest: SessionTree | undefined;
  let timer: NodeJS.Timeout | undefined;
  const draw = (tree: SessionTree, isLast: boolean): void => {
    const paint = createPaint(isTerminal && !process.env['NO_COLOR'] ? '16' : 'none');
    const width = isTerminal ? { width: stderr.columns } : {};
    const report = computeTree({ tree, ignoredFiles: 0 }, { internal: false });
    const all = formatTree(report, { paint, now: systemClock(), ...width });
    // What is higher than the screen cannot be drawn over.
    const lines = isTerminal && !isLast ? all.slice(0, Math.max(1, stderr.rows - 1)) : all;
    const over = drawn > 0 ? `\u001b[${drawn}A\r\u001b[J` : '';
    stderr.write(`${over}${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const drawSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (latest && !screen?.isTaken) draw(latest, false);
    }, REDRAW_MS);
    timer.unref();
  };
  screen?.subscribe({
    onTaken() {
      drawn = 0;
    },
    onFree() {
      if (latest && isTerminal) drawSoon();
    },
  });
  return {
    show(tree: SessionTree): void {
      if (!isTerminal || !screen) return;
      latest = tree;
      drawSoon();
    },
    /** Draws the last one for good. */
    end(tree: SessionTree | undefined): void {
      clearTimeout(timer);
      if (tree) draw(tree, true);
    },
  };
}

const [STDOUT, STDERR] = [1, 2];

/** What comes in through stdin, as events; passed through where asked for. Whoever writes it never waits for whoever reads. */
export async function shadowInput(request: StreamRequest): Promise<StreamOutcome> {
  await loadHosts();
  // Nobody reads any more: like any filter, we end, and whoever writes hears of it.
  const stop = (): void => void process.stdin.destroy();
  const events = openOutput(request, stop);
  const through = request.tee ? createSpillingWriter(STDOUT, { onClosed: stop }) : undefined;
  const isShared = isatty(STDOUT) && (request.tee || request.events === undefined);
  const screen = isShared ? undefined : createSharedScreen();
  const { shadow, endShadow } = startShadow(request, (fresh) => events?.write(fresh), screen);
  await new Promise<void>((resolve, reject) => {
    process.stdin.on('data', (chunk: Buffer) => {
      through?.write(chunk);
      shadow.push(chunk);
    });
    // A file has an end and is never closed; what is destroyed is closed and has no end.
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdin.once('error', reject);
  });
  const report = await endShadow();
  await Promise.all([through?.end(), events?.end()]);
  return report;
}

/** The tree takes the place of the events where both would go to stderr. */
function openOutput({ events, tee, tree }: StreamRequest, onClosed: () => void) {
  if (events !== undefined) return openEvents(toTarget(events));
  if (!tee) return openEvents(STDOUT, onClosed);
  return tree ? undefined : openEvents(STDERR);
}
