import { useMemo } from 'preact/hooks';
import {
  cutText,
  type FoldLimits,
  foldUnits,
  MAX_MARKDOWN,
  parseMarkdown,
  type RichNode,
  sizeText,
} from '../../../../src/core/transcript/index.ts';
import { FoldedText } from './folded-text.tsx';
import { choose, openness, type PartPlace, slotName, useHitIn, useStaying } from './part-place.ts';
import { renderRich } from './rich-text.tsx';

interface ProseProps {
  readonly text: string;
  readonly place: PartPlace;
  readonly slot: string;
  readonly limits: FoldLimits;
}

/** What somebody said, as Markdown. The end of a long text is folded away. */
export function Prose(props: ProseProps) {
  return props.text.length > MAX_MARKDOWN ? <FoldedText {...props} class="read-plain" /> : <Marked {...props} />;
}

function Marked({ text, place, slot, limits }: ProseProps) {
  const key = `${place.key}/${slot}`;
  const { all, choices } = openness.value;
  const hit = useHitIn(place, slot);
  const isOpen = hit !== undefined || (choices.get(key) ?? all ?? false);
  const end = useMemo(() => {
    const units = cutText(text);
    return units.start(foldUnits(units, { head: limits.head, tail: 0 })[0]?.[1] ?? 0);
  }, [text, limits.head]);
  const isFolded = end < text.length;
  useStaying(isFolded && hit !== undefined ? key : undefined, () => choose(key, true));
  const shown = isOpen || !isFolded ? text : text.slice(0, end);
  const tree = useMemo(() => renderRich(readMarkdown(shown)), [shown]);
  return (
    <>
      <div class="read-prose" data-slot={slotName(place, slot)} dir="auto">
        {tree}
      </div>
      {isFolded && (
        <button type="button" class="read-gap" aria-expanded={isOpen} onClick={() => choose(key, !isOpen)}>
          {isOpen ? 'Show less' : `Show all ${sizeText(text)}`}
        </button>
      )}
    </>
  );
}

const KEPT = 300;
const parsed = new Map<string, readonly RichNode[]>();

/** Rows come and go while one scrolls: the last few hundred texts are not read again. */
function readMarkdown(text: string): readonly RichNode[] {
  const before = parsed.get(text);
  if (before) return before;
  const tree = parseMarkdown(text);
  parsed.set(text, tree);
  for (const oldest of parsed.keys()) {
    if (parsed.size <= KEPT) break;
    parsed.delete(oldest);
  }
  return tree;
}
