import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeEach, describe, expect, it } from 'vitest';
import { withoutSideEffects } from '../../../scripts/without-side-effects.mjs';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { type CompiledPolicyFolders, readCompiled } from './compiled-file.ts';
import { loadPolicy } from './load-policy.ts';

let home: string;
let where: CompiledPolicyFolders;
const DENY = 'version: 1\nrules: [{ decision: deny, tools: Write }]\n';
const ALLOW = 'version: 1\nrules: [{ decision: allow, tools: Read }]\n';

beforeEach(() => {
  home = makeTemporaryFolder('policy');
  where = {
    home,
    configFolder: path.join(home, 'config'),
    stateFolder: path.join(home, 'state'),
    folder: path.join(home, 'app', 'src'),
  };
  for (const folder of ['config', 'app/.git', 'app/.troupe', 'app/src'])
    mkdirSync(path.join(home, folder), { recursive: true });
});

const write = (name: string, text: string): void => writeFileSync(path.join(home, name), text);
const state = (): string => readCompiled(where).state;
const decisions = (): readonly string[] =>
  readCompiled(where).policy.rules.map(({ id, decision }) => `${id} ${decision}`);

describe('what a hook loads', () => {
  it('knows no YAML, and no package that takes long', async () => {
    const entry = fileURLToPath(new URL('compiled-file.ts', import.meta.url));
    const { metafile } = await build({
      stdin: { contents: `export { readCompiled } from ${JSON.stringify(entry)};`, resolveDir: path.dirname(entry) },
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      plugins: [withoutSideEffects],
    });
    const [{ inputs, imports }] = Object.values(metafile.outputs) as [(typeof metafile.outputs)[string]];
    expect(new Set(imports.map((one) => one.path))).toEqual(new Set(['node:fs', 'node:path']));
    const loaded = Object.keys(inputs).filter((name) => (inputs[name]?.bytesInOutput ?? 0) > 0);
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((name) => name.includes('node_modules'))).toEqual([]);
  });
});

describe('the compiled policy', () => {
  it('is empty and not stored when there is no file', async () => {
    expect(readCompiled(where)).toMatchObject({ state: 'none', policy: { rules: [], onError: 'none' } });
    expect(await loadPolicy(where)).toMatchObject({ files: [], problems: [] });
    expect(readdirSync(home)).not.toContain('state');
  });

  it('is of the person, of the project and of the person in it', async () => {
    write('config/policy.yaml', ALLOW);
    write('app/.troupe/policy.yaml', DENY);
    write('app/.troupe/policy.local.yaml', 'version: 1\nrules: [{ decision: ask }]\n');
    const { policy, files } = await loadPolicy(where);
    expect(files.map(({ scope }) => scope)).toEqual(['user', 'project', 'local']);
    expect(policy.rules.map(({ id }) => id)).toEqual(['user:1', 'project:1', 'local:1']);
    expect(readCompiled(where)).toMatchObject({ state: 'current', policy });
    expect(readCompiled({ ...where, folder: home }).state).toBe('stale');
  });

  it('is readable by its owner only', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    const folder = path.join(where.stateFolder, 'policy');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('holds the fallback answers for the stub, of the user policy and of the project policy', async () => {
    const kept = (): readonly string[] => {
      const folder = path.join(where.stateFolder, 'policy');
      const names = readdirSync(folder).filter((name) => name.endsWith('.on-error'));
      return names.map((name) => readFileSync(path.join(folder, name), 'utf8')).sort();
    };
    write('config/policy.yaml', 'version: 1\non_error: none\n');
    await loadPolicy(where);
    expect(kept()).toEqual(['none\n\n']);
    write('app/.troupe/policy.yaml', 'version: 1\non_error: deny\n');
    await loadPolicy(where);
    expect(kept()).toEqual([`deny\n${path.join(home, 'app')}\n`, 'none\n\n']);
    write('config/policy.yaml', 'version: 1\non_error: nonsense\n');
    await loadPolicy(where);
    expect(kept()).toEqual(['ask\n\n', `deny\n${path.join(home, 'app')}\n`]);
  });

  it('gets a new time when it is still current, so that texts are not compared at every call', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    const [name = ''] = readdirSync(path.join(where.stateFolder, 'policy'));
    const file = path.join(where.stateFolder, 'policy', name);
    utimesSync(file, 1, 1);
    expect(state()).toBe('current');
    expect(statSync(file).mtimeMs).toBeGreaterThan(1_000);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"compiler":\d+/, '"compiler":0'));
    expect(state()).toBe('stale');
  });

  it('notes the new state of a file that was saved again with the same text', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    write('config/policy.yaml', DENY);
    const [name = ''] = readdirSync(path.join(where.stateFolder, 'policy'));
    const file = path.join(where.stateFolder, 'policy', name);
    const before = readFileSync(file, 'utf8');
    expect(state()).toBe('current');
    const after = readFileSync(file, 'utf8');
    expect(after).not.toBe(before);
    expect(after.split('\n').slice(1)).toEqual(before.split('\n').slice(1));
    expect(state()).toBe('current');
    expect(readFileSync(file, 'utf8')).toBe(after);
    expect(readdirSync(path.dirname(file)).filter((other) => other.startsWith(name))).toEqual([name]);
  });

  it('is not used in silence before it was compiled', () => {
    write('config/policy.yaml', ALLOW);
    expect(readCompiled(where)).toMatchObject({
      state: 'stale',
      policy: { onError: 'ask', defaults: { main: 'ask' } },
    });
    expect(decisions()).toEqual(['user:stale ask']);
  });

  it.each([
    ['a file that changed', 'config/policy.yaml', DENY],
    ['a file that came', 'app/.troupe/policy.local.yaml', DENY],
  ])('is not used in silence after %s', async (_, name, text) => {
    write('config/policy.yaml', ALLOW);
    await loadPolicy(where);
    write(name, text);
    expect(readCompiled(where)).toMatchObject({ state: 'stale', reason: expect.stringContaining(path.basename(name)) });
    expect(decisions()[0]).toMatch(/:stale ask$/);
    await loadPolicy(where);
    expect(state()).toBe('current');
  });

  it('is not used in silence after a file went', async () => {
    write('config/policy.yaml', ALLOW);
    await loadPolicy(where);
    rmSync(path.join(where.configFolder, 'policy.yaml'));
    expect(decisions()).toEqual(['user:stale ask', 'user:1 allow']);
    expect((await loadPolicy(where)).policy.rules).toEqual([]);
    expect(readCompiled(where)).toMatchObject({ state: 'current', policy: { rules: [] } });
  });

  it('still denies the same calls when it is stale, and everything if on_error is deny', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    write('config/policy.yaml', `${DENY}# more\n`);
    expect(decisions()).toEqual(['user:stale ask', 'user:1 deny']);
    write('config/policy.yaml', `${DENY}on_error: deny\n`);
    await loadPolicy(where);
    write('config/policy.yaml', DENY);
    expect(decisions()).toEqual(['user:stale deny', 'user:1 deny']);
  });

  it('is that of the same text, whenever that was written', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    rmSync(path.join(where.configFolder, 'policy.yaml'));
    write('config/policy.yaml', DENY);
    expect(state()).toBe('current');
  });

  it('sees another text of the same length with the same time', async () => {
    const file = path.join(where.configFolder, 'policy.yaml');
    write('config/policy.yaml', DENY);
    const { mtime } = statSync(file);
    await loadPolicy(where);
    write('config/policy.yaml', DENY.replace('Write', 'Other'));
    utimesSync(file, mtime, mtime);
    expect(state()).toBe('stale');
  });

  it.each(['', '{', '[]', 'null', '{"policy":{"version":1,"rules":[]}}'])(
    'is bad where it is not what we wrote: %s',
    async (text) => {
      write('config/policy.yaml', ALLOW);
      await loadPolicy(where);
      const folder = path.join(where.stateFolder, 'policy');
      for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), text);
      expect(readCompiled(where)).toMatchObject({
        state: 'bad',
        policy: { defaults: { main: 'ask' }, onError: 'ask' },
      });
      expect(decisions()).toEqual(['user:bad ask']);
      await loadPolicy(where);
      expect(state()).toBe('current');
    },
  );

  it('is bad when a rule in it has no decision that we know', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    const folder = path.join(where.stateFolder, 'policy');
    const [name = ''] = readdirSync(folder);
    const file = path.join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"decision":"deny"', '"decision":"maybe"'));
    expect(readCompiled(where)).toMatchObject({ state: 'bad', policy: { onError: 'ask' } });
  });

  it('of a broken file can be used by a hook', async () => {
    write('app/.troupe/policy.yaml', 'version: 1\nrules: [{ decision: deny, tool: Edit }]\n');
    const { problems } = await loadPolicy(where);
    expect(problems).toMatchObject([{ line: 2, column: 27 }]);
    expect(state()).toBe('current');
    expect(decisions()).toEqual(['project:error ask']);
  });

  it('of what cannot be read asks', async () => {
    mkdirSync(path.join(where.configFolder, 'policy.yaml'));
    await promisify(execFile)('mkfifo', [path.join(home, 'app/.troupe/policy.yaml')]);
    const { problems } = await loadPolicy(where);
    expect(problems.map(({ message }) => message)).toEqual([
      'This is a folder, not a regular file.',
      'This is a FIFO, not a regular file.',
    ]);
    expect(decisions()).toEqual(['project:error ask', 'user:error ask']);
  });

  it.skipIf(process.getuid?.() === 0)('of what we may not read asks', async () => {
    write('config/policy.yaml', ALLOW);
    chmodSync(path.join(where.configFolder, 'policy.yaml'), 0);
    expect((await loadPolicy(where)).problems).toMatchObject([{ message: 'The file cannot be read (EACCES).' }]);
    expect(decisions()).toEqual(['user:error ask']);
  });

  it('is applied also when it cannot be stored', async () => {
    write('config/policy.yaml', DENY);
    write('state', 'a file where the folder should be');
    const { policy, unkept } = await loadPolicy(where);
    expect(policy.rules).toMatchObject([{ decision: 'deny' }]);
    expect(unkept).toBeInstanceOf(Error);
  });

  it('takes the user policy for one even when a project holds it', async () => {
    write('app/.troupe/policy.yaml', ALLOW);
    const { policy, problems } = await loadPolicy({ ...where, configFolder: path.join(home, 'app/.troupe') });
    expect(problems).toEqual([]);
    expect(policy.rules).toMatchObject([{ scope: 'user', decision: 'allow' }]);
  });

  it('knows a project by both of its paths', async () => {
    mkdirSync(path.join(home, 'disk/work'), { recursive: true });
    symlinkSync(path.join(home, 'disk/work'), path.join(home, 'work'));
    write('config/policy.yaml', 'version: 1\nrules: [{ decision: deny, agents: { project: ~/work/** } }]\n');
    const { policy } = await loadPolicy(where);
    expect(policy.rules[0]?.agents?.project).toHaveLength(2);
    expect(policy.rules[0]?.agents?.project?.map((folder) => path.relative(home, folder))).toEqual(
      expect.arrayContaining(['work/**', 'disk/work/**']),
    );
  });

  it('is whole at any moment, while many write it and the file changes', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    const seen = new Set<string>();
    let isDone = false;
    const look = async (): Promise<void> => {
      while (!isDone) {
        seen.add(state());
        await new Promise(setImmediate);
      }
    };
    const looking = look();
    for (let round = 0; round < 30; round++) {
      write('config/policy.yaml', `${DENY}# ${round}\n`);
      await Promise.all([loadPolicy(where), loadPolicy(where), loadPolicy(where)]);
    }
    isDone = true;
    await looking;
    expect([...seen].filter((one) => one !== 'current' && one !== 'stale')).toEqual([]);
    await loadPolicy(where);
    expect(state()).toBe('current');
    const folder = path.join(where.stateFolder, 'policy');
    const [compiled = '', ...others] = readdirSync(folder);
    expect(others).toEqual(['user.on-error']);
    expect(JSON.parse(readFileSync(path.join(folder, compiled), 'utf8'))).toMatchObject({
      policy: { rules: [{ decision: 'deny' }] },
    });
  });
});
