import type { Emitter } from 'highlight.js';

/** Text of one colour. The words are classes of our own: nothing that a grammar says reaches the page. */
export interface CodePiece {
  readonly text: string;
  readonly tone: Tone | undefined;
}

export type Tone = (typeof TONES)[number];

export const TONES = ['word', 'name', 'text', 'value', 'note', 'mark', 'added', 'removed'] as const;

/** What the grammars call things, and the colour it gets here. */
const TONE_OF: ReadonlyMap<string, Tone> = new Map([
  ...pairs('word', ['keyword', 'literal', 'built_in', 'type', 'selector-tag', 'tag']),
  ...pairs('name', ['title', 'name', 'section', 'function', 'class', 'selector-class', 'selector-id']),
  ...pairs('text', ['string', 'regexp', 'link', 'quote', 'symbol', 'bullet', 'code']),
  ...pairs('value', ['number', 'attr', 'attribute', 'property', 'variable', 'template-variable', 'params']),
  ...pairs('note', ['comment', 'doctag']),
  ...pairs('mark', ['meta', 'operator', 'punctuation', 'subst', 'char']),
  ...pairs('added', ['addition']),
  ...pairs('removed', ['deletion']),
]);

function pairs(tone: Tone, scopes: readonly string[]): readonly (readonly [string, Tone])[] {
  return scopes.map((scope) => [scope, tone]);
}

/** What highlight.js tells while it reads: kept as pieces, so that no HTML is ever made. */
export class PieceEmitter implements Emitter {
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
