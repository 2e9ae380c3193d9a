/** @jsxImportSource preact */
// Said here, too: the tests load this file without the settings of the page.

import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type CodePiece, MAX_COLOURED } from '../../../../src/core/transcript/index.ts';

type Highlight = (code: string, language: string) => readonly CodePiece[] | undefined;

const highlight = signal<Highlight | undefined>(undefined);
let isAskedFor = false;

/** Colours come when they are there: they change no line of the text. */
function askForColours(): void {
  if (isAskedFor) return;
  isAskedFor = true;
  import('../../../../src/core/transcript/highlight-code.ts').then(
    ({ highlightCode }) => {
      highlight.value = highlightCode;
    },
    () => {
      isAskedFor = false;
    },
  );
}

export function CodeBlock({ code, language }: { readonly code: string; readonly language: string | undefined }) {
  const canColour = language !== undefined && code.length <= MAX_COLOURED;
  if (canColour) askForColours();
  const colour = canColour ? highlight.value : undefined;
  const pieces = useMemo(
    () => (colour && language !== undefined ? colour(code, language) : undefined),
    [code, language, colour],
  );
  return (
    <pre class="read-code">
      <code>{pieces ? pieces.map(toSpan) : code}</code>
    </pre>
  );
}

function toSpan({ text, tone }: CodePiece) {
  return tone === undefined ? text : <span class={`read-tone-${tone}`}>{text}</span>;
}
