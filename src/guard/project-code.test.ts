// What is in the project counts: scripts of package.json, makefiles, code that is there, files that git keeps.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { decide } from './decide.ts';
import { imagineCall } from './described-call.ts';
import { namesInIndex } from './judge-call.ts';
import { policy, rule } from './testing/make-call.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json':
    '{"scripts":{"ship":"git push origin main","build":"node build.js","pretest":"echo pre","test":"node --test","postpack":"git push","env":"cat .env"}}',
  Makefile:
    'REMOTE = origin\n.PHONY: all push\nall: build\nbuild:\n\tmkdir -p out\npush: build\n\t@git push $(REMOTE) main\nenv:\n\tcat .env\nrelease: push\n',
  'mk/inc.mk': 'all:\n\tgit push\n',
  justfile: 'push:\n  git push\ntest:\n  echo ok\n',
  Rakefile: 'task :push do sh "git push origin main" end\ntask :test do puts "ok" end\n',
  'build.js': 'console.log("run it at noon")\n',
  'scripts/push.sh': 'git push origin main\n',
  'scripts/push.py': 'import os\nos.system("cd x; git push origin main")\n',
  'scripts/push.js': 'require("child_process").spawnSync("git", ["push", "origin"])\n',
  'scripts/push.exp': 'spawn git push origin main\n',
  'scripts/quiet.py': '# run git push at the end\nprint("git push")\n',
  'src/app.js': 'x\n',
  'conf/.env': 'KEY=1\n',
  '.env.example': 'KEY=\n',
};
const KEPT = ['package.json', 'src/app.js', 'conf/.env', '.env.example'];

let folder: string;
beforeAll(() => {
  folder = makeTemporaryFolder('project');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('git', ['add', '-f', ...KEPT], { cwd: folder });
});

const RULES = policy([rule('deny', ['Bash(git push:*)', 'Read(//**/.env)'], { opaque: 'ask' })]);

const decisionOn = (command: string, rules = RULES) =>
  decide(rules, imagineCall({ agent: {}, tool: 'Bash', input: { command } }, '/home/dev', folder)).decision;

describe('code of the project', () => {
  test.each([
    ...[
      'npm run ship',
      'npm run-script ship --silent',
      'npm --prefix . run ship',
      'yarn ship',
      'pnpm run env',
      'npm pack',
    ],
    ...[
      'make push',
      'make release',
      'make -sC . push',
      'make -f mk/inc.mk',
      'make env',
      'just push',
      'T=push; make $T',
      'npm run $X',
      'rake push',
    ],
    ...[
      'sh < scripts/push.sh',
      '{ bash; } < scripts/push.sh',
      'exec < scripts/push.sh; sh',
      'bash --rcfile scripts/push.sh -i',
    ],
    ...[
      'python3 scripts/push.py',
      'python3 -m scripts.push',
      'python3 < scripts/push.py',
      'node scripts/push',
      'node -r ./scripts/push.js build.js',
    ],
    ...[
      'expect scripts/push.exp',
      'cp scripts/push.sh ~/.bashrc; bash -i',
      'mv scripts/push.js build.js && npm run build',
    ],
  ])('refuses %s', (command) => expect(decisionOn(command)).toMatch(/deny|ask/));

  test.each([
    ...[
      'npm run build',
      'npm test',
      'yarn build --watch',
      'make',
      'make build',
      'make -n',
      'just test',
      'rake test',
      'just --list',
    ],
    ...['python3 scripts/quiet.py', 'node build.js', 'bash -n scripts/push.sh', 'node --check scripts/push.js'],
  ])('does not refuse %s', (command) => expect(decisionOn(command)).toBe('none'));
});

describe('files that git keeps', () => {
  test.each([
    ...[
      'git show',
      'git log -p -1',
      'git diff HEAD~1',
      'git diff HEAD~1 -- conf',
      'git grep KEY',
      'git archive HEAD',
      'git format-patch -1 --stdout',
    ],
    ...[
      'git ls-files | xargs cat',
      'git ls-files | while read -r f; do head "$f"; done',
      'git stash show -p',
      'git show HEAD -- conf',
    ],
    ...[
      'find . -type f -exec grep K {} +',
      "find . -name '.env' | xargs grep K",
      'for f in $(git ls-files); do cat "$f"; done',
      'grep -d recurse K .',
    ],
  ])('are shown by %s', (command) => expect(decisionOn(command)).toMatch(/deny|ask/));

  test.each([
    ...[
      'git diff',
      'git show --stat',
      'git log --oneline',
      'git diff HEAD~1 -- src',
      'git show HEAD:src/app.js',
      'git grep KEY -- src',
      'git log -p -- src',
    ],
    ...[
      "git ls-files '*.js' | xargs wc -l",
      'git ls-files src | xargs cat',
      'find src -type f -exec grep x {} +',
      'cat $(find src | head -1)',
    ],
    ...[
      'find src -name \'*.js\' | while read -r f; do head -5 "$f"; done',
      'grep -rl x src | xargs sed -n 1,5p',
      'F=src/app.js && wc -l $F',
    ],
    ...['tmp=$(mktemp); echo x > "$tmp" && cat "$tmp"', 'head -20 $(ls src/*.js | head -1)'],
  ])('are not shown by %s', (command) => expect(decisionOn(command)).toBe('none'));

  test.each([2, 3, 4])('are read from an index of version %i', (version) => {
    const place = path.join(folder, `.git/index-${version}`);
    const env = { ...process.env, GIT_INDEX_FILE: place };
    execFileSync('git', ['add', '-f', ...KEPT], { cwd: folder, env });
    execFileSync('git', ['update-index', '--index-version', String(version)], { cwd: folder, env });
    const bytes = execFileSync('cat', [place]);
    expect([...(namesInIndex(bytes) ?? [])].sort()).toEqual([...KEPT].sort());
  });

  test('are not known when the index is damaged', () => {
    expect(namesInIndex(Buffer.from('DIRC'))).toBeNull();
    expect(namesInIndex(Buffer.from('not an index at all'))).toBeNull();
  });
});

describe('an allow with :* ', () => {
  const rules = policy([
    rule('allow', [
      'Bash(npm test:*)',
      'Bash(make build:*)',
      'Bash(go test:*)',
      'Bash(git diff:*)',
      'Bash(yarn test:*)',
    ]),
  ]);
  test.each([
    ...[
      'npm test --prefix evil',
      'npm test -C evil',
      'npm test --script-shell=./x',
      'npm test --cache x',
      'npm test --userconfig x',
      'npm test --node-options=-r=./x',
    ],
    ...[
      'make build push',
      'make build -C evil',
      'make build CC=x',
      'go test -exec ./x',
      'go test -o x',
      'git diff --output=x',
      'git diff --ext-diff',
      'yarn test --cwd evil',
    ],
  ])('does not allow %s', (command) => expect(decisionOn(command, rules)).not.toBe('allow'));
  test.each([
    'npm test',
    'npm test --silent',
    'npm test -- --prefix x',
    'make build -j4',
    'go test ./...',
    'git diff --stat',
    'yarn test --watch',
  ])('allows %s', (command) => expect(decisionOn(command, rules)).toBe('allow'));
});
