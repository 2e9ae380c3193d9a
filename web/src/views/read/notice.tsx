import type { NoticeBlock } from '../../../../src/core/index.ts';
import { isProse, titleOf } from '../../../../src/core/transcript/index.ts';
import { FoldedText } from './folded-text.tsx';
import { type PartPlace, slotName } from './part-place.ts';
import { Prose } from './prose.tsx';

/** The program speaks: in a line what it is, and what it hands over. */
export function Notice({ notice, place }: { readonly notice: NoticeBlock; readonly place: PartPlace }) {
  const title = titleOf(notice);
  return (
    <>
      <p class="read-notice" data-slot={slotName(place, 'title')} data-from={0}>
        {title}
      </p>
      {notice.text !== '' &&
        (isProse(notice) ? (
          <Prose text={notice.text} place={place} slot="text" limits={{ head: 30, tail: 0 }} />
        ) : (
          <FoldedText text={notice.text} place={place} slot="text" limits={{ head: 3, tail: 0 }} class="read-aside" />
        ))}
    </>
  );
}

/** All that was said before, in the host's words: there for those who ask. */
export function Summary({ text, place }: { readonly text: string; readonly place: PartPlace }) {
  return (
    <>
      <p class="read-notice">Continued after compaction</p>
      <FoldedText text={text} place={place} slot="text" limits={{ head: 0, tail: 0 }} class="read-aside" />
    </>
  );
}
