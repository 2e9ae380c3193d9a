// Short scripts at random that get bash to run `touch` out of a text, if anything in them does.
import fc from 'fast-check';

/** A text with code in it, as an assignment that the guard cannot see through. */
export const HIDES_CODE = 'x="a[\\$(touch m)]"; ';

/** Texts with code in them, in every kind of quotes. */
const texts = fc
  .tuple(
    fc.constantFrom(
      'a[$(touch m)]',
      '$(touch m)',
      '`touch m`',
      'a[`touch m`]',
      '-v',
      'x',
      '1',
      '[x]=1',
      '$((x))',
      '$[x]',
    ),
    fc.constantFrom<(text: string) => string>(
      (text) => `"${text.replace(/[$`]/g, '\\$&')}"`,
      (text) => `'${text}'`,
      (text) => text.replace(/\W/g, '\\$&'),
      (text) => `$'${text}'`,
      (text) => `"$x${text.replace(/[$`]/g, '\\$&')}"`,
      (text) => `'${text.slice(0, 3)}'"${text.slice(3).replace(/[$`]/g, '\\$&')}"`,
    ),
  )
  .map(([text, quote]) => quote(text));

const expansions = fc
  .tuple(
    fc.constantFrom<(text: string) => string>(
      () => '$x',
      () => '"$x"',
      () => '$((x))',
      () => '$((1 + 1))',
      () => '$[x]',
      () => '$' + '{PATH:x}',
      () => '$' + '{PATH:1:2}',
      () => '$' + '{a[x]}',
      () => '$' + '{a[0]}',
      () => '$' + '{!x}',
      () => '"$' + '{x@P}"',
      () => '$' + '{#x}',
      () => '*',
      (text) => `\${x:-${text}}`,
      (text) => `"\${y:-${text}}"`,
      (text) => `\${x#${text}}`,
      (text) => `{a,${text}}`,
      (text) => `$(ls ${text})`,
      (text) => text,
      (text) => text,
    ),
    texts,
  )
  .map(([expand, text]) => expand(text));

const statements = fc
  .tuple(
    fc.constantFrom<(one: string, two: string) => string>(
      (one) => `x=${one}`,
      (one) => `x=${one}`,
      (one) => `RANDOM=${one}`,
      (one) => `a[0]=${one}`,
      (one, two) => `a=(${one} ${two})`,
      (one, two) => `ls ${one} ${two}`,
      (one, two) => `ls ${two} ${one}`,
      (one) => `ls <<< ${one}`,
      (one) => `ls <<EOF\n${one}\nEOF\n`,
      (one, two) => `[ ${one} ${two} ]`,
      (one, two) => `[ ${one} = ${two} ]`,
      (one, two) => `test ${one} -eq ${two}`,
      (one) => `test -v ${one}`,
      (one) => `[ -f ${one} ]`,
      (one) => `[[ -n ${one} ]]`,
      (one, two) => `[[ ${one} == ${two} ]]`,
      (one, two) => `[[ ${one} -eq ${two} ]]`,
      (one) => `declare ${one}`,
      (one) => `export x=${one}`,
      (one) => `read -r x <<< ${one}`,
      (one, two) => `read ${one} <<< ${two}`,
      (one) => `printf %s ${one}`,
      (one, two) => `printf ${one} ${two}`,
      (one) => `wait ${one}`,
      (one, two) => `for x in ${one}; do ls ${two}; done`,
      (one, two) => `case ${one} in ${two}) ls;; *) ls ${two};; esac`,
      (one, two) => `f() { ls ${one} "$1"; }; f ${two}`,
      (one) => `eval ${one}`,
      (one) => `bash -c ${one}`,
      (one) => `echo ${one}`,
      () => 'touch() { ls; }',
      () => 'command touch m',
      () => '((x))',
    ),
    expansions,
    expansions,
  )
  .map(([state, one, two]) => state(one, two));

export const scriptsThatHideCode: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', HIDES_CODE),
    fc.array(statements, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('\n', '; ', ' && ', ' || '),
  )
  .map(([before, list, separator]) => {
    const isHereDocument = list.some((one) => one.endsWith('\n'));
    return `${before}${list.join(isHereDocument ? '\n' : separator)}\nls`;
  });
