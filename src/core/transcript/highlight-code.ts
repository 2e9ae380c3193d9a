// Colours for code. Loaded when the first code in a known language is shown.

import type { Emitter } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { sameFor } from '../../lib/group.ts';

/** Text of one colour. The words are classes of our own: nothing that a grammar says reaches the page. */
export interface CodePiece {
  readonly text: string;
  readonly tone: Tone | undefined;
}

type Tone = (typeof TONES)[number];

export const TONES = ['word', 'name', 'text', 'value', 'note', 'mark', 'added', 'removed'] as const;

/** What the grammars call things, and the colour it gets here. */
const TONE_OF: ReadonlyMap<string, Tone> = new Map<string, Tone>(
  Object.entries({
    ...sameFor('keyword literal built_in type selector-tag tag', 'word' as const),
    ...sameFor('title name section function class selector-class selector-id', 'name' as const),
    ...sameFor('string regexp link quote symbol bullet code', 'text' as const),
    ...sameFor('number attr attribute property variable template-variable params', 'value' as const),
    ...sameFor('comment doctag', 'note' as const),
    ...sameFor('meta operator punctuation subst char', 'mark' as const),
    ...sameFor('addition', 'added' as const),
    ...sameFor('deletion', 'removed' as const),
  }),
);

/** What highlight.js tells while it reads: kept as pieces, so that no HTML is ever made. */
class PieceEmitter implements Emitter {
  readonly pieces: CodePiece[] = [];
  readonly #open: (Tone | undefined)[] = [];

  startScope(name: string): void {
    this.#open.push(TONE_OF.get(name.split('.')[0] ?? '') ?? this.#open.at(-1));
  }

  endScope(): void {
    this.#open.pop();
  }

  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    this.#add({ text, tone: this.#open.at(-1) });
  }

  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof PieceEmitter) for (const piece of emitter.pieces) this.#add(piece);
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }

  #add(piece: CodePiece): void {
    if (piece.text === '') return;
    const last = this.pieces.at(-1);
    if (last && last.tone === piece.tone)
      this.pieces[this.pieces.length - 1] = { ...last, text: last.text + piece.text };
    else this.pieces.push(piece);
  }
}

const LANGUAGES = {
  bash,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  json,
  kotlin,
  markdown,
  python,
  ruby,
  rust,
  shell,
  sql,
  typescript,
  xml,
  yaml,
};

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
// Grammars that contain the smaller language.
hljs.registerAliases(['c', 'h'], { languageName: 'cpp' });
hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });
hljs.configure({ __emitter: PieceEmitter });

/** Undefined where the language is not known; so is code that a grammar could not read to its end. */
export function highlightCode(code: string, language: string): readonly CodePiece[] | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  if (!(emitter instanceof PieceEmitter)) return undefined;
  return emitter.pieces.map(({ text }) => text).join('') === code ? emitter.pieces : undefined;
}
