/**
 * The beginning of a JSON text, made whole: what was cut is left out, strings end where the text does. For readers that
 * fetch the first bytes of a long record. Whoever parses it must still expect that it is no JSON.
 */
export function closeJson(beginning: string): string {
  const closers: string[] = [];
  let inString = false;
  /** Behind the last member of an object or array that is whole. */
  let whole = 0;
  let isKey = false;
  for (let at = 0; at < beginning.length; at++) {
    const char = beginning[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      isKey = char === '{';
      whole = at + 1;
    } else if (char === '}' || char === ']') {
      closers.pop();
      isKey = false;
      whole = at + 1;
    } else if (char === ':') isKey = false;
    else if (char === ',') {
      whole = at;
      isKey = closers.at(-1) === '}';
    }
  }
  const closing = closers.reverse().join('');
  if (closing === '') return beginning;
  if (!inString || isKey) return beginning.slice(0, whole) + closing;
  return `${withoutHalfEscape(beginning)}"${closing}`;
}

/** `\` or `\u12` at the end. */
function withoutHalfEscape(text: string): string {
  const [half = ''] = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text) ?? [];
  if (half === '') return text;
  // An even number of backslashes is so many whole ones.
  const before = /\\*$/.exec(text.slice(0, -half.length))?.[0].length ?? 0;
  return before % 2 === 0 ? text.slice(0, -half.length) : text;
}
