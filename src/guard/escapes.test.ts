// Under an allow list nothing runs but what it names. Shells also run code that is hidden in text: each attack below gets
// `touch` to run in bash or zsh, and the guard must not allow it.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { decide } from './decide.ts';
import { bash, policy, rule } from './testing/make-call.ts';
import { scriptsThatHideCode, HIDES_CODE as X } from './testing/random-scripts.ts';
import { suggestRule } from './testing/suggest-rule.ts';

const onlyLs = policy([rule('allow', 'Bash(ls:*)')], 'deny');
const decisionOf = (command: string) => decide(onlyLs, bash(command)).decision;

/** zsh looks up only arrays that exist. */
const Z = 'x="path[\\$(touch m)]"; ';

const BASH_ATTACKS: Readonly<Record<string, readonly string[]>> = {
  arithmetic: [
    `${X}ls $((x))`,
    `${X}ls "$((x))"`,
    `${X}ls $[x]`,
    `${X}((x)); ls`,
    `${X}for ((i = x; i < 1; i++)); do ls; done`,
    `${X}y=$((x)); ls`,
    `${X}ls <<< $((x))`,
    `${X}ls <<EOF\n$((x))\nEOF`,
    `${X}case $((x)) in *) ls;; esac`,
    `${X}ls {1..$((x))}`,
    `${X}ls "$(ls $((x)))"`,
    'x="a[\\`touch m\\`]"; ls $((x))',
    'y="\\$(touch m)"; x="a[$y]"; ls $((x))',
    'x=a; x+="[\\$(touch m)]"; ls $((x))',
    'x=a[\\$\\(touch\\ m\\)]; ls $((x))',
    'read x <<< "a[\\$(touch m)]"; ls $((x))',
    'while read x; do ls $((x)); done <<< "a[\\$(touch m)]"',
    'for x in "a[\\$(touch m)]"; do ls $((x)); done',
    `${X}ls "$\\\n((x))"`,
    `${X}let x; ls`,
  ],
  subscripts: [
    `${X}ls \${b[x]}`,
    `${X}ls "\${b["x"]}"`,
    `${X}ls \${b[x]:-1}`,
    `${X}b[x]=1; ls`,
    `${X}b=([x]=1); ls`,
    `${X}declare b=([x]=1); ls`,
    `${X}ls {b[x]}>/dev/null`,
  ],
  expansions: [
    `${X}ls "\${PATH:x:1}"`,
    `${X}ls \${PATH:0:x}`,
    `${X}ls "\${@:x}"`,
    `${X}ls \${!x}`,
    `${X}ls \${y:-\${PATH:x}}`,
    `${X}ls "\${y:-$[x]}"`,
    `${X}ls "\${y:-'$[x]'}"`,
    `${X}ls \${PATH#$((x))}`,
    'x="\\$(touch m)"; ls "$' + '{x@P}"',
  ],
  tests: [
    'test -v "a[\\$(touch m)]"; ls',
    '[ -v "a[\\$(touch m)]" ]; ls',
    '[ -f a -o -v "a[\\$(touch m)]" ]; ls',
    'x=-v; y="a[\\$(touch m)]"; [ "$x" "$y" ]; ls',
    'x=-v; test $x "a[\\$(touch m)]"; ls',
    `${X}[[ -v $x ]]; ls`,
    `${X}[[ x -eq 1 ]]; ls`,
    `${X}[[ 1 -lt $x ]]; ls`,
    `${X}[[ -n \${b[x]} ]]; ls`,
    'te\\\nst -v "a[\\$(touch m)]"; ls',
    '! command test -v "a[\\$(touch m)]"; ls',
  ],
  'builtins that take names': [
    'declare "a[\\$(touch m)]=1"; ls',
    'typeset "a[\\$(touch m)]=1"; ls',
    'a=(1); declare a="(\\$(touch m))"; ls',
    'declare -n r="a[\\$(touch m)]"; r=1; ls',
    'declare -i r; r="a[\\$(touch m)]"; ls',
    'f() { local -i n; n="a[\\$(touch m)]"; }; f; ls',
    'f() { local "a[\\$(touch m)]=1"; }; f; ls',
    'true & wait -n -p "a[\\$(touch m)]"; ls',
    'printf "-va[\\$(touch m)]" x; ls',
    'printf -v "a[\\$(touch m)]" x; ls',
    'read "a[\\$(touch m)]" <<< x; ls',
    'mapfile -C "touch m" -c 1 a <<< x; ls',
    'compgen -W "\\$(touch m)"; ls',
  ],
  'variables of the shell': [
    'RANDOM="a[\\$(touch m)]"; ls',
    'OPTIND="a[\\$(touch m)]"; ls',
    'for RANDOM in "a[\\$(touch m)]"; do ls; done',
    'read OPTIND <<< "a[\\$(touch m)]"; ls',
    'export PS4="\\$(touch m)"; set -x; ls',
  ],
  'code in code': [
    'bash -c "test -v \\"a[\\\\\\$(touch m)]\\"; ls"',
    `eval "x=\\"a[\\\\\\$(touch m)]\\"; ls \\$((x))"`,
    `${X}trap "ls \\$((x))" EXIT; ls`,
    'ls <(test -v "a[\\$(touch m)]")',
    'bash --rcfile ./echo -i <<< ls',
  ],
  'another program of that name': [
    './echo; ls',
    './timeout 5 ls',
    'touch() { ls; }; command touch m',
    'touch() { ls; }; timeout 5 touch m',
    "touch() { ls; }; bash -c 'touch m'",
    'touch() { ls; }; ls | xargs touch m',
    'false && touch() { ls; } || touch m',
    'true || touch() { ls; } && touch m',
    'PATH=.:$PATH; timeout 5 ls',
    'hash -p "$PWD/echo" ls; ls',
    'command time -o m ls',
  ],
};

const ZSH_ATTACKS: readonly string[] = [
  `${Z}ls $((x))`,
  `${Z}ls $path[x]`,
  `${Z}ls "$path[x]"`,
  `${Z}ls $path\\\n[x]`,
  `${Z}ls $#path[x]`,
  `${Z}ls [a$path[x]`,
  `${Z}ls <<EOF\n$path[x]\nEOF`,
  'exit "path[\\$(touch m)]"; ls',
  'shift "path[\\$(touch m)]"; ls',
  'printf %d "path[\\$(touch m)]"; ls',
  'printf %.*d "path[\\$(touch m)]" 1; ls',
  'read -t "path[\\$(touch m)]" y; ls',
  'printf %s%d a "path[\\$(touch m)]"; ls',
  '[ -t "path[\\$(touch m)]" ]; ls',
  '[[ "path[\\$(touch m)]" -eq 1 ]]; ls',
  'COLUMNS="path[\\$(touch m)]" ls',
  'HISTSIZE="path[\\$(touch m)]"; ls',
  'functions[ls]="touch m"; ls',
  'functions=(ls "touch m"); ls',
  'commands[ls]=./echo; ls',
  'hash ls=./echo; ls',
  "ls *(e:'touch m':)",
  "ls .(e:'touch m':)",
  'ls =(touch m)',
  'x="\\$(touch m)"; ls $' + '{(e)x}',
  'integer() { ls; }; integer "x=path[\\$(touch m)]"; ls',
];

/** Not tried in a shell here: they need a library, a terminal, or another system. */
const OTHER_ATTACKS: readonly string[] = [
  'alias ls="touch m"; ls',
  'LD_PRELOAD=./x.so ls',
  'LD_PRELOAD=./x.so; ls',
  'GOFLAGS=-toolexec=./x timeout 5 ls',
  'f() { ls; }; GOFLAGS=-toolexec=./x f',
  'BASH_ENV=./echo bash -c ls',
  'bash -a -c ls',
  'exec -a sh ls',
  'exec < commands.txt; ls',
  'enable -f ./x.so ls; ls',
  'shopt -s expand_aliases; ls',
  'IFS=x; ls',
  'coproc ls',
  'select x in a; do ls; done',
  'ls $"a"',
  'cd() { :; }; cd src; ls',
  'jobs -x touch m; ls',
  'unset -f ls; ls',
  'getopts a "a[\\$(touch m)]"; ls',
  '{ ls } always { touch m }\n}',
];

const ALL_BASH = Object.values(BASH_ATTACKS).flat();

const work = makeTemporaryFolder('escapes');

/** The programs that attacks can use: `touch` leaves a mark. */
const bin = path.join(work, 'bin');
mkdirSync(bin);
writeFileSync(path.join(bin, 'touch'), '#!/bin/sh\n: > "$MARK"\n');
chmodSync(path.join(bin, 'touch'), 0o755);
for (const name of ['ls', 'bash', 'zsh', 'sh', 'env', 'time', 'timeout', 'xargs']) {
  const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
  if (found.startsWith('/')) symlinkSync(found, path.join(bin, name));
}

let count = 0;

/** Runs it in a folder of its own. Did more than `ls` run? */
async function escapes(shell: string, command: string): Promise<boolean> {
  const folder = path.join(work, `${++count}`);
  const mark = path.join(folder, 'm');
  mkdirSync(folder);
  for (const name of ['echo', 'timeout']) symlinkSync(path.join(bin, 'touch'), path.join(folder, name));
  const child = spawn(shell, ['-c', command], {
    cwd: folder,
    env: { PATH: bin, HOME: folder, MARK: mark },
    stdio: 'ignore',
    timeout: 10_000,
  });
  await new Promise((resolve) => child.once('close', resolve));
  return existsSync(mark);
}

/** A few at a time: most of the time is spent on starting shells. */
async function findEscapes(shell: string, commands: readonly string[]): Promise<readonly string[]> {
  const left = [...commands];
  const found: string[] = [];
  const runAll = async () => {
    for (let command = left.pop(); command !== undefined; command = left.pop())
      if (await escapes(shell, command)) found.push(command);
  };
  await Promise.all(Array.from({ length: 4 }, runAll));
  return found;
}

const majorOf = (shell: string): number =>
  Number(/\d+/.exec(spawnSync(shell, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? 0);

test('lists each attack once, at least 60 for bash', () => {
  const all = [...ALL_BASH, ...ZSH_ATTACKS, ...OTHER_ATTACKS];
  expect(new Set(all).size).toBe(all.length);
  expect(ALL_BASH.length).toBeGreaterThanOrEqual(60);
});

describe.each([...Object.entries(BASH_ATTACKS), ['zsh', ZSH_ATTACKS], ['other', OTHER_ATTACKS]] as const)(
  '%s',
  (_, attacks) => {
    test.each(attacks)('is not allowed: %j', (command) => {
      expect(decisionOf(command)).toBe('deny');
      expect(decide(policy([rule('allow', 'Bash(ls:*)')], 'ask'), bash(command)).decision).toBe('ask');
      expect(suggestRule(bash(command))?.patterns ?? []).not.toEqual(['Bash(ls)']);
    });
  },
);

test.runIf(majorOf('bash') >= 5)('attacks of every kind run their code in bash', async () => {
  const ran = new Set(await findEscapes('bash', ALL_BASH));
  for (const [kind, attacks] of Object.entries(BASH_ATTACKS))
    expect([kind, attacks.some((command) => ran.has(command))]).toEqual([kind, true]);
  // Versions differ in single ones.
  expect(ran.size).toBeGreaterThanOrEqual(60);
});

test.runIf(majorOf('zsh') >= 5)('attacks on zsh run their code there', async () => {
  expect((await findEscapes('zsh', ZSH_ATTACKS)).length).toBeGreaterThanOrEqual(ZSH_ATTACKS.length - 4);
});

describe('ordinary commands stay allowed', () => {
  test.each([
    'ls',
    'ls -la src',
    'ls \'a b\' "c d" e\\ f',
    'ls *.ts src/**/*.ts [a-z]* ?.js',
    'ls {a,b}.ts {1..3}',
    'ls ~ ~/src $HOME "$HOME"',
    'ls "$x" $x "$' + '{x}" $1 "$@" $#',
    'ls "$' + '{x:-src}" $' + '{x%.ts} $' + '{x##*/} "$' + '{x//\\//_}" "$' + '{x:+a}" $' + '{#x}',
    'ls "$' + '{x:0:3}" "$' + '{x: -1}" $' + '{a[0]} "$' + '{a[@]}" $((1 + 2))',
    'ls | ls -l && ls || ls; ls',
    'ls > /dev/null 2>&1 < /dev/null',
    '(ls); { ls; }; ! ls',
    'ls "$(ls)" `ls` <(ls)',
    "ls <<'EOF'\n$(x) a[b] $((y))\nEOF",
    'ls <<EOF\n$x \\$(no) it\'s "fine"\nEOF',
    'ls <<< hi # $((x))',
    '# list\nls \\\n  -la\n\nls src',
    'if [ -f package.json ]; then ls; else echo none; fi',
    '[ -n "$x" ] && [ "$x" = a ] && [ ! -e b ] && [ $# -eq 0 ] && ls',
    '[[ -f a && $x == b* && $x =~ ^(a|b)$ && $# -gt 1 ]] && ls',
    'for f in a b; do ls "$f"; done; for f in *.ts; do echo "$f"; ls $f; done',
    'while read -r line; do ls "$line"; done < /dev/null',
    'case $x in a) ls;; b|c) ls -l;; *) ls -a;; esac',
    'x=src; ls "$x"; y=$(ls); ls $y; DIR="$HOME/src"; ls "$DIR"',
    'a=(src test); a[2]=docs; ls "$' + '{a[@]}"',
    'f() { local dir=src; ls "$1" "$dir"; }; f src; eval f; trap f EXIT',
    'set -euo pipefail; cd src && ls',
    'time ls; timeout 5 ls; nice ls; command ls; /bin/bash -c ls',
    "bash -euo pipefail -c 'ls \"$1\"' name src; eval ls; trap 'echo bye' EXIT",
    'ls & wait; ls & wait $!; exit $?',
    "printf '%s\\n' \"$x\"; printf '%-10s|%d\\n' a 3; ls",
    'echo "a[0] (b) $x"; ls "a (b) [c]" \'d $ e\' "^a$" "5$ each"',
    "ls $'a\\tb' a=b @ % + , : ^ = é",
    'NODE_ENV=test COLUMNS=80 ls; export NODE_ENV=test FOO=bar; ls',
  ])('%j', (command) => expect(decisionOf(command)).toBe('allow'));
});

test('code that may be hidden changes nothing when a rule denies or asks, or the default allows', () => {
  for (const command of ['x=1; ls $((x))', 'export TAG="$(git describe)"; ls', 'ls $((i + 1))']) {
    const decisions = (...args: Parameters<typeof policy>) => decide(policy(...args), bash(command)).decision;
    expect(decisions([rule('deny', 'Bash(rm:*)')], 'allow')).toBe('allow');
    expect(decisions([rule('deny', 'Bash(rm:*)')], 'none')).toBe('none');
    expect(decisions([rule('deny', 'Bash(ls:*)')], 'allow')).toBe('deny');
    expect(decisions([rule('ask', 'Bash(ls:*)'), rule('allow', 'Bash(git describe)')], 'deny')).toBe('ask');
    expect(decisions([rule('allow', 'Bash')], 'deny')).toBe('allow');
  }
});

test.runIf(majorOf('bash') >= 5)(
  'of random scripts that the guard allows, none runs more than ls in bash',
  async () => {
    const generated = fc.sample(scriptsThatHideCode, { seed: 7, numRuns: 1_500 });
    const allowed = [...new Set(generated.filter((command) => decisionOf(command) === 'allow'))];
    expect(allowed.length).toBeGreaterThan(50);
    expect(await findEscapes('bash', allowed)).toEqual([]);
  },
);
