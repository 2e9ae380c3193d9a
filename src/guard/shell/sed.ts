// A program of sed, as far as it must be known: does it run commands (`e`), read or write files (`r`, `w`)?

const LABELS = /[^;\n]*/y;
const TEXTS = /[^\n]*(?:\\\n[^\n]*)*/y;

/** False also where it is not understood. */
export function isHarmlessSed(program: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    at += pattern.exec(program)?.[0].length ?? 0;
  };
  while (at < program.length) {
    const next = skipAddresses(program, at);
    if (next === null) return false;
    at = next;
    const command = program[at++];
    if (command === undefined) return true;
    if (command === 's' || command === 'y') {
      const end = skipParts(program, at);
      if (end === null) return false;
      at = end;
      const flags = /^[a-zA-Z0-9]*/.exec(program.slice(at))?.[0] ?? '';
      if (/[ewW]/.test(flags)) return false;
      at += flags.length;
    } else if (/[aic]/.test(command)) skip(TEXTS);
    else if (/[btT:]/.test(command)) skip(LABELS);
    else if (/[#]/.test(command)) skip(/[^\n]*/y);
    else if (/[qQlL]/.test(command)) skip(/\s*\d*/y);
    else if (!/[{}dDgGhHnNpPxz=F;\s]/.test(command)) return false;
  }
  return true;
}

/** `1,/end/!` and blanks. */
function skipAddresses(program: string, start: number): number | null {
  let at = start;
  for (;;) {
    const char = program[at];
    if (char === undefined || !/[\s\d$,~+!;/\\IM]/.test(char)) return at;
    if (char !== '/' && char !== '\\') at++;
    else {
      const delimiterAt = char === '/' ? at : at + 1;
      const end = skipDelimited(program, delimiterAt + 1, program[delimiterAt]);
      if (end === null) return null;
      at = end;
    }
  }
}

function skipParts(program: string, at: number): number | null {
  const delimiter = program[at];
  const middle = skipDelimited(program, at + 1, delimiter);
  return middle === null ? null : skipDelimited(program, middle, delimiter);
}

/** Behind the delimiter; a backslash takes the next character along, and so does a class (`[/]`) as far as it may. */
function skipDelimited(program: string, start: number, delimiter: string | undefined): number | null {
  if (delimiter === undefined || /[\\\n]/.test(delimiter)) return null;
  for (let at = start; at < program.length; at++) {
    if (program[at] === '\\') at++;
    else if (
      program[at] === '[' &&
      program
        .slice(at)
        .match(/^\[[^\]]*\]/)?.[0]
        .includes(delimiter)
    )
      return null;
    else if (program[at] === delimiter) return at + 1;
  }
  return null;
}
