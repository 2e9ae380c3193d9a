import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AnsweredBy } from '../core/index.ts';
import { GUARDED_HOSTS } from '../hosts/guarded-hosts.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import type { BudgetVerdict } from './budgets.ts';
import { answerRequest, judgeAlone, judgeCall } from './judge-call.ts';
import { compilePolicy } from './policy/compile.ts';
import { readYaml } from './policy/read-yaml.ts';
import type { Policy } from './policy.ts';
import { type Judgement, type JudgeOptions, resolveLinks } from './pre-check.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(makeTemporaryFolder('judge'));
});

const host = GUARDED_HOSTS['claude-code'] as NonNullable<(typeof GUARDED_HOSTS)[string]>;

function policyOf(text: string): Policy {
  const source = {
    scope: 'user' as const,
    file: path.join(folder, 'policy.yaml'),
    root: null,
    content: Buffer.from(text),
  };
  const { policy, problems } = compilePolicy({ sources: [source], home: folder, resolve: (place) => place, readYaml });
  expect(problems).toEqual([]);
  return policy;
}

const NO_RM = `version: 1
on_error: deny
rules:
  - { agents: { type: coder }, tools: "Bash(rm:*)", decision: deny, reason: Coders keep files. }
  - { tools: "Edit(secret/**)", decision: ask }
`;

function optionsFor(payload: unknown, own: Pick<JudgeOptions, 'policyFor'> & Partial<JudgeOptions>): JudgeOptions {
  return { host, caller: host.callerOf(payload), home: folder, at: 0, ...own };
}

function judge(payload: unknown, policy = policyOf(NO_RM)): Judgement {
  return judgeCall(host.read(payload), optionsFor(payload, { policyFor: () => policy }));
}

/** A session of 2.1.325 with one sub-agent, as far as the guard looks. */
function call(fields: object): object {
  const transcript = path.join(folder, 's.jsonl');
  writeFileSync(transcript, `${JSON.stringify({ type: 'user', cwd: folder, version: '2.1.325' })}\n`);
  mkdirSync(path.join(folder, 's', 'subagents'), { recursive: true });
  const sidecar = { agentType: 'coder', spawnDepth: 1, toolUseId: 't' };
  writeFileSync(path.join(folder, 's', 'subagents', 'agent-a1.meta.json'), JSON.stringify(sidecar));
  return {
    session_id: 's',
    transcript_path: transcript,
    cwd: folder,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf build' },
    tool_use_id: 't1',
    ...fields,
  };
}

describe('a judgement', () => {
  it('holds for the agent that the rule names, in words that its host understands', () => {
    const { printed, ...rest } = judge(call({ agent_id: 'a1', agent_type: 'coder' }));
    expect(rest).toMatchObject({ decision: 'deny', rule: 'user:1' });
    expect(JSON.parse(printed)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('Coders keep files'),
      },
    });
  });

  it('gives no decision about other calls, and prints nothing', () => {
    expect(judge(call({}))).toMatchObject({ decision: 'none', printed: '' });
  });

  it('uses the type in the sidecar of the transcript when the hook leaves it out', () => {
    expect(judge(call({ agent_id: 'a1' })).decision).toBe('deny');
  });

  it('follows links to their target', () => {
    mkdirSync(path.join(folder, 'secret'));
    symlinkSync(path.join(folder, 'secret'), path.join(folder, 'open'));
    const edit = { tool_name: 'Edit', tool_input: { file_path: path.join(folder, 'open', 'new.txt') } };
    expect(judge(call(edit)).decision).toBe('ask');
    expect(resolveLinks(path.join(folder, 'open', 'new', 'deep.txt'))).toBe(path.join(folder, 'secret/new/deep.txt'));
  });

  it('falls back to on_error of the policy for unreadable calls and for internal errors', () => {
    for (const payload of [undefined, null, 7, 'text', {}, { hook_event_name: 'PreToolUse' }]) {
      const { decision, printed } = judge(payload);
      expect(decision).toBe('deny');
      expect(JSON.parse(printed).hookSpecificOutput.permissionDecision).toBe('deny');
    }
    const payload = call({});
    const policyFor = () => {
      throw new Error('no disk');
    };
    const trouble = judgeCall(host.read(payload), optionsFor(payload, { policyFor }));
    expect(trouble).toMatchObject({ decision: 'ask', reason: 'The guard of troupe failed: no disk' });
  });

  it('says nothing about other events', () => {
    expect(judge(call({ hook_event_name: 'PostToolUse' }))).toMatchObject({ decision: 'none', printed: '' });
  });

  it('injects the identity into commands when a rule says so, and keeps its decision', () => {
    const by = (decision: string) =>
      policyOf(`version: 1
rules:
  - { agents: { type: coder }, tools: "Bash(git:*)", decision: ${decision}, inject_identity: true, reason: R }
  - { tools: "Bash(ls:*)", decision: allow }
  - { tools: "Bash(rm:*)", decision: deny }
`);
    const asked = (command: string, decision: string) =>
      judge(call({ agent_id: 'a1', agent_type: 'coder', tool_input: { command, timeout: 9 } }), by(decision));
    const outputOf = ({ printed }: Judgement) => JSON.parse(printed).hookSpecificOutput;
    for (const decision of ['allow', 'ask', 'none']) {
      const judged = asked('ls && git status', decision);
      expect(judged.decision).toBe(decision);
      expect(judged.reason).toMatch(/ Its commands are told who runs them: claude-code:s:a1:main\/coder$/);
      const { permissionDecision, updatedInput } = outputOf(judged);
      expect([permissionDecision, updatedInput.timeout]).toEqual([decision === 'none' ? undefined : decision, 9]);
      expect(updatedInput.command).toMatch(/^export TROUPE_AGENT='claude-code:s:a1:main\/coder' .*\nls && git status$/);
    }
    expect(outputOf(asked('git status; rm a', 'allow'))).not.toHaveProperty('updatedInput');
    expect(outputOf(asked('ls', 'allow'))).not.toHaveProperty('updatedInput');
    // A host that runs a call as it was made is given nothing, and nothing is claimed.
    const payload = call({ agent_id: 'a1', tool_input: { command: 'git status' } });
    const unchanged = { host: { ...host, cannotChangeInput: true as const }, policyFor: () => by('allow') };
    const fixed = judgeCall(host.read(payload), optionsFor(payload, unchanged));
    expect(fixed).toMatchObject({ decision: 'allow' });
    expect(fixed.reason).not.toContain('are told');
    expect(outputOf(fixed)).not.toHaveProperty('updatedInput');
    // Nobody knows who calls: nothing is claimed.
    const unknown = judge(call({ transcript_path: '', tool_input: { command: 'git status' } }), by('ask'));
    expect(unknown).toMatchObject({ decision: 'ask' });
    expect(unknown.reason).not.toContain('are told');
  });
});

describe('an ask that waits', () => {
  const policy = (onTimeout: string) =>
    policyOf(`version: 1
rules:
  - { name: pushes, tools: "Bash(git push:*)", decision: ask, wait: 90s, on_timeout: ${onTimeout}, reason: It leaves. }
`);
  const push = () => call({ tool_name: 'Bash', tool_input: { command: 'git push' } });

  it('announces its time limit; the answer has the message and its author', () => {
    const judgement = judge(push(), policy('deny'));
    expect(judgement).toMatchObject({
      decision: 'ask',
      wait: { ms: 90_000, otherwise: 'deny', why: 'pushes: It leaves.' },
    });
    const said = (decision: 'allow' | 'deny', by: AnsweredBy) => answerRequest(host, judgement, decision, by);
    expect(said('allow', 'page').reason).toMatch(/by rule "pushes": It leaves\. A person was asked and allowed it\.$/);
    expect(said('deny', 'expiry').reason).toMatch(/No answer came within 90 s, so it is denied\.$/);
    const { printed, ...rest } = said('deny', 'terminal');
    expect(JSON.parse(printed).hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: rest.reason,
    });
    expect(rest).toEqual({ decision: 'deny', rule: 'user:1', reason: rest.reason, answeredBy: 'terminal' });
  });

  it('injects the identity only when it is allowed', () => {
    const telling = policyOf(`version: 1
rules:
  - { agents: { type: coder }, tools: "Bash(git push:*)", decision: ask, wait: 90s, inject_identity: true }
`);
    const judgement = judge(
      call({ agent_id: 'a1', agent_type: 'coder', tool_input: { command: 'git push' } }),
      telling,
    );
    expect(judgement).toMatchObject({ decision: 'ask', wait: { ms: 90_000 } });
    const printed = (decision: 'allow' | 'deny') =>
      JSON.parse(answerRequest(host, judgement, decision, 'page').printed).hookSpecificOutput;
    expect(printed('allow').updatedInput.command).toMatch(/TROUPE_AGENT=.*\ngit push$/);
    expect(printed('deny')).not.toHaveProperty('updatedInput');
    expect(printed('deny').permissionDecisionReason).not.toContain('told who runs');
  });

  it('without a server ends as it does without an answer', () => {
    const alone = (text: string) => {
      const payload = push();
      return judgeAlone(host.read(payload), optionsFor(payload, { policyFor: () => policy(text) }));
    };
    expect(alone('deny')).toMatchObject({ decision: 'deny', answeredBy: 'no-server' });
    expect(alone('allow')).toMatchObject({ decision: 'allow', answeredBy: 'no-server' });
    expect(Object.keys(alone('deny'))).not.toContain('wait');
  });
});

describe('a host that cannot ask its person in our name', () => {
  const opencode = GUARDED_HOSTS['opencode'] as NonNullable<(typeof GUARDED_HOSTS)[string]>;
  const payload = {
    hook: 'tool.execute.before',
    session: 'ses_1',
    line: [{ id: 'ses_1', directory: '/' }],
    directory: '/',
    tool: 'bash',
    call: 'c',
    args: { command: 'rm -rf build' },
  };
  const asks = 'version: 1\nrules: [{ tools: Bash, decision: ask }]\n';
  const options = () => {
    const caller = opencode.callerOf(payload);
    return { host: opencode, caller, policyFor: () => policyOf(asks), home: folder, at: 0 };
  };

  it('has troupe ask, though no rule says for how long', () => {
    expect(judgeCall(opencode.read(payload), options())).toMatchObject({
      decision: 'ask',
      wait: { ms: 600_000, otherwise: 'deny' },
    });
  });

  it('gets a denial when no person could be asked', () => {
    const alone = judgeAlone(opencode.read(payload), options());
    expect(alone).toMatchObject({ decision: 'deny', answeredBy: 'no-server' });
    expect(JSON.parse(alone.printed)).toMatchObject({ decision: 'deny' });
  });

  it('has its own questions left alone', () => {
    const question = opencode.read({ ...payload, hook: 'permission.question' });
    expect(judgeCall(question, options())).toMatchObject({ decision: 'none' });
  });
});

describe('a script that is there already', () => {
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const run = (command: string): string =>
    judge(call({ tool_input: { command }, agent_id: 'a1', agent_type: 'coder' })).decision;

  it.each([
    ['#!/bin/sh\nset -e\nrm -rf build\n', './x.sh', 'deny'],
    ['#!/usr/bin/env bash\nif true; then rm "$1"; fi\n', './x.sh', 'deny'],
    ['rm -rf build\n', 'sh x.sh', 'deny'],
    ['rm -rf build\n', 'bash -e ./x.sh --all', 'deny'],
    ['f() { rm -r a; }\n', '. ./x.sh && f', 'deny'],
    ['rm -rf build\n', 'cd . && sh x.sh', 'deny'],
    ['exec sh y.sh\n', 'sh x.sh', 'deny'],
    ['./x.sh\n', './x.sh', 'none'],
    ['echo done > secret/a\n', 'sh x.sh', 'ask'],
    // What cannot be known of a script is as before.
    ['#!/bin/sh\n"$@"\neval "$CODE"\ncat "$1"\n', './x.sh', 'none'],
    ['#!/bin/sh\necho "rm is not run"\nnpm test\n', './x.sh', 'none'],
    ['#!/usr/bin/env python3\nrm = 1\n', './x.sh', 'none'],
    ['#!/usr/bin/env node\nrm\n', './x.sh', 'none'],
  ])('is judged by what is sure in it: %j by %s', (text, command, expected) => {
    put('x.sh', text);
    put('y.sh', 'rm a\n');
    mkdirSync(path.join(folder, 'secret'));
    expect(run(command)).toBe(expected);
  });

  it('needs no allow beside that of the script', () => {
    put('build.sh', '#!/bin/sh\nmkdir -p out\ncp a out > log\n');
    const text = 'version: 1\ndefaults: { main: deny }\nrules:\n  - { tools: "Bash(./build.sh:*)", decision: allow }\n';
    const payload = call({ tool_input: { command: './build.sh' } });
    expect(judge(payload, policyOf(text)).decision).toBe('allow');
  });

  it('ends when scripts run each other', () => {
    put('x.sh', 'sh y.sh; sh z.sh\n');
    put('y.sh', 'sh x.sh; sh z.sh\n');
    put('z.sh', 'sh x.sh; sh y.sh; sh x.sh\n');
    expect(run('sh x.sh')).toBe('none');
  });
});

describe('a budget', () => {
  const said = (budget: Partial<BudgetVerdict>, payload: object, text = NO_RM): Judgement => {
    const policy = policyOf(text);
    const whole = { decision: 'none', budget: 'user:budget:1', reason: 'Used up.', notes: [], ...budget } as const;
    return judgeCall(host.read(payload), optionsFor(payload, { policyFor: () => policy, budget: whole }));
  };
  const note = { budget: 'user:budget:1', holder: 'x', state: 'warned', text: 'Finish soon.' } as const;
  const list = { tool_input: { command: 'ls' }, agent_id: 'a1', agent_type: 'coder' };

  it('denies what no rule does, with its reason', () => {
    expect(said({ decision: 'deny' }, call(list))).toMatchObject({
      ...{ decision: 'deny', rule: 'user:budget:1', reason: 'Used up.' },
      printed: expect.stringContaining('"permissionDecisionReason":"Used up."'),
    });
  });

  it('changes nothing about a call that a rule denies', () => {
    const removes = call({ agent_id: 'a1', agent_type: 'coder' });
    expect(said({ decision: 'ask', notes: [note] }, removes)).toEqual(judge(removes));
  });

  it('says its warning to the agent, without a decision', () => {
    const { printed, decision } = said({ notes: [note] }, call(list));
    expect(decision).toBe('none');
    expect(JSON.parse(printed)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'Finish soon.' },
    });
  });

  it('is asked for ten minutes at a host that cannot ask, and then denied', () => {
    const policy = policyOf('version: 1\n');
    const budget = { decision: 'ask', budget: 'user:budget:1', reason: 'Used up.', notes: [] } as const;
    const payload = call(list);
    const mute = { ...host, cannotAsk: true } as const;
    const judged = judgeCall(host.read(payload), optionsFor(payload, { policyFor: () => policy, budget, host: mute }));
    expect(judged).toMatchObject({ decision: 'ask', wait: { ms: 600_000, otherwise: 'deny', why: 'Used up.' } });
  });

  it('is not passed by a rule that allows when no answer comes', () => {
    const asking = `version: 1\nrules:\n  - { tools: Bash, decision: ask, wait: 1m, on_timeout: allow }\n`;
    expect(said({}, call(list), asking).wait).toMatchObject({ otherwise: 'allow' });
    expect(said({ decision: 'ask' }, call(list), asking).wait).toMatchObject({ otherwise: 'deny' });
  });
});
