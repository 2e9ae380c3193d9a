import { systemClock } from '../base/clock.ts';
import { isDumb } from '../io/screen.ts';
import type { SessionTree } from '../model/tree.ts';
import { createPaint } from '../render/paint.ts';
import { formatTree } from '../render/tree-lines.ts';
import { computeTree } from '../reports/compute-tree.ts';

export interface TreeView {
  show(tree: SessionTree): void;
  /** Draws the last one for good. */
  end(tree: SessionTree | undefined): void;
}

const REDRAW_MS = 100;

/**
 * The tree on stderr: in place where somebody watches, below what was printed before; once, at the end, where nobody does. A
 * program that writes to the same terminal meanwhile pushes it up, and it is drawn anew below.
 */
export function createTreeView(): TreeView {
  const { stderr } = process;
  const isLive = stderr.isTTY === true && !isDumb(process);
  let drawn = 0;
  let latest: SessionTree | undefined;
  let timer: NodeJS.Timeout | undefined;
  const draw = (tree: SessionTree, isLast: boolean): void => {
    const paint = createPaint(isLive && !process.env['NO_COLOR'] ? '16' : 'none');
    const width = isLive ? { width: stderr.columns } : {};
    const report = computeTree({ tree, ignoredFiles: 0 }, { internal: false });
    const all = formatTree(report, { paint, now: systemClock(), ...width });
    // What is higher than the screen cannot be drawn over.
    const lines = isLive && !isLast ? all.slice(0, Math.max(1, stderr.rows - 1)) : all;
    const over = drawn > 0 ? `\u001b[${drawn}A\r\u001b[J` : '';
    stderr.write(`${over}${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  return {
    show(tree) {
      if (!isLive) return;
      latest = tree;
      timer ??= setTimeout(() => {
        timer = undefined;
        if (latest) draw(latest, false);
      }, REDRAW_MS);
      timer.unref();
    },
    end(tree) {
      clearTimeout(timer);
      if (tree) draw(tree, true);
    },
  };
}
