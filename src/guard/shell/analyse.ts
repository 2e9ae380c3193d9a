// A command line → every simple command in it, the files and hosts it uses, and whether all of that could be known.

import { parse } from 'unbash';
import { whyNotPlain } from './plain.ts';
import { runWords } from './run-words.ts';
import { type CallUses, Gathering, type Runner, type Scene, type ShellContext } from './scene.ts';
import { walkScript } from './walk.ts';
import { holdsMark } from './words.ts';

/** Longer ones are not looked through: what no person would read is not judged by patterns. */
const MAX_LENGTH = 100_000;
/** Code in code in code. */
const MAX_DEPTH = 12;

const runner: Runner = { runWords, runCode };

/** Never throws. */
export function analyse(command: string, context: ShellContext): CallUses {
  const gathering = new Gathering();
  const scene: Scene = {
    gathering,
    context,
    runner,
    source: command,
    code: command,
    variables: new Map(),
    cwds: context.cwd === null ? null : [context.cwd],
    functions: new Set(),
    wrappers: [],
    self: null,
    within: null,
    stdin: { kind: 'none' },
    isElsewhere: false,
    // Whoever sets HOME moves ~ away.
    home: /\bHOME\b\+?=/.test(command) ? null : context.home,
    isPosix: false,
    depth: 0,
  };
  try {
    runCode(command, scene);
  } catch (error) {
    gathering.lose(`it could not be looked through (${error instanceof Error ? error.message : 'failed'})`);
  }
  return gathering.uses();
}

function runCode(code: string, scene: Scene): void {
  const { gathering } = scene;
  const refusal = whyRefused(code, scene.depth);
  if (refusal !== null) gathering.lose(refusal);
  if (refusal !== null || gathering.isFull()) return;
  const script = parse(code);
  const why = whyNotPlain(script);
  if (why !== null) gathering.markUnproven(why);
  walkScript(script, { ...scene, source: code, code, variables: new Map() });
}

function whyRefused(code: string, depth: number): string | null {
  if (code.length > MAX_LENGTH) return 'it is too long to be looked through';
  if (depth > MAX_DEPTH) return 'it is too deep in itself to be looked through';
  // Shells disagree on these: one stops at NUL, one keeps CR, and the marks are ours.
  return /[\0\r]/.test(code) || holdsMark(code) ? 'it holds control characters' : null;
}
