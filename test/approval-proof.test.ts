import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../src/core/index.ts';
import { signApproval, unlockKey } from '../src/guard/index.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { type HeldCalls, prepareHeldCalls, RECORDING, writePassphrase } from './testing/held-calls.ts';
import { createProgramHome, type ProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo, type ServerAccess } from './testing/server-access.ts';
import { hasTerminal, openTerminal } from './testing/terminal.ts';

// With hands-off-the-guard, a call can be allowed only with the passphrase. The attacker has everything that a process of the same user
// can read: the credentials in the state folder, a browser's cookie, and no coding agent above it.

const PASSPHRASE = 'correct horse battery staple';

let program: ProgramHome;
let calls: HeldCalls;
let server: RunningProgram;
let access: ServerAccess;
beforeEach(async () => {
  program = createProgramHome(RECORDING);
  calls = await prepareHeldCalls(program);
  calls.setPolicy('10m', 'deny', 'presets: [hands-off-the-guard]\n');
});
afterEach(() => program.end());

const inState = (name: string): string => path.join(program.state, name);

async function serve(): Promise<void> {
  server = program.start(['--no-open', '--json']);
  await until(() => server.out().trimEnd().endsWith('}'), 'the address of the server');
  access = accessTo(program.state);
}

async function stop(): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
}

const setPassphrase = (passphrase = PASSPHRASE) => writePassphrase(program.state, passphrase);

const openAsk = (): Promise<ApprovalRequest> =>
  until(async () => {
    const { asks } = await (await fetch(`${access.origin}/api/asks`, { headers: access.headers })).json();
    return (asks as readonly ApprovalRequest[]).find(({ end }) => end === null);
  }, 'an open approval');

async function post(route: string, body: object, headers: Readonly<Record<string, string>> = access.headers) {
  const response = await fetch(`${access.origin}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = await response.json();
  return { status: response.status, code: json.error?.code, json };
}

const allow = (id: string, headers?: Readonly<Record<string, string>>, more = {}) =>
  post(`/api/asks/${id}`, { answer: 'allow', ...more }, headers);

const ALARM = { status: 403, code: 'passphrase-alarm' };

describe('without a passphrase', () => {
  it('refuses to allow a call with any credential, and takes a denial', async () => {
    await serve();
    const hook = calls.push();
    const { id } = await openAsk();
    const browser = await access.logIn();
    const keys = Object.values(access.keys).map((key) => ({ authorization: `Bearer ${key}` }));
    for (const headers of [access.headers, browser, ...keys])
      expect(await allow(id, headers, { by: 'telegram:42 @boss', proof: 'x'.repeat(86) })).toMatchObject({
        status: 403,
        code: 'passphrase-not-set',
      });
    expect((await openAsk()).id).toBe(id);
    expect((await program.run(['guard', 'answer', id, 'allow'])).errors).toContain('troupe server passphrase');
    expect((await program.run(['guard', 'answer', id, 'deny'])).code).toBe(0);
    expect((await hook.ended).said.permissionDecision).toBe('deny');
  });

  it.runIf(process.platform === 'linux')('refuses a detached process with an empty environment', async () => {
    await serve();
    const hook = calls.push();
    const { id } = await openAsk();
    const script = path.join(program.home, 'attack.mjs');
    const out = path.join(program.home, 'attack.out');
    writeFileSync(
      script,
      `import { readFileSync, writeFileSync, renameSync } from 'node:fs';
const { port, token, keys } = JSON.parse(readFileSync(${JSON.stringify(inState('daemon.json'))}, 'utf8'));
const origin = 'http://127.0.0.1:' + port;
const send = async (route, body, headers) => fetch(origin + route, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
const { path } = await (await send('/api/login', {}, { authorization: 'Bearer ' + keys.cli })).json();
const cookie = (await fetch(origin + path, { redirect: 'manual' })).headers.get('set-cookie').split(';')[0];
const answers = [];
for (const headers of [{ cookie }, ...[token, ...Object.values(keys)].map((one) => ({ authorization: 'Bearer ' + one }))])
  answers.push((await send('/api/asks/${id}', { answer: 'allow', by: 'telegram:1' }, headers)).status);
writeFileSync('${out}.draft', JSON.stringify({ answers, cookie: cookie.length }));
renameSync('${out}.draft', '${out}');
`,
    );
    spawnSync('setsid', ['env', '-i', 'sh', '-c', `('${process.execPath}' '${script}' &) &`]);
    await until(() => existsSync(out), 'the answers to the attack');
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ answers: [403, 403, 403, 403, 403] });
    expect((await openAsk()).id).toBe(id);
    hook.child.kill();
    await hook.ended;
  });
});

describe('with a passphrase', () => {
  it('pairs a browser, which may then allow, also after a restart, until it is revoked', async () => {
    await setPassphrase();
    await serve();
    const browser = await access.logIn();
    expect(await post('/api/pairing', { passphrase: PASSPHRASE, name: 'x' })).toMatchObject({ code: 'only-browsers' });
    const foreign = { ...browser, origin: 'http://127.0.0.1:1' };
    expect(await post('/api/pairing', { passphrase: PASSPHRASE, name: 'x' }, foreign)).toMatchObject({ status: 403 });
    const { json: paired } = await post('/api/pairing', { passphrase: PASSPHRASE, name: 'Firefox' }, browser);
    for (const name of ['paired-browsers.json', 'approval-key.json', 'address.json', 'daemon.json']) {
      expect(readFileSync(inState(name), 'utf8')).not.toContain(paired.secret);
      expect(readFileSync(inState(name), 'utf8')).not.toContain(PASSPHRASE);
      expect(statSync(inState(name)).mode & 0o077).toBe(0);
    }
    const headers = { ...browser, 'x-troupe-pairing': paired.secret };

    const first = calls.push();
    const { id } = await openAsk();
    expect(await allow(id, browser)).toMatchObject({ status: 403, code: 'proof-needed' });
    // The secret alone, without the cookie of the same browser, is not enough either.
    expect(await allow(id, { ...access.headers, 'x-troupe-pairing': paired.secret })).toMatchObject({ status: 403 });
    expect(await allow(id, headers)).toMatchObject({ status: 200 });
    expect((await first.ended).said.permissionDecision).toBe('allow');

    await stop();
    await serve();
    const second = calls.push();
    expect(await allow((await openAsk()).id, headers)).toMatchObject({ status: 200 });
    expect((await second.ended).said.permissionDecision).toBe('allow');

    const { browsers } = JSON.parse((await program.run(['server', 'browsers', '--json'])).out);
    expect(browsers).toMatchObject([{ name: 'Firefox' }]);
    expect((await program.run(['server', 'browsers', '--revoke', browsers[0].id])).code).toBe(0);
    const third = calls.push();
    expect(await allow((await openAsk()).id, headers)).toMatchObject({ status: 403, code: 'proof-needed' });
    third.child.kill();
    await third.ended;
  });

  it('believes no pairing that the passphrase has not signed', async () => {
    await setPassphrase();
    await serve();
    const browser = await access.logIn();
    await post('/api/pairing', { passphrase: PASSPHRASE, name: 'Firefox' }, browser);
    const kept = JSON.parse(readFileSync(inState('paired-browsers.json'), 'utf8'));
    const digest = createHash('sha256').update('forged').digest('base64url');
    writeFileSync(inState('paired-browsers.json'), JSON.stringify({ browsers: [{ ...kept.browsers[0], digest }] }));
    const hook = calls.push();
    expect(await allow((await openAsk()).id, { ...browser, 'x-troupe-pairing': 'forged' })).toMatchObject({
      status: 403,
    });
    hook.child.kill();
    await hook.ended;
  });

  it('believes no copy of a pairing that was ended', async () => {
    await setPassphrase();
    await serve();
    const browser = await access.logIn();
    const { json: paired } = await post('/api/pairing', { passphrase: PASSPHRASE, name: 'Firefox' }, browser);
    const copy = readFileSync(inState('paired-browsers.json'));
    const { browsers } = JSON.parse((await program.run(['server', 'browsers', '--json'])).out);
    expect((await program.run(['server', 'browsers', '--revoke', browsers[0].id])).code).toBe(0);
    const pairing = async () => (await fetch(`${access.origin}/api/pairing`, { headers: access.headers })).json();
    expect(await pairing()).toMatchObject({ browsers: [] });
    writeFileSync(inState('paired-browsers.json'), copy);
    const hook = calls.push();
    const headers = { ...browser, 'x-troupe-pairing': paired.secret };
    expect(await allow((await openAsk()).id, headers)).toMatchObject({ status: 403, code: 'proof-needed' });
    hook.child.kill();
    await hook.ended;
  });

  it.runIf(process.platform === 'linux')(
    'gives a detached process with an empty environment nothing to allow with',
    async () => {
      await setPassphrase();
      await serve();
      const browser = await access.logIn();
      const { json: paired } = await post('/api/pairing', { passphrase: PASSPHRASE, name: 'Firefox' }, browser);
      const [key, kept] = ['approval-key.json', 'paired-browsers.json'].map((name) =>
        readFileSync(inState(name), 'utf8'),
      );
      const hook = calls.push();
      const { id } = await openAsk();
      const script = path.join(program.home, 'attack.mjs');
      const out = path.join(program.home, 'attack.out');
      writeFileSync(
        script,
        `import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
const { port, token, keys } = JSON.parse(readFileSync(${JSON.stringify(inState('daemon.json'))}, 'utf8'));
const origin = 'http://127.0.0.1:' + port;
const send = async (route, body, headers) => (await fetch(origin + route, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })).status;
const { path } = await (await fetch(origin + '/api/login', { method: 'POST', body: '{}', headers: { authorization: 'Bearer ' + keys.cli, 'content-type': 'application/json' } })).json();
const cookie = (await fetch(origin + path, { redirect: 'manual' })).headers.get('set-cookie').split(';')[0];
const every = [{ cookie }, { cookie, origin }, ...[token, ...Object.values(keys)].map((one) => ({ authorization: 'Bearer ' + one }))];
const file = ${JSON.stringify(inState('paired-browsers.json'))};
const state = JSON.parse(readFileSync(file, 'utf8'));
const answers = [];
for (const headers of every) {
  answers.push(await send('/api/pairing', { passphrase: '', name: 'x' }, headers));
  answers.push(await send('/api/pairing', { passphrase: state.browsers[0].signature, name: 'x' }, headers));
  for (const secret of [state.browsers[0].digest, state.browsers[0].id, state.browsers[0].signature, ''])
    answers.push(await send('/api/asks/${id}', { answer: 'allow' }, { ...headers, 'x-troupe-pairing': secret }));
}
const secret = randomBytes(32).toString('base64url');
const digest = createHash('sha256').update(secret).digest('base64url');
for (const change of [{ digest }, { digest, id: 'abc' }, { digest, expiresAt: '2999-01-01T00:00:00.000Z' }]) {
  writeFileSync(file, JSON.stringify({ browsers: [...state.browsers, { ...state.browsers[0], ...change }] }));
  answers.push(await send('/api/asks/${id}', { answer: 'allow' }, { cookie, 'x-troupe-pairing': secret }));
}
writeFileSync(file, JSON.stringify(state));
const troupe = (...args) => spawnSync(process.execPath, [${JSON.stringify(path.resolve('dist/troupe.js'))}, ...args], { input: 'x\\nx\\nx\\n', env: { HOME: ${JSON.stringify(program.home)} } }).status;
const codes = [troupe('server', 'passphrase'), troupe('guard', 'answer', '${id}', 'allow')];
writeFileSync('${out}.draft', JSON.stringify({ answers, codes }));
renameSync('${out}.draft', '${out}');
`,
      );
      spawnSync('setsid', ['env', '-i', 'sh', '-c', `('${process.execPath}' '${script}' > '${out}.log' 2>&1 &) &`]);
      await until(() => existsSync(out), 'the answers to the attack');
      const { answers, codes } = JSON.parse(readFileSync(out, 'utf8'));
      expect(answers.length).toBeGreaterThan(20);
      expect(answers.filter((status: number) => status < 400)).toEqual([]);
      expect(codes).toEqual([2, 2]);
      expect(readFileSync(inState('approval-key.json'), 'utf8')).toBe(key);
      expect(JSON.parse(readFileSync(inState('paired-browsers.json'), 'utf8'))).toEqual(JSON.parse(kept ?? ''));
      expect((await openAsk()).id).toBe(id);
      expect(await allow(id, { ...browser, 'x-troupe-pairing': paired.secret })).toMatchObject({ status: 200 });
      expect((await hook.ended).said.permissionDecision).toBe('allow');
    },
  );

  it('takes a signature of the very call, and of no other', async () => {
    const key = await setPassphrase();
    const secret = await unlockKey(PASSPHRASE, key);
    if (!secret) throw new Error('the passphrase does not fit');
    await serve();
    const hook = calls.push();
    const ask = await openAsk();
    const others = [
      { ...ask, id: 'f'.repeat(32) },
      { ...ask, input: { command: 'ls' } },
    ];
    for (const other of others)
      expect(await allow(ask.id, access.headers, { proof: signApproval(secret, other) })).toMatchObject({
        status: 403,
      });
    const proof = signApproval(secret, ask);
    expect(await allow(ask.id, { authorization: `Bearer ${access.keys.cli}` }, { proof })).toMatchObject({
      status: 200,
    });
    expect((await hook.ended).said.permissionDecision).toBe('allow');
    const again = calls.push();
    const next = await openAsk();
    expect(await allow(next.id, access.headers, { proof })).toMatchObject({ status: 403 });
    again.child.kill();
    await again.ended;
  });

  it('makes guessing slow, also after a restart', async () => {
    await setPassphrase();
    await serve();
    let browser = await access.logIn();
    const guess = (passphrase: string) => post('/api/pairing', { passphrase, name: 'x' }, browser);
    for (let tries = 0; tries < 3; tries++)
      expect(await guess(`wrong ${tries}`)).toMatchObject({ code: 'wrong-passphrase' });
    expect(await guess(PASSPHRASE)).toMatchObject({ status: 429, code: 'too-many-tries' });
    await stop();
    // After more wrong ones the wait outlasts a slow start.
    const tries = JSON.parse(readFileSync(inState('passphrase-tries.json'), 'utf8'));
    expect(tries.wrong).toBe(3);
    writeFileSync(inState('passphrase-tries.json'), JSON.stringify({ ...tries, wrong: 8 }));
    await serve();
    browser = await access.logIn();
    expect(await guess(PASSPHRASE)).toMatchObject({ status: 429 });
    writeFileSync(inState('passphrase-tries.json'), JSON.stringify({ wrong: 8, at: 0 }));
    await stop();
    await serve();
    browser = await access.logIn();
    expect(await guess(PASSPHRASE)).toMatchObject({ status: 200 });
    expect(await guess(PASSPHRASE)).toMatchObject({ status: 200 });
  });

  it('handles one guess at a time', async () => {
    await setPassphrase();
    await serve();
    const browser = await access.logIn();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => post('/api/pairing', { passphrase: PASSPHRASE, name: 'x' }, browser)),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(4);
  });
});

describe('an alarm', () => {
  const attacks: readonly (readonly [string, () => unknown])[] = [
    ['is removed', () => rmSync(inState('approval-key.json'))],
    ['is emptied', () => writeFileSync(inState('approval-key.json'), '')],
    ['is replaced', () => setPassphrase('the passphrase of an agent')],
    [
      'becomes a link',
      async () => {
        await setPassphrase('the passphrase of an agent');
        const elsewhere = path.join(program.home, 'elsewhere.json');
        writeFileSync(elsewhere, readFileSync(inState('approval-key.json')));
        rmSync(inState('approval-key.json'));
        symlinkSync(elsewhere, inState('approval-key.json'));
      },
    ],
  ];
  it.each(attacks)(
    'is raised when the file of the passphrase %s, at once and after a restart',
    async (_how, attack) => {
      await setPassphrase();
      await serve();
      const browser = await access.logIn();
      const { json: paired } = await post('/api/pairing', { passphrase: PASSPHRASE, name: 'Firefox' }, browser);
      await attack();
      await until(() => server.errors().includes('ALARM'), 'the alarm');
      const hook = calls.push();
      const { id } = await openAsk();
      const headers = { ...browser, 'x-troupe-pairing': paired.secret };
      expect(await allow(id, headers)).toMatchObject(ALARM);
      expect(
        await post('/api/pairing', { passphrase: 'the passphrase of an agent', name: 'x' }, browser),
      ).toMatchObject(ALARM);
      hook.child.kill();
      await hook.ended;
      await stop();
      await serve();
      expect(await post('/api/pairing', { passphrase: PASSPHRASE, name: 'x' }, browser)).toMatchObject(ALARM);
      const { json } = await fetch(`${access.origin}/api/pairing`, { headers: access.headers }).then(
        async (answer) => ({
          json: await answer.json(),
        }),
      );
      expect(json).toMatchObject({ state: 'alarm', alarms: [expect.stringContaining('approval-key.json')] });
      const doctor = JSON.parse((await program.run(['doctor', '--json'])).out);
      expect(doctor.findings).toContainEqual(expect.objectContaining({ code: 'approvals-alarm', level: 'problem' }));
    },
  );
});

describe.runIf(hasTerminal)('in a terminal', () => {
  const troupe = `${process.execPath} ${path.resolve('dist/troupe.js')}`;

  it('sets the passphrase, and asks for it to allow a call', async () => {
    await serve();
    const terminal = openTerminal(program.home, { ...process.env, HOME: program.home });
    const asked = async (question: string, typed: string): Promise<void> => {
      await terminal.until(new RegExp(`${question}[^\\n]*$`));
      terminal.type(typed);
    };
    try {
      terminal.type(`clear; ${troupe} server passphrase`);
      await asked('New passphrase:', 'short');
      await asked('again:', 'short');
      await terminal.until('too easy to guess');
      terminal.type(`clear; ${troupe} server passphrase`);
      await asked('New passphrase:', PASSPHRASE);
      await asked('again:', PASSPHRASE);
      await terminal.until('The passphrase is set');
      expect(statSync(inState('approval-key.json')).mode & 0o777).toBe(0o600);

      const hook = calls.push();
      const { id } = await openAsk();
      terminal.type(`clear; ${troupe} guard answer ${id} allow`);
      await asked('Passphrase for approvals:', 'not the right one');
      await terminal.until('not the passphrase');
      terminal.type(`clear; ${troupe} guard answer ${id} allow`);
      await asked('Passphrase for approvals:', PASSPHRASE);
      await terminal.until('Allowed');
      expect(terminal.screen()).not.toContain('horse');
      expect((await hook.ended).said.permissionDecision).toBe('allow');

      terminal.type(`clear; ${troupe} server passphrase`);
      await asked('Old passphrase:', 'not the right one');
      await asked('New passphrase:', 'another passphrase');
      await asked('again:', 'another passphrase');
      await terminal.until('not the passphrase');
      terminal.type(`clear; ${troupe} server passphrase`);
      await asked('Old passphrase:', PASSPHRASE);
      await asked('New passphrase:', 'another passphrase');
      await asked('again:', 'another passphrase');
      await terminal.until('is changed');
      // A change that the old passphrase has signed is no alarm, also for a server that knew only the old one.
      const browser = await access.logIn();
      expect(await post('/api/pairing', { passphrase: 'another passphrase', name: 'x' }, browser)).toMatchObject({
        status: 200,
      });
      expect(server.errors()).not.toContain('ALARM');
    } finally {
      terminal.close();
    }
  });

  it('asks for it in troupe watch, and never shows it', async () => {
    await setPassphrase();
    await serve();
    const terminal = openTerminal(program.home, { ...process.env, HOME: program.home });
    try {
      terminal.type(`${troupe} watch`);
      await terminal.until('q quit');
      const hook = calls.push();
      await terminal.until('y allow once');
      terminal.press('y');
      await terminal.until('y again');
      terminal.press('y');
      await terminal.until('Passphrase to allow it');
      terminal.type(PASSPHRASE);
      expect((await hook.ended).said.permissionDecision).toBe('allow');
      expect(terminal.screen()).not.toContain('horse');
    } finally {
      terminal.close();
    }
  });

  it('is refused to a process that an agent started', async () => {
    const terminal = openTerminal(program.home, { ...process.env, HOME: program.home });
    try {
      terminal.type(`clear; CLAUDECODE=1 ${troupe} server passphrase`);
      await terminal.until('Only a person can do this');
      expect(existsSync(inState('approval-key.json'))).toBe(false);
    } finally {
      terminal.close();
    }
  });
});
