// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expansions of the shell
// Commands at random that run `ls` and nothing else, in every form that is understood, and what is not understood or runs more.
import fc from 'fast-check';

const knownWord = fc.constantFrom(
  ...[
    'a',
    "'b c'",
    '"d e"',
    '-l',
    '-la',
    'src',
    '..',
    '~',
    '$HOME',
    '"$PWD"',
    '*',
    'src/*.ts',
    '{a,b}',
    '$x',
    '"${x:-a}"',
  ],
  ...[
    '$(ls)',
    '"$(ls -a)"',
    '`ls src`',
    'a\\ b',
    "$'a\\nb'",
    '${x#a}',
    '$((1 + 2))',
    '?',
    '"${x}"',
    '--',
    '[ab]',
    '${x/a/b}',
  ],
  ...['"$(ls; ls a)"', '<(ls)', '"$#"', '$?', '"a;b"', "'$(id)'", '\\$\\(id\\)', '${x:0:1}', 'a#b', '!', '%s'],
);
/** Bash or zsh may run code for these, or nobody can say what they come to. */
const unknownWord = fc.constantFrom(
  ...[
    '$((x))',
    '${a[x]}',
    '${!x}',
    '"${x@P}"',
    '$[x]',
    '${PATH:x}',
    '$(id)',
    '`id`',
    '<(id)',
    '>(id)',
    '"$(ls; id)"',
    '"${x:-$(id)}"',
  ],
  ...['$(./ls)', '${x:=$(id)}', '"$(ls $(id))"', '*(e:id:)', '$((a[x]))', '${x:$y}'],
);
const knownRedirect = fc.constantFrom(
  ...[
    '',
    '',
    '',
    ' > /dev/null',
    ' 2>&1',
    ' 2> /dev/null',
    ' < a',
    ' <<< "$x"',
    " <<'E'\n$(id)\nE\n",
    ' <<E\n$x\nE\n',
    ' >&2',
    ' &> /dev/null',
  ],
);
const unknownRedirect = fc.constantFrom(
  ...[
    ' > m',
    ' >> m',
    ' > "$x"',
    ' <<E\n$(id)\nE\n',
    ' <<< "$(id)"',
    ' > >(id)',
    ' < <(id)',
    ' >| m',
    ' <> m',
    ' > $(id)',
  ],
);

const knownCommand = fc
  .tuple(
    fc.constantFrom(
      'ls',
      'ls',
      'ls',
      'ls',
      "'ls'",
      'l\\s',
      'command ls',
      '! ls',
      'echo',
      'printf %s',
      'true',
      ':',
      'NODE_ENV=a ls',
    ),
    fc.array(knownWord, { maxLength: 4 }),
    knownRedirect,
  )
  .map(([name, words, redirect]) => [name, ...words].join(' ') + redirect);

const unknownCommand = fc.oneof(
  fc.tuple(unknownWord, knownRedirect).map(([word, redirect]) => `ls ${word}${redirect}`),
  fc.tuple(knownWord, unknownRedirect).map(([word, redirect]) => `ls ${word}${redirect}`),
  fc.constantFrom(
    ...[
      'id',
      './ls',
      'src/ls',
      'PATH=. ls',
      'LD_PRELOAD=./x ls',
      'xargs id',
      'env id',
      'sh m',
      '. ./m',
      'eval "$x"',
      '$x',
      '"$x" -l',
    ],
    ...[
      'exec id',
      'exec -a id ls',
      'find . -exec id \\;',
      'trap id EXIT',
      "eval 'ls; id'",
      "bash -c 'ls; id'",
      'alias ls=id',
      'ls() { id; }',
    ],
    ...[
      'hash -p /usr/bin/id ls',
      'enable -n echo',
      '((x))',
      'let x',
      'declare -i y=x',
      "x='a[$(id)]'",
      'test -v "$x"',
      '[[ x -eq 1 ]]',
      'coproc ls',
    ],
    ...[
      "PS4='$(id)'",
      'set -k',
      'shopt -s expand_aliases',
      'BASH_ENV=m ls',
      'jobs -x id',
      'mapfile -C id x',
      'select x in a; do id; done',
      'ls &> $(id)',
    ],
  ),
);

const AROUND: readonly ((inner: string, other: string) => string)[] = [
  (inner) => inner,
  (inner) => inner,
  (inner, other) => `${inner}\n${other}`,
  (inner, other) => (inner.endsWith('\n') ? inner + other : `${inner}; ${other}`),
  (inner, other) => (inner.endsWith('\n') ? inner + other : `${inner} && ${other}`),
  (inner, other) => (inner.endsWith('\n') ? inner + other : `${inner} || ${other}`),
  (inner, other) => (inner.endsWith('\n') ? inner + other : `${inner} | ${other}`),
  (inner) => `( ${inner}\n)`,
  (inner) => `{ ${inner}\n}`,
  (inner, other) => `if ls; then ${inner}\nelse ${other}\nfi`,
  (inner) => `for x in a 'b c' *; do ${inner}\ndone`,
  (inner) => `while true; do ${inner}\nbreak; done`,
  (inner, other) => `case a in a) ${inner}\n;; *) ${other}\n;; esac`,
  (inner) => `[ -f a ] && { ${inner}\n}`,
  (inner) => `[[ -n $x ]] || { ${inner}\n}`,
  (inner) => `f() { ${inner}\n}; f a`,
  (inner) => `cd src && { ${inner}\n}`,
  (inner) => `x=$(${inner}\n); ls "$x"`,
  (inner) => `ls "$(${inner}\n)"`,
  (inner) => `{ ${inner}\n} 2>&1`,
  (inner) => `eval '${inner.replaceAll("'", "'\\''")}'`,
];

function around(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(inner, fc.array(fc.tuple(fc.constantFrom(...AROUND), knownCommand), { maxLength: 3 }))
    .map(([command, layers]) => layers.reduce((text, [put, other]) => put(text, other), command));
}

export const knownScripts: fc.Arbitrary<string> = around(knownCommand);
/** In each of them something else than `ls` may run, or be written. */
export const unknownScripts: fc.Arbitrary<string> = around(unknownCommand);

/** Does it have expansions, redirections or lists? */
export function isCompound(command: string): boolean {
  return /[$`*?{<>;|&\n]/.test(command);
}
