/** @jsxImportSource preact */
// Said here, too: the tests load this file without the settings of the page.

import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  type CodePiece,
  isWebLink,
  MAX_COLOURED,
  type RichElement,
  type RichNode,
} from '../../../../src/core/transcript/index.ts';

/** Markdown as elements of the page: each of the tree's elements has one form here, and no text becomes markup. */
export function renderRich(nodes: readonly RichNode[]): readonly ComponentChild[] {
  return nodes.map((node) => (typeof node === 'string' ? node : renderElement(node)));
}

function renderElement(element: RichElement): ComponentChild {
  const { tag, children, target = '', level = 1, start = 1, language } = element;
  const inner = renderRich(children);
  switch (tag) {
    case 'paragraph':
      return <p>{inner}</p>;
    case 'heading':
      // Not a heading of this page: transcripts hold any order of them.
      return <p class={`read-heading read-heading-${level}`}>{inner}</p>;
    case 'strong':
      return <strong>{inner}</strong>;
    case 'emphasis':
      return <em>{inner}</em>;
    case 'struck':
      return <s>{inner}</s>;
    case 'code':
      return <code>{inner}</code>;
    case 'code-block':
      return <CodeBlock code={children.join('')} language={language} />;
    case 'link':
      return <WebLink target={target}>{inner}</WebLink>;
    case 'reference':
      return <Reference text={plainText(children)} target={target} inner={inner} />;
    case 'picture':
      return (
        <span class="read-picture" title={target}>
          [picture: {children.join('') || target}]
        </span>
      );
    case 'bullets':
      return <ul>{inner}</ul>;
    case 'numbers':
      return <ol start={start}>{inner}</ol>;
    case 'item':
      return <li>{inner}</li>;
    case 'quote':
      return <blockquote>{inner}</blockquote>;
    case 'rule':
      return <hr />;
    case 'break':
      return <br />;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys, too
        // biome-ignore lint/a11y/useSemanticElements: it is no set of fields
        <div class="read-table" tabIndex={0} role="group" aria-label="Table">
          <table>{inner}</table>
        </div>
      );
    case 'head':
      return <thead>{inner}</thead>;
    case 'body':
      return <tbody>{inner}</tbody>;
    case 'row':
      return <tr>{inner}</tr>;
    case 'head-cell':
      return <th scope="col">{inner}</th>;
    case 'cell':
      return <td>{inner}</td>;
  }
}

/** Opens only when somebody clicks it, in a tab of its own that learns nothing of this page. */
export function WebLink({ target, children }: { readonly target: string; readonly children?: ComponentChild }) {
  if (!isWebLink(target)) return <>{children ?? target}</>;
  return (
    <a href={target} title={target} target="_blank" rel="noreferrer noopener">
      {children ?? target}
    </a>
  );
}

function Reference(props: { readonly text: string; readonly target: string; readonly inner: ComponentChild }) {
  const isSaid = props.target === '' || props.text.includes(decoded(props.target));
  return (
    <>
      {props.inner}
      {isSaid ? '' : <span class="read-target"> ({props.target.slice(0, 200)})</span>}
    </>
  );
}

function plainText(nodes: readonly RichNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : plainText(node.children))).join('');
}

function decoded(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
}

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
