// Texts that stand in a command as a whole: what `echo` and `printf` write, and what code starts.

import { ANYTHING, type ShellWord } from './words.ts';

/** Formats are used again for the words that are left, but not without end. */
const MAX_TEXT = 20_000;

/** Null: nothing, or something that is not followed. Marks stand for what is only known when it runs. */
export function printedText([name, ...words]: readonly ShellWord[]): string | null {
  const forms = words.map(({ form }) => form);
  if (name?.form === 'echo') return echoed(forms);
  if (name?.form !== 'printf' || forms[0] === '-v') return null;
  const [format, ...values] = forms[0] === '--' ? forms.slice(1) : forms;
  return format === undefined ? null : formatted(format, values);
}

/** Shells disagree on backslashes: both readings are in it. */
function echoed(forms: readonly string[]): string {
  const start = forms.findIndex((form) => !/^-[neE]+$/.test(form));
  const plain = start < 0 ? '' : forms.slice(start).join(' ');
  const decoded = withoutEscapes(plain);
  return plain === decoded ? `${plain}\n` : `${plain}\n${decoded}\n`;
}

function formatted(format: string, values: readonly string[]): string {
  const pattern = withoutEscapes(format);
  let text = '';
  let at = 0;
  do {
    const before = at;
    text += pattern.replace(
      /%[-+ #0']*(?:\d+|\*)?(?:\.(\d+))?([a-zA-Z%])/g,
      (_, precision: string | undefined, letter) =>
        letter === '%' ? '%' : convert(values[at++] ?? '', String(letter), precision),
    );
    if (at === before) break;
  } while (at < values.length && text.length < MAX_TEXT);
  return text;
}

function convert(value: string, letter: string, precision: string | undefined): string {
  const number = Number(value);
  if (letter === 'c') return value.slice(0, 1);
  if (letter === 'b') return withoutEscapes(value);
  if (/[xX]/.test(letter)) return Number.isInteger(number) ? number.toString(16) : ANYTHING;
  if (letter === 'o') return Number.isInteger(number) ? number.toString(8) : ANYTHING;
  return precision === undefined || letter !== 's' ? value : value.slice(0, Number(precision));
}

const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\n',
  f: ' ',
  v: ' ',
  a: ' ',
  b: ' ',
  e: ' ',
  E: ' ',
};

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|0?([0-7]{1,3})|([\s\S]))/g,
    (whole, byte?: string, unit?: string, octal?: string, letter?: string) => {
      if (byte !== undefined || unit !== undefined) return String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return letter === '\\' || letter === '"' || letter === "'" ? letter : (LETTERS[letter ?? ''] ?? whole);
    },
  );
}

const LITERAL = String.raw`(?:"[^"\\\n$]*"|'[^'\\\n]*')`;
const PYTHON_CALL = new RegExp(
  String.raw`\bsubprocess\.(?:run|call|check_call|check_output|Popen)\(\s*\[((?:\s*${LITERAL}\s*,?)+)\](?:\s*,\s*(?:capture_output|text|check|universal_newlines|encoding|stdout|stderr|timeout)\s*=\s*(?:True|False|None|\d+|${LITERAL}|subprocess\.(?:PIPE|DEVNULL|STDOUT)))*\s*\)(?:\.decode\(\))?`,
  'g',
);
const NODE_CALL = new RegExp(
  String.raw`\b(?:(?:require\(\s*["'](?:node:)?child_process["']\s*\)|\w+)\s*\.\s*)?execSync\(\s*(${LITERAL})(?:\s*,\s*\{\s*(?:(?:encoding|stdio)\s*:\s*${LITERAL}\s*,?\s*)*\})?\s*\)`,
  'g',
);
const IMPORT = {
  python: /\bimport subprocess\b/g,
  node: /(?:const|let|var)\s*\{\s*execSync\s*\}\s*=\s*require\(\s*["'](?:node:)?child_process["']\s*\)/g,
} as const;

/** Calls that start a program by texts which stand there as a whole, and the code without them. */
export function literalCalls(language: 'python' | 'node', code: string) {
  const calls: (readonly string[])[] = [];
  const rest = code.replace(language === 'python' ? PYTHON_CALL : NODE_CALL, (_, given: string) => {
    calls.push([...given.matchAll(new RegExp(LITERAL, 'g'))].map(([text]) => text.slice(1, -1)));
    return ' ';
  });
  return { calls, rest: calls.length === 0 ? code : rest.replace(IMPORT[language], ' ') };
}
