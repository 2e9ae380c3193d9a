// Which commands an allow rule may allow: those in which bash and zsh can run nothing but the commands that the walk finds.
//
// Shells also run code that is hidden in text: arithmetic evaluates the values of variables and the subscripts in them, so `$((x))`
// runs `id` if x is `a[$(id)]`. `test -v`, `declare`, `read`, `${x:y}` and in zsh even `exit` and `[ -t ]` evaluate text as well.
// This is therefore a list of what is known to be safe. Anything else leaves the call to the default; it does not trigger deny rules.

import { type ArrayValue, forEachChild, type ParameterExpansionPart, type SyntaxNode, type Word } from 'unbash';
import { byName, wordSet } from '../../lib/group.ts';
import { isUsualOption } from './interpreters.ts';
import { isOrdinaryVariable } from './variables.ts';
import { isUnsure, maySplit, type ShellWord } from './words.ts';

/** What surrounds a piece of text: it decides which characters are special there. */
type Context = 'word' | 'quotes' | 'here-document' | 'expansion' | 'regular expression';

/** Source text in which no shell finds an expansion, by context. */
const PLAIN_TEXT: Readonly<Record<Context, RegExp>> = {
  word: /^(?:\\[\s\S]|[^\\$`"'()<>|&;\s])*$/,
  quotes: /^(?:\\[\s\S]|[^\\$`"]|\$(?=$|[\s|)/]))*$/,
  'here-document': /^(?:\\[\s\S]|[^\\$`]|\$(?=$|[\s|)/"']))*$/,
  // Shells disagree on quotes in "${x:-…}".
  expansion: /^(?:\\[^$`"'\\{}]|[^\\$`"'{}])*$/,
  'regular expression': /^(?:\\[\s\S]|[^\\$`"'<>&;\s]|\$(?=$|\)))*$/,
};
const PLAIN_ANSI_C = /^\$'(?:[^\\']|\\[nt\\'"])*'$/;
const PLAIN_DELIMITER = /^(?:[\w.+-]+|'[\w.+ -]+'|"[\w.+ -]+"|\\\w+)$/;
const IDENTIFIER = /^[A-Za-z_]\w*$/;
const INTEGER = /^-?\d+$/;
const NUMBERS_ONLY = /^[\d\s+\-*/%()<>=!&|^~?:,]*$/;

const FILE_OR_TEXT_TEST = /^-[a-hknprsuwxzLSNGO]$/;
const TEXT_COMPARISON = /^(?:==?|!=|=~|[<>]|-(?:nt|ot|ef))$/;
const NUMBER_COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;

const ARITHMETIC = 'arithmetic on anything but numbers can run code from a value';
const SUBSCRIPT = 'a subscript that is not a number can run code from a value';
const EXPANSION = 'this kind of expansion can run code from a value';
const TEST = 'this kind of test can run code from a value';
const TEXT = 'shells may read this text as code';

/** Why a shell might run more than the commands in the syntax tree; null if it cannot. */
export function whyNotPlain(node: SyntaxNode, context: Context = 'word'): string | null {
  let why = checkNode(node, context);
  const inner = contextInside(node, context);
  if (why === null)
    forEachChild(node, (child) => {
      why ??= whyNotPlain(child, inner);
    });
  return why;
}

function contextInside(node: SyntaxNode, context: Context): Context {
  if (node.type === 'Script') return 'word';
  if (node.type === 'HereDocBody') return 'here-document';
  if (node.type === 'ParameterExpansion' || context === 'expansion') return 'expansion';
  if (node.type === 'TestBinary' && node.operator === '=~') return 'regular expression';
  return node.type === 'DoubleQuoted' ? 'quotes' : context;
}

/** Nodes that run nothing by themselves, and those inside of arithmetic that was checked as a whole. */
const PLAIN_NODE = wordSet(
  'Script Statement CompoundList Command Pipeline Time Negation AndOr Redirected If Elif While Case CaseItem Subshell BraceGroup TestCommand TestLogical TestNot TestGroup Default Remove Replace CaseModification FileDescriptor ArithmeticBinary ArithmeticUnary ArithmeticTernary ArithmeticGroup ArithmeticWord',
);

/** Looks at a node without its children, which are checked by themselves. */
function checkNode(node: SyntaxNode, context: Context): string | null {
  if (PLAIN_NODE.has(node.type)) return null;
  switch (node.type) {
    case 'For':
      return IDENTIFIER.test(node.name.text) ? null : TEXT;
    case 'Function':
      // Paths are judged by what `cd` does, not by what a function of that name does.
      return /^(?!(?:cd|chdir|pushd|popd)$)[\w.-]+$/.test(node.name.text) ? null : TEXT;
    case 'Word':
      // zsh ends a group at such a word, wherever it is.
      if (node.text === '{' || node.text === '}') return TEXT;
      return node.parts === undefined ? checkText(node.text, context) : checkSubscripts(node.parts);
    case 'Literal':
      return checkText(node.text, context);
    case 'SingleQuoted':
      return context === 'expansion' && !PLAIN_TEXT.expansion.test(node.value) ? TEXT : null;
    case 'AnsiCQuoted':
      return context === 'word' && PLAIN_ANSI_C.test(node.text) ? null : TEXT;
    case 'SimpleExpansion':
      return /^\$(?:\w+|[@*#?$!-])$/.test(node.text) ? null : EXPANSION;
    case 'BraceExpansion':
      return node.parts === undefined ? checkText(node.text, context) : checkSubscripts(node.parts);
    case 'DoubleQuoted':
    case 'Glob':
    case 'HereDocBody':
      return checkSubscripts(node.parts ?? []);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script === undefined ? TEXT : null;
    case 'ArithmeticExpansion':
      return NUMBERS_ONLY.test(node.text.slice(node.text.startsWith('$((') ? 3 : 2, -1).replace(/\)$/, ''))
        ? null
        : ARITHMETIC;
    case 'ArithmeticCommand':
      return NUMBERS_ONLY.test(node.body) ? null : ARITHMETIC;
    case 'ParameterExpansion':
      return checkParameter(node);
    case 'Slice':
      return [node.offset, node.length].every((word) => word === undefined || INTEGER.test(word.text.trim()))
        ? null
        : EXPANSION;
    case 'Assignment':
      return isPlainIndex(node.index) ? null : SUBSCRIPT;
    case 'ArrayValue':
      return checkElements(node);
    case 'Redirect':
    case 'HereString':
      return node.target === undefined || node.descriptor?.type === 'FileDescriptorVariable' ? TEXT : null;
    case 'HereDoc':
      if (node.closing === undefined || node.descriptor?.type === 'FileDescriptorVariable') return TEXT;
      return node.delimiter?.quoted || node.body.parts !== undefined
        ? null
        : checkText(node.body.text, 'here-document');
    case 'HereDocDelimiter':
      return PLAIN_DELIMITER.test(node.text) ? null : TEXT;
    case 'TestUnary':
      return FILE_OR_TEXT_TEST.test(node.operator) || (node.operator === '-v' && IDENTIFIER.test(node.operand.text))
        ? null
        : TEST;
    case 'TestBinary':
      if (TEXT_COMPARISON.test(node.operator)) return null;
      return NUMBER_COMPARISON.test(node.operator) && [node.left, node.right].every(isNumber) ? null : TEST;
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return EXPANSION;
    case 'ArithmeticFor':
      return ARITHMETIC;
    default:
      return TEXT;
  }
}

function checkText(source: string, context: Context): string | null {
  return PLAIN_TEXT[context].test(source) ? null : TEXT;
}

/** `$x[y]` and `$#x[y]` are subscripts in zsh, in double quotes too. */
function checkSubscripts(parts: readonly SyntaxNode[]): string | null {
  const hasOne = parts.some((part, index) => {
    if (part.type !== 'SimpleExpansion') return false;
    const [next = ''] = parts.slice(index + 1).flatMap((other) => {
      const text = 'text' in other ? other.text.replace(/^(?:\\\n)+/, '') : '';
      return text === '' ? [] : [text];
    });
    return (part.text === '$#' ? /^[^\s,./:;)]/ : /^\[/).test(next);
  });
  return hasOne ? SUBSCRIPT : null;
}

function checkParameter({ text, prefix, parameter, index, operation }: ParameterExpansionPart): string | null {
  if (prefix === '!' || !/^(?:\w+|[@*#?$!-])$/.test(parameter)) return EXPANSION;
  if (!isPlainIndex(index)) return SUBSCRIPT;
  const subscript = index === undefined ? '' : `[${index.text}]`;
  const isWhole = operation !== undefined || text === `\${${prefix ?? ''}${parameter}${subscript}}`;
  return isWhole ? null : EXPANSION;
}

function isPlainIndex(index: Word | undefined): boolean {
  return index === undefined || /^(?:[@*]|-?\d+)$/.test(index.text);
}

/** `a=([x]=1)` evaluates x. */
function checkElements({ elements }: ArrayValue): string | null {
  return elements.every(({ text }) => !text.startsWith('[')) ? null : SUBSCRIPT;
}

const COUNT = /^\$(?:[#?!]|\{#\w+\})$/;

function isNumber({ text }: Word): boolean {
  const bare = text.replace(/^"(.*)"$/, '$1');
  return INTEGER.test(bare) || COUNT.test(bare);
}

/** The same for a word whose quotes are gone: a mark stands for the expansion. */
function isNumberWord({ form, text }: ShellWord): boolean {
  return INTEGER.test(form) || (form.length === 1 && isUnsure(form) && COUNT.test(text));
}

/** Builtins that evaluate their arguments, as arithmetic or as names with subscripts, and the arguments that are safe to give them. */
const SAFE_ARGUMENTS = byName<(args: readonly ShellWord[]) => boolean>({
  test: isPlainTest,
  '[': (args) => args.at(-1)?.form === ']' && isPlainTest(args.slice(0, -1)),
  wait: (args) => args.every((word) => isNumberWord(word) || /^(?:-[nf]|%\w+)$/.test(word.form)),
  printf: isPlainPrintf,
  read: isPlainRead,
  set: isPlainSet,
  let: (args) => args.every(({ form }) => /^[A-Za-z_]\w*=-?\d+$/.test(form)),
  unset: (args) => args.every(({ form }) => form === '-v' || isOrdinaryName(form)),
  getopts: ([letters, name]) => /^[\w:]+$/.test(letters?.form ?? '') && isOrdinaryName(name?.form ?? ''),
  hash: (args) => args.every(({ form }) => /^(?:-r|\w[\w.-]*)$/.test(form)),
  jobs: (args) => args.every(({ form }) => /^(?:-[lnprs]+|%\w+)$/.test(form)),
  // `exec -a sh ls` runs a shell where ls is busybox.
  exec: ([first]) => !first?.form.startsWith('-'),
  'exit return break continue shift logout bye': (args) => args.every(isNumberWord),
  'declare typeset local export readonly': (args) => args.every(isPlainDeclaration),
  'mapfile readarray': (args) => args.every(({ form }) => form === '-t' || isOrdinaryName(form)),
  'compgen integer float private vared print zformat zparseopts strftime sysread': () => false,
});

/** Why a builtin might run code out of its arguments; null if it cannot. */
export function whyEvaluated(name: string, [, ...args]: readonly ShellWord[]): string | null {
  const isSafe = SAFE_ARGUMENTS.get(name);
  return isSafe === undefined || isSafe(args) ? null : `${name} can run code from such arguments`;
}

function isOrdinaryName(form: string): boolean {
  return IDENTIFIER.test(form) && isOrdinaryVariable(form);
}

/** Only where it is certain which word is the operator. */
function isPlainTest(args: readonly ShellWord[]): boolean {
  const [first, second, third, ...rest] = args;
  if (first === undefined || rest.length > 1) return first === undefined;
  if (first.form === '!' && second !== undefined) return isPlainTest(args.slice(1));
  if (args.some((word) => maySplit(word.form) && !isNumberWord(word)) || rest.length > 0) return false;
  if (second === undefined) return true;
  if (third !== undefined)
    return NUMBER_COMPARISON.test(second.form)
      ? isNumberWord(first) && isNumberWord(third)
      : TEXT_COMPARISON.test(second.form);
  if (first.form === '-t') return INTEGER.test(second.form);
  return first.form === '-v' ? IDENTIFIER.test(second.form) : FILE_OR_TEXT_TEST.test(first.form);
}

/** zsh evaluates what is printed as a number. */
function isPlainPrintf(args: readonly ShellWord[]): boolean {
  if (args[0]?.form === '-v') return isOrdinaryName(args[1]?.form ?? '') && isPlainPrintf(args.slice(2));
  const [format, ...values] = args[0]?.form === '--' ? args.slice(1) : args;
  if (format === undefined || isUnsure(format.form) || format.form.startsWith('-')) return format === undefined;
  const conversions = [...format.form.matchAll(/%[-+ #0-9.]*([\s\S]|$)/g)]
    .map(([, letter = '']) => letter)
    .filter((letter) => letter !== '%');
  if (conversions.every((letter) => /[sbq]/.test(letter))) return true;
  return (
    conversions.every((letter) => /[sbqdiouxXeEfFgG]/.test(letter)) &&
    values.every((value, index) => {
      const isText = /[sbq]/.test(conversions[index % conversions.length] ?? '');
      return isNumberWord(value) || (isText && !maySplit(value.form));
    })
  );
}

function isPlainRead(args: readonly ShellWord[]): boolean {
  return args.every(({ form }, index) => {
    const before = args[index - 1]?.form ?? '';
    if (/^-[A-Za-z]*[tnNuk]$/.test(before)) return /^[\d.]+$/.test(form);
    if (/^-[A-Za-z]*[dpi]$/.test(before)) return !isUnsure(form) && /^[^$`[\]()]*$/.test(form);
    return /^-[AaEeqrs]*(?:[tnNuk][\d.]*|[dpi])?$/.test(form) || isOrdinaryName(form);
  });
}

function isPlainSet(args: readonly ShellWord[]): boolean {
  const end = args.findIndex(({ form }) => form === '--');
  return args
    .slice(0, end < 0 ? undefined : end)
    .every(({ form }) => /^[-+][efnouvx]+$/.test(form) || isUsualOption(form));
}

/** Flags such as -i and -n make later assignments run code. A value in brackets is a list, which is expanded. */
function isPlainDeclaration({ form }: ShellWord): boolean {
  return !isUnsure(form) && /^(?:[-+][raAxgp]+|[A-Za-z_]\w*(?:\+?=[^$`[\]()]*)?)$/.test(form);
}
