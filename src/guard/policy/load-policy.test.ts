import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { loadPolicy } from './load-policy.ts';
import type { CompiledPolicyFolders } from './sources.ts';

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
const decisions = async (): Promise<readonly string[]> =>
  (await loadPolicy(where)).policy.rules.map(({ id, decision }) => `${id} ${decision}`);

describe('the policy of a project', () => {
  it('is empty and not stored when there is no file', async () => {
    expect(await loadPolicy(where)).toMatchObject({ files: [], problems: [], policy: { rules: [], onError: 'none' } });
    expect(readdirSync(home)).not.toContain('state');
  });

  it('is of the person, of the project and of the person in it', async () => {
    write('config/policy.yaml', ALLOW);
    write('app/.troupe/policy.yaml', DENY);
    write('app/.troupe/policy.local.yaml', 'version: 1\nrules: [{ decision: ask }]\n');
    const { policy, files } = await loadPolicy(where);
    expect(files.map(({ scope }) => scope)).toEqual(['user', 'project', 'local']);
    expect(policy.rules.map(({ id }) => id)).toEqual(['user:1', 'project:1', 'local:1']);
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

  it('is compiled from its files each time, and nothing of it is kept but what on_error says', async () => {
    write('config/policy.yaml', DENY);
    await loadPolicy(where);
    const folder = path.join(where.stateFolder, 'policy');
    expect(readdirSync(folder)).toEqual(['user.on-error']);
    // What a version before 0.2 kept there, and believed.
    write('state/policy/1.abc.json', '{}');
    write('state/policy/1.abc.json.on-error', 'none\n/\n');
    expect((await loadPolicy(where)).policy.rules).toMatchObject([{ decision: 'deny' }]);
    expect(readdirSync(folder)).toEqual(['user.on-error']);
  });

  it('is that of another text of the same length with the same time', async () => {
    const file = path.join(where.configFolder, 'policy.yaml');
    write('config/policy.yaml', DENY);
    const { mtime } = statSync(file);
    await loadPolicy(where);
    write('config/policy.yaml', DENY.replace('Write', 'Other'));
    utimesSync(file, mtime, mtime);
    expect((await loadPolicy(where)).policy.rules[0]?.tools[0]?.tool).toBe('Other');
  });

  it('of a broken file can be used by a hook', async () => {
    write('app/.troupe/policy.yaml', 'version: 1\nrules: [{ decision: deny, tool: Edit }]\n');
    expect((await loadPolicy(where)).problems).toMatchObject([{ line: 2, column: 27 }]);
    expect(await decisions()).toEqual(['project:error ask']);
  });

  it('of what cannot be read asks', async () => {
    mkdirSync(path.join(where.configFolder, 'policy.yaml'));
    await promisify(execFile)('mkfifo', [path.join(home, 'app/.troupe/policy.yaml')]);
    const { problems } = await loadPolicy(where);
    expect(problems.map(({ message }) => message)).toEqual([
      'This is a folder, not a regular file.',
      'This is a FIFO, not a regular file.',
    ]);
    expect(await decisions()).toEqual(['project:error ask', 'user:error ask']);
  });

  it.skipIf(process.getuid?.() === 0)('of what we may not read asks', async () => {
    write('config/policy.yaml', ALLOW);
    chmodSync(path.join(where.configFolder, 'policy.yaml'), 0);
    expect((await loadPolicy(where)).problems).toMatchObject([{ message: 'The file cannot be read (EACCES).' }]);
    expect(await decisions()).toEqual(['user:error ask']);
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
});
