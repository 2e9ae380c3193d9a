// A command line → every simple command in it, the files and hosts it uses, and whether all of that could be known.

import {
  type AndOr,
  type Assignment,
  type Command,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { wordSet } from '../../lib/group.ts';
import { hostOfDevice } from './network.ts';
import { eachChoice, isNoFile, usePath, writtenText } from './paths.ts';
import { whyNotPlain } from './plain.ts';
import { namesPrinted } from './project-code.ts';
import { runWords } from './run-words.ts';
import {
  apart,
  type CallUses,
  eitherFolder,
  Gathering,
  IN_BARE_REPOSITORY,
  inside,
  PUSH,
  placesOf,
  type Runner,
  type Scene,
  type ShellContext,
  SOME_HOST,
  type Stdin,
} from './scene.ts';
import { alsoExports, checkUnseen, checkVariable, rememberListed, rememberVariable } from './variables.ts';
import { expandToOne, expandWord, holdsMark, isUnsure, printedText, type ShellWord } from './words.ts';
import { rememberWritten } from './written-files.ts';

/** Longer ones are not looked through: what no person would read is not judged by patterns. */
const MAX_LENGTH = 100_000;
/** Code in code in code. */
const MAX_DEPTH = 12;

const runner: Runner = { runWords, runCode, analyse, foundBy: foundByScript };

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

// Through the syntax tree: every command of every list, branch, loop, function and substitution.

const MOVES = /\b(?:cd|chdir|pushd|popd)\b/;

function walkScript(script: ParsedScript, scene: Scene): void {
  const first = script.errors?.[0];
  if (first !== undefined) scene.gathering.lose(`the shell grammar does not know it (${first.message})`);
  walkStatements(script.commands, script.source === undefined ? scene : { ...scene, source: script.source });
}

/** Whatever substitutions are inside a word, an assignment, an expression. */
function walkInner(node: SyntaxNode, scene: Scene): void {
  checkPart(node, scene);
  forEachChild(node, (child) => {
    // What is written into `>(sh)` is run by it.
    const isFed = node.type === 'ProcessSubstitution' && node.operator === '>';
    if (child.type === 'Script')
      apart(scene, (copy) => walkScript(child, copy), isFed ? { stdin: { kind: 'unknown' } } : {});
    else walkInner(child, scene);
  });
}

/** Only bash and zsh know these. */
const BASHISM = wordSet(
  'TestCommand ArithmeticCommand ArithmeticFor Select Coproc AnsiCQuoted LocaleString ProcessSubstitution HereString ArrayValue BraceExpansion',
);

function checkPart(node: SyntaxNode, scene: Scene): void {
  const { gathering } = scene;
  const isBashism =
    BASHISM.has(node.type) ||
    (node.type === 'Pipeline' && node.operators.includes('|&')) ||
    (node.type === 'Assignment' && (node.index !== undefined || node.append));
  if (scene.isPosix && isBashism) gathering.lose('a plain shell reads this in another way');
  if (node.type === 'ExtendedGlob') gathering.lose('zsh runs code in such a glob');
  // There `time` is a program, with options of its own.
  if (scene.isPosix && node.type === 'Pipeline' && node.prefixes?.some(({ type }) => type === 'Time')) {
    const [first] = node.commands;
    if (first?.type === 'Command' && first.name?.text.startsWith('-'))
      gathering.lose('a plain shell reads this in another way');
  }
  checkArithmetic(node, scene);
  if ((node.type === 'SingleQuoted' || node.type === 'AnsiCQuoted') && hasCodeInSubscript(node.value))
    gathering.lose('a text holds code that arithmetic would run');
  if (node.type !== 'ParameterExpansion') return;
  if (mayRunQuoted(node.text)) gathering.lose('shells disagree on what is quoted in it');
  if (node.operation?.type === 'Default' && node.operation.operator.endsWith('=')) checkUnseen(node.parameter, scene);
  if (node.operation?.type === 'Unknown') gathering.lose('the shell grammar does not know an expansion in it');
  // ${x@P} runs the substitutions in the value of x.
  if (node.operation?.type === 'Transform' && node.operation.operand.value === 'P')
    gathering.lose('it runs code out of a variable');
}

function checkArithmetic(node: SyntaxNode, scene: Scene): void {
  const end = node.type === 'ArithmeticFor' ? node.body.pos : node.type.startsWith('Arithmetic') ? node.end : null;
  if (end === null) return;
  const text = 'text' in node ? String(node.text) : scene.source.slice(node.pos, end);
  if (mayRunQuoted(text)) scene.gathering.lose('shells disagree on what is quoted in it');
  for (const [, name = ''] of text.matchAll(/([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g)) checkUnseen(name, scene);
}

/**
 * Arithmetic, here-documents and "${a:-…}" are read as if in double quotes: single ones in there keep nothing from being run
 * (`$(( '$(rm x)' ))`), and where the expansion ends, dash and bash see otherwise.
 */
function mayRunQuoted(text: string): boolean {
  const quoted = text
    .slice(0, -1)
    .split("'")
    .filter((_, index) => index % 2 === 1);
  return quoted.some((piece) => /\$\(|[`}"]/.test(piece));
}

/** Code inside a text that arithmetic would run: `x='a[$(rm y)]'; echo $((x))`. */
function hasCodeInSubscript(text: string): boolean {
  return text.split(']').some((piece) => {
    const open = piece.indexOf('[');
    return open >= 0 && (piece.includes('$(', open) || piece.includes('`', open));
  });
}

function walkStatements(statements: readonly Statement[], scene: Scene): void {
  for (const statement of statements) {
    const before = scene.cwds;
    if (statement.background) apart(scene, (copy) => walkNode(statement.command, copy));
    else walkNode(statement.command, scene);
    // A `cd` may fail, and the next line runs all the same.
    if (scene.cwds !== before) scene.cwds = eitherFolder(before, scene.cwds);
  }
}

function walkNode(node: PipelineNode | AndOr | CompoundList, scene: Scene): void {
  checkPart(node, scene);
  switch (node.type) {
    case 'AndOr':
      walkAndOr(node, scene);
      return;
    case 'Pipeline':
      walkPipeline(node, scene);
      return;
    case 'Command':
      walkCommand(node, scene);
      return;
    case 'CompoundList':
      walkStatements(node.commands, scene);
      return;
    case 'BraceGroup':
      walkStatements(node.body.commands, scene);
      return;
    case 'Subshell':
      apart(scene, (copy) => walkStatements(node.body.commands, copy));
      return;
    case 'Redirected': {
      const stdin = readRedirects(node.redirects, scene) ?? scene.stdin;
      scene.cwds = apart(scene, (copy) => walkNode(node.command, copy), { stdin });
      // What a group prints is not followed.
      rememberWritten(writtenBy(node, scene), [], scene);
      return;
    }
    case 'If': {
      walkStatements(node.clause.commands, scene);
      const branches = [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then])];
      if (node.else !== undefined) branches.push(node.else);
      walkBranches(branches, scene);
      return;
    }
    case 'Case':
      walkInner(node.word, scene);
      for (const item of node.items) for (const pattern of item.pattern) walkInner(pattern, scene);
      walkBranches(
        node.items.map(({ body }) => body),
        scene,
      );
      return;
    case 'For':
    case 'Select':
      for (const word of node.wordlist ?? []) walkInner(word, scene);
      walkRepeated([node.body], node, scene, (copy) => {
        const words = (node.wordlist ?? []).flatMap((word) => expandWord(word, placesOf(scene)));
        const forms = words.map(({ form }) => form);
        for (const form of forms) checkVariable(node.name.value, form, copy);
        alsoExports(node.name.value, forms[0] ?? '', copy);
        const [listed] = forms;
        if (listed !== undefined && forms.length === 1 && copy.gathering.listingOf(listed) !== null)
          rememberListed(node.name.value, listed, copy);
        else rememberVariable(node.name.value, forms, copy);
      });
      return;
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) walkInner(part, scene);
      walkRepeated([node.body], node, scene);
      return;
    case 'While':
      walkRepeated([node.clause, node.body], node, scene, (copy) => rememberRead(node.clause, copy));
      return;
    case 'Function':
      // Its body is judged where it is written; where it is called from, and with what coming in, is not looked for.
      apart(scene, (copy) => walkNode(node.body, copy), {
        stdin: { kind: 'unknown' },
        ...(MOVES.test(scene.source) && { cwds: null }),
      });
      scene.functions = new Set([...scene.functions, node.name.value]);
      return;
    case 'Coproc':
      apart(scene, (copy) => walkNode(node.body, copy), { stdin: { kind: 'unknown' } });
      return;
    case 'TestCommand':
    case 'ArithmeticCommand':
      walkInner(node, scene);
      return;
  }
}

function walkAndOr(node: AndOr, scene: Scene): void {
  const { cwds: before } = scene;
  // What the first one makes is there afterwards; of the others nobody knows whether they ran.
  let { functions, variables } = scene;
  let mayHaveSkipped = false;
  for (const [index, command] of node.commands.entries()) {
    if (node.operators[index - 1] === '||') {
      scene.cwds = eitherFolder(before, scene.cwds);
      mayHaveSkipped = true;
    }
    // `true || f() { ls; } && f`
    if (mayHaveSkipped) {
      scene.functions = functions;
      scene.variables = variables;
    }
    walkNode(command, scene);
    if (index === 0) ({ functions, variables } = scene);
  }
  scene.functions = functions;
  scene.variables = variables;
}

function walkPipeline(node: Pipeline, scene: Scene): void {
  const [only, second] = node.commands;
  if (only !== undefined && second === undefined) {
    walkNode(only, scene);
    return;
  }
  let { cwds } = scene;
  for (const [index, command] of node.commands.entries()) {
    const before = node.commands.slice(0, index);
    const found = index === 0 ? null : foundByNodes(before, scene);
    const changes: Partial<Scene> =
      index === 0
        ? {}
        : { stdin: { kind: 'unknown', hint: hintOf(before.at(-1), scene), ...(found !== null && { found }) } };
    // In zsh the last one runs in the shell itself.
    cwds = apart(scene, (copy) => walkNode(command, copy), changes);
  }
  if (cwds !== scene.cwds) scene.cwds = eitherFolder(scene.cwds, cwds);
}

/** `find src -name '*.ts' | head | xargs`: the names that come in; null: they may be any. */
function foundByNodes(nodes: readonly PipelineNode[], scene: Scene): string | null {
  const words = nodes.map((node) =>
    node.type === 'Command' && node.prefix.length === 0 && node.redirects.every(isQuietRedirect)
      ? [node.name?.text ?? '', ...node.args.map((word) => ('value' in word ? String(word.value) : ''))]
      : [''],
  );
  return namesPrinted(words, scene);
}

function isQuietRedirect(one: Redirection): boolean {
  return one.type === 'Redirect' && one.operator.startsWith('>');
}

/** `$(git ls-files '*.ts' | head -1)` */
function foundByScript(script: unknown, scene: Scene): string | null {
  const [only, second] = (script as ParsedScript).commands ?? [];
  const node = only?.command;
  if (node === undefined || second !== undefined || only?.background) return null;
  return foundByNodes(node.type === 'Pipeline' ? node.commands : node.type === 'Command' ? [node] : [], scene);
}

/** `… | while read -r f`: each name that comes in. */
function rememberRead({ commands }: CompoundList, scene: Scene): void {
  const [only, second] = commands;
  const found = scene.stdin.kind === 'unknown' ? scene.stdin.found : undefined;
  const node = only?.command;
  if (found === undefined || second !== undefined || node?.type !== 'Command' || node.name?.text !== 'read') return;
  const names = node.args
    .flatMap((word) => ('value' in word ? String(word.value) : ''))
    .filter((one) => !/^-|^$/.test(one));
  const [name, other] = names;
  if (name !== undefined && other === undefined) rememberListed(name, found, scene);
}

/** What `echo` and `printf` write, and here-documents for `cat`. */
function hintOf(node: PipelineNode | undefined, scene: Scene): string {
  if (node?.type !== 'Command' || node.name === undefined) return '';
  if (node.name.text === 'cat')
    return node.redirects.map((one) => (one.type === 'HereDoc' ? one.body.text : '')).join(' ');
  if (!/^(?:echo|printf)$/.test(node.name.text)) return '';
  const words = [node.name, ...node.args].flatMap((word) =>
    word.type === 'Word' ? expandWord(word, placesOf(scene)) : [asWord(word, scene)],
  );
  return printedText(words) ?? '';
}

function walkBranches(branches: readonly CompoundList[], scene: Scene): void {
  let { cwds } = scene;
  for (const branch of branches) {
    const after = apart(scene, (copy) => walkStatements(branch.commands, copy));
    if (after !== scene.cwds) cwds = eitherFolder(cwds, after);
  }
  scene.cwds = cwds;
}

/** The second time round it may be in another folder. */
function walkRepeated(
  lists: readonly CompoundList[],
  node: { pos: number; end: number },
  scene: Scene,
  prepare: (copy: Scene) => void = () => {},
): void {
  if (MOVES.test(scene.source.slice(node.pos, node.end))) scene.cwds = null;
  for (const list of lists)
    apart(scene, (copy) => {
      prepare(copy);
      walkStatements(list.commands, copy);
    });
}

function walkCommand(node: Command, scene: Scene): void {
  scene.gathering.within(scene.source.slice(node.pos, node.end), () => walkParts(node, scene));
}

function walkParts(node: Command, scene: Scene): void {
  const sets: string[] = [];
  const lasts = node.name === undefined;
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue;
    walkInner(part, scene);
    checkVariable(part.name, valueForm(part, scene), scene, !lasts);
    if (lasts) alsoExports(part.name, valueForm(part, scene), scene);
    if (hasCodeInSubscript(valueForm(part, scene))) scene.gathering.lose('a text holds code that arithmetic would run');
    if (!lasts) sets.push(part.name);
    else if (part.value.type === 'Word' && part.index === undefined && !part.append) {
      const value = valueForm(part, scene);
      // Of a glob all names would come at once.
      if (!isUnsure(value)) rememberVariable(part.name, [value], scene);
      else if (part.value.parts?.every(isSubstitution)) rememberListed(part.name, value, scene);
    }
  }
  const stdin = readRedirects(node.redirects, scene);
  if (node.name === undefined) return;

  walkInner(node.name, scene);
  const words = expandWord(node.name, placesOf(scene));
  if (/^=[^=]/.test(node.name.text)) scene.gathering.lose('zsh looks up such a command word');
  let end = -1;
  for (const argument of node.args) {
    walkInner(argument, scene);
    const last = words.at(-1);
    // The parser splits `--file=<(x)` in two.
    if (argument.type === 'Word' && argument.pos === end && last !== undefined) {
      const { form, text } = expandToOne(argument, placesOf(scene));
      words[words.length - 1] = { form: last.form + form, text: last.text + text };
    } else if (argument.type === 'Word') words.push(...expandWord(argument, placesOf(scene)));
    else words.push(asWord(argument, scene));
    end = argument.end;
  }
  if (words.some(({ form }) => hasCodeInSubscript(form)))
    scene.gathering.lose('a text holds code that arithmetic would run');
  // `exec <<< code`: it comes in to all that follows.
  const isExec = words.at(-1)?.form === 'exec';
  if (isExec && (stdin?.kind === 'text' || stdin?.kind === 'unknown'))
    scene.gathering.lose('what comes in to later commands is not followed');
  else if (isExec && stdin?.kind === 'file') {
    scene.gathering.markUnproven('a shell that reads its commands from stdin would run this file');
    scene.stdin = stdin;
  }
  const copy = { ...scene, stdin: stdin ?? scene.stdin };
  scene.runner.runWords(words, copy, sets);
  rememberWritten(writtenBy(node, scene), words, copy);
  scene.cwds = copy.cwds;
}

/** `f=$(ls *.js)`, and the same in double quotes. */
function isSubstitution(part: SyntaxNode): boolean {
  return part.type === 'CommandExpansion' || (part.type === 'DoubleQuoted' && part.parts.every(isSubstitution));
}

function writtenBy({ redirects }: { readonly redirects: readonly Redirection[] }, scene: Scene): readonly string[] {
  return redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && /^(?:>|>>|>\||&>|>&|<>)$/.test(redirect.operator) && redirect.target !== undefined
      ? [expandToOne(redirect.target, placesOf(scene)).form]
      : [],
  );
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

/** What comes in by them; null: they do not say. */
function readRedirects(redirects: readonly Redirection[], scene: Scene): Stdin | null {
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
  const host = connectedHost(form, scene);
  if (host !== null) {
    scene.gathering.addHost(host);
    scene.gathering.miss(`${operator} ${text} opens a connection`);
  }
  const comesIn = operator === '<' || operator === '<>' || operator === '<&';
  if (!isProcess && !isDescriptor && host === null && !isNoFile(form)) {
    if (operator !== '<' && operator !== '<&' && IN_BARE_REPOSITORY.test(form))
      scene.gathering.alsoKnownAs(() => scene.runner.runWords(PUSH, inside(scene, operator, -1)));
    if (operator !== '<' && operator !== '<&') usePath('write', form, `${operator} ${text}`, scene);
    if (comesIn) usePath('read', form, `${operator} ${text}`, scene);
  }
  const { descriptor } = redirect;
  const isOther = descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value === 0);
  if (!comesIn || isOther) return null;
  if (form === '/dev/null') return { kind: 'none' };
  if (isProcess || isDescriptor || isUnsure(form) || host !== null) return { kind: 'unknown' };
  const written = writtenText(form, scene);
  if (written === undefined) return { kind: 'file', form };
  return written === null ? { kind: 'unknown' } : { kind: 'text', text: written };
}

/** `d=tcp; cat < /dev/$d/localhost/1`: whatever the variables come to, as far as that is known. */
function connectedHost(form: string, scene: Scene): string | null {
  const [host] = eachChoice(form, scene).flatMap((chosen) => hostOfDevice(chosen) ?? []);
  if (host !== undefined) return host;
  const mayConnect = /^\/dev\/[\uE000\uE001]+\//.test(form) || (isUnsure(form) && /\b(?:tcp|udp)\b/.test(scene.code));
  return mayConnect ? SOME_HOST : null;
}
