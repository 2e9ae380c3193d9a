// One simple command: assignments before it, redirections, and its words.
import type { Assignment, Command, SyntaxNode } from 'unbash';
import { isUnsure } from './marks.ts';
import { readRedirects } from './redirects.ts';
import { placesOf, type Scene } from './scene.ts';
import { checkVariable, rememberVariable } from './variables.ts';
import { expandToOne, expandWord, type ShellWord } from './words.ts';

export function walkCommand(node: Command, scene: Scene, walkInner: (node: SyntaxNode, scene: Scene) => void): void {
  const sets: string[] = [];
  const lasts = node.name === undefined;
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue;
    walkInner(part, scene);
    checkVariable(part.name, valueForm(part, scene), scene);
    if (!lasts) sets.push(part.name);
    else if (part.value.type === 'Word' && part.index === undefined && !part.append) {
      const value = valueForm(part, scene);
      // Of a glob all names would come at once.
      if (!isUnsure(value)) rememberVariable(part.name, [value], scene);
    }
  }
  const stdin = readRedirects(node.redirects, scene, walkInner);
  if (node.name === undefined) return;

  walkInner(node.name, scene);
  const words = expandWord(node.name, placesOf(scene));
  if (/^=[^=]/.test(node.name.text)) scene.gathering.lose('zsh looks up such a command word');
  for (const argument of node.args) {
    walkInner(argument, scene);
    if (argument.type === 'Word') words.push(...expandWord(argument, placesOf(scene)));
    else words.push(asWord(argument, scene));
  }
  if (stdin === null) {
    scene.runner.runWords(words, scene, sets);
    return;
  }
  // `exec <<< code`: it comes in to all that follows.
  if (words.at(-1)?.form === 'exec' && (stdin.kind === 'text' || stdin.kind === 'unknown'))
    scene.gathering.lose('what comes in to later commands is not followed');
  else if (words.at(-1)?.form === 'exec' && stdin.kind === 'file')
    scene.gathering.markUnproven('a shell that reads its commands from stdin would run this file');
  const copy = { ...scene, stdin };
  scene.runner.runWords(words, copy, sets);
  scene.cwds = copy.cwds;
}

function valueForm(assignment: Assignment, scene: Scene): string {
  if (assignment.value.type === 'Word') return expandToOne(assignment.value, placesOf(scene)).form;
  return assignment.value.elements.map((word) => expandToOne(word, placesOf(scene)).form).join(' ');
}

/** `export A=1`: an argument all the same. */
function asWord(assignment: Assignment, scene: Scene): ShellWord {
  const form = `${assignment.name}${assignment.append ? '+' : ''}=${valueForm(assignment, scene)}`;
  return { form, text: isUnsure(form) ? assignment.text : form };
}
