// `> file`, `< file`, here-documents and here-strings: files that are used, and what comes in.
import type { Redirection, SyntaxNode } from 'unbash';
import { isUnsure } from './marks.ts';
import { hostOfDevice } from './network.ts';
import { usePath } from './paths.ts';
import { placesOf, type Scene, type Stdin } from './scene.ts';
import { expandToOne } from './words.ts';

/** Not files that anybody keeps. */
const NO_FILE = /^\/dev\/(?:null|zero|u?random|tty|full|std(?:in|out|err)|fd\/\d+|pts\/\d+)$/;

/** What comes in by them; null: they do not say. */
export function readRedirects(
  redirects: readonly Redirection[],
  scene: Scene,
  walkInner: (node: SyntaxNode, scene: Scene) => void,
): Stdin | null {
  let stdin: Stdin | null = null;
  for (const redirect of redirects) {
    walkInner(redirect, scene);
    stdin = readRedirect(redirect, scene) ?? stdin;
  }
  return stdin;
}

function readRedirect(redirect: Redirection, scene: Scene): Stdin | null {
  if (redirect.type === 'HereDoc') {
    const { body, delimiter } = redirect;
    if (delimiter?.quoted) return { kind: 'text', text: body.text };
    const isPlain = (body.parts ?? []).every((part) => part.type === 'Literal') && !body.text.includes('\\');
    return isPlain ? { kind: 'text', text: body.text } : { kind: 'unknown' };
  }
  if (redirect.target === undefined) return null;
  const { form, text } = expandToOne(redirect.target, placesOf(scene));
  if (redirect.type === 'HereString') return isUnsure(form) ? { kind: 'unknown' } : { kind: 'text', text: form };

  const { operator } = redirect;
  // The plain shell runs what is before `&>` in the background, and what is behind it by itself.
  if (scene.isPosix && operator.startsWith('&>')) scene.gathering.lose('a plain shell reads this in another way');
  // zsh: `>! file` writes to the file, bash to one named `!`.
  if (redirect.target.text.startsWith('!')) scene.gathering.lose('shells disagree on where this is written to');
  const isProcess = redirect.target.parts?.[0]?.type === 'ProcessSubstitution';
  const isDescriptor = (operator === '<&' || operator === '>&') && /^(?:\d+-?|-)$/.test(form);
  const host = hostOfDevice(form);
  if (host !== null) {
    scene.gathering.addHost(host);
    scene.gathering.miss(`${operator} ${text} opens a connection`);
  }
  if (!isProcess && !isDescriptor && host === null && !NO_FILE.test(form)) {
    if (operator !== '<' && operator !== '<&') usePath('write', form, `${operator} ${text}`, scene);
    if (operator === '<' || operator === '<>' || operator === '<&') usePath('read', form, `${operator} ${text}`, scene);
  }
  const comesIn = operator === '<' || operator === '<>' || operator === '<&';
  const isOther = redirect.descriptor !== undefined && !isStdin(redirect.descriptor);
  if (!comesIn || isOther) return null;
  if (form === '/dev/null') return { kind: 'none' };
  return isProcess || isDescriptor || isUnsure(form) || host !== null ? { kind: 'unknown' } : { kind: 'file' };
}

function isStdin(descriptor: { readonly type: string; readonly value?: number }): boolean {
  return descriptor.type === 'FileDescriptor' && descriptor.value === 0;
}
