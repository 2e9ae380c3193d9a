import { decodeOnce, decodeRuns } from './disguises.ts';
import { plainView, type View } from './view.ts';
import { type JoinedView, joinWrapped, stripMargin } from './wrapped-lines.ts';

/** Escapes within escapes within escapes; nobody needs more. */
const MAX_LEVELS = 4;

export type ViewVisitor = (view: View | JoinedView) => void;

/** The text as it is, with its escapes decoded level by level, with cut words joined; and what its coded runs say. */
export function visitViews(text: string, visit: ViewVisitor): void {
  visitDecoded(plainView(text), visit, 0);
}

function visitDecoded(view: View, visit: ViewVisitor, level: number): void {
  let current: View | undefined = view;
  for (let depth = level; current && depth < MAX_LEVELS; depth++) {
    visit(current);
    visitRuns(current, () => true, visit, depth);
    visitJoined(current, visit, depth);
    const stripped = stripMargin(current);
    if (stripped) {
      visit(stripped);
      visitJoined(stripped, visit, depth);
    }
    current = decodeOnce(current);
  }
}

function visitJoined(view: View, visit: ViewVisitor, depth: number): void {
  for (const joined of joinWrapped(view)) {
    visit(joined);
    visitRuns(joined, (start, end) => joined.joinWithin(start, end) >= 0, visit, depth);
  }
}

function visitRuns(
  view: View,
  isWanted: (start: number, end: number) => boolean,
  visit: ViewVisitor,
  depth: number,
): void {
  if (depth + 1 >= MAX_LEVELS) return;
  for (const decoded of decodeRuns(view, isWanted)) visitDecoded(decoded, visit, depth + 1);
}
