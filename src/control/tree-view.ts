import { formatTree } from '../cli/format/index.ts';
import { computeTree, createPaint, type SessionTree } from '../core/index.ts';
import { systemClock } from '../lib/clock.ts';
import { isDumb, type SharedScreen } from '../lib/screen.ts';

export interface TreeView {
  show(tree: SessionTree): void;
  /** Draws the last one for good. */
  end(tree: SessionTree | undefined): void;
}

const REDRAW_MS = 100;

/**
 * The tree on stderr: in place where somebody watches, below what was printed before; once, at the end, where nobody does, or
 * where the screen is not ours: what another program prints there, we do not see, and would draw over it.
 */
export function createTreeView(screen: SharedScreen | undefined): TreeView {
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
    show(tree) {
      if (!isTerminal || !screen) return;
      latest = tree;
      drawSoon();
    },
    end(tree) {
      clearTimeout(timer);
      if (tree) draw(tree, true);
    },
  };
}
