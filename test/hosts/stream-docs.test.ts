import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksIn, commandsIn } from './docs-kit.ts';
import { linesOf, prepare, resultsOf } from './intercept-kit.ts';
import { programs, root } from './kit.ts';

// Every command and every program of docs/STREAM.md and docs/INTERCEPT.md, as it stands there, on the real Claude Code: TROUPE_CLAUDE_BIN.

const DOCUMENTS = ['STREAM.md', 'INTERCEPT.md'];
const POLICY = `version: 1
rules:
  - { agents: { kind: subagent }, tools: "Bash(rm:*)", decision: deny, reason: Sub-agents keep what is there }
  - { tools: Write, decision: deny }
  - { tools: Bash, decision: allow }
`;

interface Tried {
  readonly out: string;
  readonly err: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Way {
  /** Which commands are tried so. */
  readonly command: RegExp;
  /** What the scripted model does. */
  readonly play: string;
  readonly check: (tried: Tried) => void;
}

const typesIn = (text: string): readonly unknown[] => linesOf(text).map(({ type }) => type);

const WAYS: readonly Way[] = [
  {
    command: /^claude .* \| troupe stream$/,
    play: 'single',
    check: ({ out }) =>
      expect(typesIn(out)).toEqual(expect.arrayContaining(['subagent_spawned', 'subagent_completed'])),
  },
  {
    command: /^troupe stream --no-disk < kept-stream\.jsonl$/,
    play: 'plain',
    check: ({ out }) => expect(typesIn(out).filter((type) => type === 'subagent_completed')).toHaveLength(3),
  },
  {
    command: /^troupe run --tree -- claude .* > out\.jsonl$/,
    play: 'single',
    check({ err, folder }) {
      expect(err).toContain('└─ ✓');
      expect(typesIn(readFileSync(path.join(folder, 'out.jsonl'), 'utf8')).at(-1)).toBe('result');
    },
  },
  {
    command: /^troupe run --intercept -- claude /,
    play: 'guarded',
    check({ env, folder }) {
      expect(
        resultsOf(env)
          .map(({ text }) => text)
          .join('\n'),
      ).toContain('Sub-agents keep what is there');
      expect(existsSync(path.join(folder, 'build/out.txt'))).toBe(true);
    },
  },
  {
    command: /^troupe run --intercept --inject results\.yaml -- claude /,
    play: 'documented-tests',
    check: ({ env }) =>
      expect(resultsOf(env).find(({ isOfAgent }) => isOfAgent)).toMatchObject({ text: '12 passed', isError: false }),
  },
];

describe('docs/STREAM.md and docs/INTERCEPT.md', () => {
  const commands = DOCUMENTS.flatMap(commandsIn);

  it('have no command that nobody tries, and none is tried that they do not have', () => {
    expect(commands.filter((command) => !WAYS.some((way) => way.command.test(command)))).toEqual([]);
    expect(WAYS.filter((way) => !commands.some((command) => way.command.test(command)))).toEqual([]);
  });

  describe.skipIf(programs.length === 0)('on the real program', () => {
    beforeAll(async () => {
      const { addPlays } = await import('./across-kit.ts');
      await addPlays(({ say, agent, shell }) => ({
        'documented-tests': [
          { items: [agent('Run the tests', 'Run them. [[play:documented-npm]]')] },
          { items: [say('Done.')] },
        ],
        'documented-npm': [{ items: [shell('npm test', 'Run tests')] }, { items: [say('They are green.')] }],
      }));
    });
    const closing: (() => Promise<void>)[] = [];
    afterAll(() => Promise.all(closing.map((close) => close())));

    /** A project with everything that the documents name, and `claude` and `troupe` on the PATH. */
    const place = async (play: string): Promise<Omit<Tried, 'out' | 'err'>> => {
      const { workspace, model, env } = await prepare(play, { policy: POLICY });
      closing.push(async () => void (await model.close?.()));
      const folder: string = workspace.project;
      const bin = path.join(workspace.base, 'bin');
      mkdirSync(bin);
      symlinkSync(programs[0] ?? '', path.join(bin, 'claude'));
      const troupe = path.join(bin, 'troupe');
      writeFileSync(troupe, `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'dist/troupe.js')}" "$@"\n`);
      chmodSync(troupe, 0o755);
      const kept = path.join(root, 'src/sessions/stream/fixtures/claude-code-2.1.325-nested.jsonl');
      writeFileSync(path.join(folder, 'kept-stream.jsonl'), readFileSync(kept));
      writeFileSync(path.join(folder, 'results.yaml'), blocksIn('INTERCEPT.md', 'yaml')[0] ?? '');
      writeFileSync(path.join(folder, 'page.md'), 'A page.\n');
      // A package of its own, wherever the temporary folder lies.
      writeFileSync(path.join(folder, 'package.json'), '{}\n');
      mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
      symlinkSync(path.resolve(root), path.join(folder, 'node_modules/troupe'));
      return { folder, env: { ...env, PATH: `${bin}${path.delimiter}${env['PATH']}` } };
    };
    const run = async ([program = '', ...args]: readonly string[], at: Omit<Tried, 'out' | 'err'>): Promise<Tried> => {
      const child = spawn(program, args, { cwd: at.folder, env: at.env, stdio: ['ignore', 'pipe', 'pipe'] });
      const text = { out: '', err: '' };
      child.stdout.on('data', (data) => (text.out += data));
      child.stderr.on('data', (data) => (text.err += data));
      const [code] = await once(child, 'close');
      expect({ code, err: text.err }).toEqual({ code: 0, err: expect.any(String) });
      return { ...text, ...at };
    };
    /** The scripted model goes by a mark in the prompt. */
    const marked = (text: string, play: string): string =>
      text.replace(/(-p |'-p', |prompt: )'([^']+)'/, `$1'$2 [[play:${play}]]'`);

    for (const command of commands)
      it(command, async () => {
        const way = WAYS.find((one) => one.command.test(command));
        if (!way) return expect.unreachable();
        const tools = command.includes('--intercept') ? '' : " --allowedTools 'Bash,Read,Agent,Task'";
        const line = marked(command, way.play).replace(/(\]\]')/, `$1${tools}`);
        way.check(await run(['bash', '-o', 'pipefail', '-c', line], await place(way.play)));
      });

    for (const document of DOCUMENTS)
      for (const [index, text] of blocksIn(document, 'ts').entries())
        it(`program ${index + 1} of ${document}`, async () => {
          const at = await place('single');
          writeFileSync(path.join(at.folder, 'example.mjs'), marked(text, 'single'));
          const { out } = await run([process.execPath, 'example.mjs'], at);
          // What it prints of the agent that begins: its prompt comes last.
          expect(out).toMatch(/\[\[play:sub-count\]\]/);
        });
  });
});
