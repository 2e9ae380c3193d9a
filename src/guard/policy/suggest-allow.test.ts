import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../../lib/testing/seed.ts';
import { decide } from '../decide.ts';
import { type Part, partsOf } from '../match/tool-pattern.ts';
import type { GuardedAgent, GuardedCall, Policy } from '../policy.ts';
import { bash, main, makeCall, policy, rule, task } from '../testing/make-call.ts';
import { calls, policies } from '../testing/random-calls.ts';
import { compilePolicy } from './compile.ts';
import { suggestAllow } from './explain-call.ts';
import { options, source } from './testing/sources.ts';

const numRuns = runsOf(3_000);
const explorer = { agent: task('Explore'), ancestors: [main] };
const FILE = '/home/dev/.config/troupe/policy.yaml';

/** With the rule as a person would paste it. */
function withRule({ rules, ...rest }: Policy, yaml: string): Policy {
  const text = `version: 1\nrules:\n${yaml.replace(/(?<=^|\n)(?=.)/g, '  ')}`;
  const { policy, problems } = compilePolicy(options(source('user', text)));
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { ...rest, rules: [...rules, ...policy.rules] };
}

/** A pattern is for a command however it is run, and for a file whatever tool reads it, or writes it. */
function isNamed(part: Part, known: Part): boolean {
  if (part.kind === 'command') return known.kind === 'command' && part.command.form === known.command.form;
  if ((part.kind === 'read' || part.kind === 'write') && part.kind === known.kind)
    return part.used.path === known.used.path || part.used.path.startsWith(`${known.used.path}/`);
  return part.kind === known.kind;
}

/** It needs nothing that the call needs, too: of `a; b`, allowing `a` may be all that was missing. */
function differs(other: GuardedCall, call: GuardedCall): boolean {
  const known = partsOf(call);
  return partsOf(other).every(({ part, needsAllow }) => !needsAllow || !known.some((one) => isNamed(part, one.part)));
}

/** Pieces of names that shells, patterns, paths or YAML read in a way of their own. */
const HARD_PIECES = [
  ...['a', 'b', 'A', ' ', '  ', '\t', '\n', '\r', '\u00a0', '\u2003', '\u2028', '\u3000', '\ufeff', '\u200b', '\0'],
  ...['*', '**', '?', '[', ']', '[a]', '[!a]', '{a,b}', '"', "'", '\\', '`', '$', '$x', '(', ')', ':', ':*', ' *', '#'],
  ...['.', '..', '/', '//', './', '../', '~', '~/', '-', '--', '!', '&', '|', ';', '<', '>', '%', '@', ',', '=', '^'],
  ...['\u0007', '\u0085', '\u202e', '\ue000', '\ue004', '\ue010', '\ufffd', '\ud800', 'é', 'e\u0301', '😀'],
  ...['null', 'true', '1', '/p', '/home/dev', '/**', '*/', 'x'.repeat(990)],
];
const hardNames = fc.array(fc.constantFrom(...HARD_PIECES), { maxLength: 5 }).map((pieces) => pieces.join(''));

/** Names that a pattern for this one could be mistaken for. */
function lookAlikes(name: string): readonly string[] {
  return [
    ...[
      name.trim(),
      `${name} `,
      ` ${name}`,
      `${name}x`,
      `x${name}`,
      `${name}/x`,
      name.slice(0, -1),
      '',
      ' ',
      '.',
      'src/a',
    ],
    ...[name.replace(/\s/g, ' '), name.replace(/\s+/g, ''), name.replaceAll('\\', ''), name.replace(/["']/g, '')],
    ...[
      name.replace(/[*?[\]]+/g, 'x'),
      name.replaceAll('*', 'a b'),
      name.replace(/\[(.)\]/g, '$1'),
      name.toUpperCase(),
    ],
    ...[
      name.normalize('NFC'),
      name.normalize('NFD'),
      name.replace(/[\ud800-\udfff]/g, '\ufffd'),
      name.replace(/[\ue000-\ue04f]/g, 'x'),
    ],
  ];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const RM = (name: string) => bash(`rm ${quoted(name)}`);
const NAMING: readonly ((name: string) => GuardedCall)[] = [
  RM,
  (name) => bash(`> ${quoted(name)}`),
  (name) => bash(`ls >> ${quoted(`out/${name}`)}`),
  (name) => bash(`git commit -m ${quoted(name)} file`),
  (name) => bash(`${quoted(name)} x`),
  (name) => makeCall('Edit', { file_path: name }),
  (name) => makeCall('Write', { file_path: `/etc/${name}` }),
  (name) => makeCall('Write', { file_path: `~/${name}` }),
  (name) => makeCall('Edit', { file_paths: ['src/a', name] }),
  (name) => makeCall('NotebookEdit', { notebook_path: `deep/${name}` }),
  (name) => makeCall('Read', { file_path: name }),
  (name) => makeCall('WebFetch', { url: `https://${name}/x` }),
  (name) => makeCall('Agent', { subagent_type: name }),
  (name) => makeCall('Skill', { skill: name }),
  (name) => makeCall(name, {}),
  (name) => makeCall(`mcp__${name}`, {}),
  (name) => bash('ls', { agent: task(name), ancestors: [main] }),
  (name) => bash('ls', { agent: { ...task(''), type: null, name }, ancestors: [main] }),
  (name) => bash('ls > a', { project: `/p${name}` }),
];

const USES_TOLD: ReadonlySet<string> = new Set(['Bash', 'WebFetch']);

/** As far as a rule is meant to tell calls apart: a file and what is below it are one. */
function isCoveredBy(other: GuardedCall, call: GuardedCall): boolean {
  const isBelow = (one: string, known: string) => one === known || one.startsWith(`${known}/`);
  const files = ({ uses }: GuardedCall) => [...uses.reads, ...uses.writes].map(({ path }) => path);
  const wordsOf = ({ uses }: GuardedCall) => JSON.stringify(uses.commands.map(({ words }) => words));
  const hostsOf = ({ uses }: GuardedCall) => JSON.stringify(uses.hosts.map((host) => host.replace(/\.$/, '')));
  return (
    other.tool === call.tool &&
    JSON.stringify([other.agent, other.project]) === JSON.stringify([call.agent, call.project]) &&
    wordsOf(other) === wordsOf(call) &&
    hostsOf(other) === hostsOf(call) &&
    (files(other).length > 0 ||
      USES_TOLD.has(call.tool) ||
      JSON.stringify(other.input) === JSON.stringify(call.input)) &&
    files(other).every((one) => files(call).some((known) => isBelow(one, known)))
  );
}

describe('the rule that would allow exactly this', () => {
  it('allows no call with another name, however it looks', () => {
    const asking = policy([], 'ask');
    fc.assert(
      fc.property(fc.constantFrom(...NAMING), hardNames, hardNames, (naming, name, another) => {
        const call = naming(name);
        const { yaml, reason } = suggestAllow(asking, call, FILE);
        expect(yaml === null).toBe(reason !== null);
        if (yaml === null) return;
        const allowing = withRule(asking, yaml);
        expect(decide(allowing, call).decision).toBe('allow');
        for (const other of [another, ...lookAlikes(name)].map(naming))
          if (!isCoveredBy(other, call)) expect([other, decide(allowing, other).decision]).toEqual([other, 'ask']);
      }),
      // Seed 1005: `Bash(rm " ")` allowed `rm` of a no-break space, too.
      { numRuns, examples: [[RM, ' ', '\u00a0']] },
    );
  });

  it.each<[string, GuardedCall, string]>([
    ['a file called " "', bash('>\\ '), 'ends with a blank'],
    ['a file that ends with a blank, in a folder', bash("> 'out/ '"), 'ends with a blank'],
    ['a file that ends with a no-break space', makeCall('Edit', { file_path: 'a\u00a0' }), 'ends with a blank'],
    ['a file that ends with a line break', makeCall('Write', { file_path: 'a\n' }), 'ends with a blank'],
    ['a file with a line break', makeCall('Write', { file_path: 'a\nb' }), 'characters that a policy file cannot hold'],
    ['a file with a name too long', bash(`> ${'x'.repeat(2_000)}`), 'too long'],
    ['the root folder', bash('> /'), '/ is a folder'],
    ['the project itself', bash('> .'), '/p is a folder'],
    ['the folder above', makeCall('Edit', { file_path: '..' }), '/ is a folder'],
    ['the home folder', makeCall('Read', { file_path: '~' }), '/home/dev is a folder'],
    ['a folder by its slash', makeCall('Edit', { file_path: 'src/' }), '/p/src is a folder'],
    ['a folder by its dot', bash('> src/.'), '/p/src is a folder'],
    ['no file', makeCall('Edit', { file_path: '' }), 'which file is not said'],
    ['a file in a folder that is not known', bash('cd "$x" && > a'), 'only known when it runs'],
    ['a host with a star', makeCall('WebFetch', { url: 'https://*.com/' }), 'a `*` in it'],
    ['a tool with a star', makeCall('mcp__x__*', {}), 'no part of it has a name'],
    ['a tool with the name of a server', makeCall('mcp__x', {}), 'no part of it has a name'],
    ['a project with a star', bash('ls', { project: '/p*' }), "project's folder has a `*`"],
    ['a project that is not known', bash('ls', { project: null }), 'project is not known'],
  ])('suggests none and says why for %s', (_, call, reason) => {
    expect(suggestAllow(policy([], 'ask'), call, FILE)).toMatchObject({
      yaml: null,
      note: null,
      reason: expect.stringContaining(reason),
    });
  });

  it.each<[GuardedCall, string]>([
    [bash('> " a"'), 'Edit(/ a)'],
    [bash("> 'a*[b]?\\c'"), 'Edit(/a\\*\\[b\\]\\?\\\\c)'],
    [bash("> 'a\"b'"), 'Edit(/a"b)'],
    [makeCall('Edit', { file_path: 'a (1).ts' }), 'Edit(/a (1).ts)'],
    [bash('rm "a  b"'), 'Bash(rm "a  b")'],
    [bash(`git commit -m "it's"`), `Bash(git commit -m "it's")`],
    [bash(`echo 'say "hi"'`), `Bash(echo 'say "hi"')`],
    [bash(`echo "it's \\"x\\""`), `Bash(echo "it's "'"x"')`],
    [bash("rm '*'"), "Bash(rm $'\\x2a')"],
    [bash("rm 'a\nb'"), "Bash(rm $'a\\nb')"],
    [bash("rm 'a\t\u00a0\u3000'"), "Bash(rm $'a\\t\\xa0\\u3000')"],
    [bash(`git commit -m "it's\n\\\\n *"`), "Bash(git commit -m $'it\\'s\\n\\\\n \\x2a')"],
    [bash('ls', { project: '/' }), 'Bash(ls)'],
  ])('writes names that look hard as they are: %#', (call, pattern) => {
    const { yaml, note } = suggestAllow(policy([], 'ask'), call, FILE);
    expect(withRule(policy([]), yaml ?? '').rules[0]?.tools.map(({ text }) => text)).toEqual([pattern]);
    expect(note).toBeNull();
  });

  it('allows the call once the rules that block it are gone, and changes nothing for others', () => {
    fc.assert(
      fc.property(policies, calls, calls, (given, call, another) => {
        if (!['deny', 'ask'].includes(decide(given, call).decision)) return;
        const { yaml, reason, stands, note, file } = suggestAllow(given, call, FILE);
        expect(yaml === null).toBe(reason !== null);
        if (yaml === null) return;
        expect(file).toBe(FILE);
        const left = { ...given, rules: given.rules.filter(({ id }) => stands.every((one) => one.id !== id)) };
        expect(decide(withRule(left, yaml), call).decision).toBe('allow');
        // As long as they stand, it is not allowed.
        if (stands.length > 0) expect(decide(withRule(given, yaml), call).decision).not.toBe('allow');
        const others: GuardedCall[] = [
          {
            ...call,
            agent: call.agent?.kind === 'main' ? task('other') : { ...(call.agent as GuardedAgent), type: 'other' },
          },
          { ...call, agent: null, ancestors: [] },
          { ...call, project: '/elsewhere' },
          ...(note === null && differs(another, call) ? [another] : []),
        ];
        for (const other of others) expect(decide(withRule(given, yaml), other)).toMatchObject(outcomeOf(given, other));
      }),
      {
        numRuns,
        examples: [
          // Seed 1274900597: `Edit(/ )` was read as `Edit(/)`.
          [
            policy([], { main: 'allow', subagent: 'ask', unknown: 'allow' }),
            bash('>\\ ', explorer),
            makeCall('NotebookEdit', { notebook_path: 'src/a' }, explorer),
          ],
        ],
      },
    );
  });

  it('names all that an agent above may not do, not only the command', () => {
    const noEdits = policy([rule('deny', ['Edit', 'Read(.env)', 'WebFetch'], { agents: { type: ['planner'] } })]);
    const coder = { agent: task('coder', 2), ancestors: [main, task('planner')] };
    const allowed = (call: GuardedCall) => {
      const { yaml, stands } = suggestAllow(noEdits, call, FILE);
      expect(stands).toEqual([]);
      expect(decide(withRule(noEdits, yaml ?? ''), call).decision).toBe('allow');
      return yaml;
    };
    expect(allowed(bash('rm -rf build', coder))).toContain('Edit(/build/**)');
    expect(allowed(bash('cp a b > log', coder))).toContain('despite_ancestors: true');
    expect(allowed(bash('cat .env', coder))).toContain('Read(/.env)');
    expect(allowed(bash('curl https://example.com/x', coder))).toContain('WebFetch(domain:example.com)');
    expect(allowed(makeCall('Edit', { file_path: 'src/a.ts' }, coder))).toContain('Edit(/src/a.ts)');
    expect(suggestAllow(noEdits, bash('curl "https://$x"', coder), FILE).yaml).toBeNull();
  });

  it('says which rules no allow gets past, and that a project cannot be loosened', () => {
    const own = policy([rule('deny', 'Bash(rm:*)', { name: 'no rm' }), rule('ask', 'Edit')]);
    expect(suggestAllow(own, bash('rm x'), FILE).stands.map(({ name }) => name)).toEqual(['no rm', null]);
    const ofProject = policy([rule('ask', 'Bash(rm:*)', { scope: 'project', name: 'theirs' })]);
    expect(suggestAllow(ofProject, bash('rm x'), FILE)).toMatchObject({
      yaml: null,
      file: null,
      reason: expect.stringContaining('has to be changed there'),
      stands: [{ name: 'theirs' }],
    });
  });

  it('says when it would allow more, and when the agent cannot be named', () => {
    const asking = policy([], 'ask');
    expect(suggestAllow(asking, bash('npm test'), FILE).note).toBeNull();
    expect(suggestAllow(asking, bash('cat $x'), FILE).note).toContain('Other calls fit it');
    expect(suggestAllow(asking, makeCall('mcp__x__y', {}), FILE).note).toContain('Other calls fit it');
    const untyped: GuardedAgent = { kind: 'task', type: null, name: null, depth: 1 };
    expect(suggestAllow(asking, bash('ls', { agent: untyped, ancestors: [main] }), FILE).reason).toContain(
      'type is not known',
    );
    const named = suggestAllow(asking, bash('ls', { agent: { ...untyped, name: 'ann' }, ancestors: [main] }), FILE);
    expect(named.yaml).toContain('name: ann');
    expect(suggestAllow(asking, bash('ls', { agent: null, ancestors: [] }), FILE).reason).toContain('Nobody knows who');
  });
});

function outcomeOf(given: Policy, call: GuardedCall) {
  const { decision, rule: won } = decide(given, call);
  return { decision, rule: won };
}
