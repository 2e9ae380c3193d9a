import { describeNotice } from '../../../../src/render/transcript/notices.ts';
import { FoldedText } from './folded-text.tsx';
import { parseMarkdown } from './markdown.ts';
import type { PartPlace } from './part-place.ts';
import { renderRich } from './rich-text.tsx';

/** Longer ones are read where they were written: in the transcript of the one who answered. */
const MAX_BODY = 2000;

/** The program speaks: what it says in a line, what it hands over, and all of it for those who ask. */
export function Notice({ text, place }: { readonly text: string; readonly place: PartPlace }) {
  const { title, body } = describeNotice(text);
  return (
    <>
      {title !== undefined && <p class="read-notice">{title}</p>}
      {body !== undefined && <div class="read-prose">{renderRich(parseMarkdown(body.slice(0, MAX_BODY)))}</div>}
      <FoldedText
        text={text}
        place={place}
        slot="text"
        limits={{ head: title === undefined ? 3 : 0, tail: 0 }}
        class="read-aside"
      />
    </>
  );
}
