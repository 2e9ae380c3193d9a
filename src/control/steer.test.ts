import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { claudeCodeControl as control } from '../hosts/claude-code/control.ts';
import type { ControlAnswer } from '../hosts/index.ts';
import { Steering, type WaitingCall } from './steer.ts';

// Lines as the real program prints them (recorded: 2.1.325).
const init = { type: 'system', subtype: 'init', session_id: 's' };
const result = { type: 'result', subtype: 'success', result: 'Done.', session_id: 's' };
const payload = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: { command: 'rm x' } };
const call = (id: string, tool = 'toolu_1') => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'hook_callback', callback_id: 'troupe-before-call', input: payload, tool_use_id: tool },
});
const question = (id: string, tool = 'toolu_1') => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: payload.tool_input, tool_use_id: tool },
});

const callOf = (id: string, agent: string) => {
  const { request, ...rest } = call(id, `toolu_${id}`);
  return { ...rest, request: { ...request, input: { ...payload, agent_id: agent } } };
};
const endingOf = (id: string, agent: string) => ({
  type: 'control_request',
  request_id: id,
  request: {
    subtype: 'hook_callback',
    callback_id: 'troupe-before-end',
    input: { hook_event_name: 'SubagentStop', agent_id: agent },
  },
});

function steered(args: readonly string[], decide: (call: WaitingCall) => Promise<ControlAnswer> = none) {
  const sent: Record<string, unknown>[] = [];
  const seen = { printed: '', isInputOver: false };
  const errors: unknown[] = [];
  const steering = new Steering({
    control,
    plan: control.plan(['-p', ...args]),
    send: (text) => sent.push(JSON.parse(text)),
    endInput: () => {
      seen.isInputOver = true;
    },
    print: (bytes) => {
      seen.printed += new TextDecoder().decode(bytes);
    },
    decide,
    onError: (error) => errors.push(error),
  });
  const print = (...lines: readonly object[]): void =>
    steering.push(new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  return { steering, sent, seen, errors, print };
}

/** Nothing here waits for files or timers: after one turn of the event loop, everything has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const none = async (): Promise<ControlAnswer> => ({ kind: 'printed', printed: '' });
const LINES = ['--output-format', 'stream-json', '--verbose'];
const answers = (sent: readonly Record<string, unknown>[]) =>
  sent.flatMap((line) => (line['type'] === 'control_response' ? [line['response']] : []));

describe('a steered program', () => {
  it('is greeted first, and its own lines are printed unchanged', async () => {
    const { steering, sent, seen, print } = steered(LINES);
    steering.say('Do it');
    expect(sent.map(({ type }) => type)).toEqual(['control_request', 'user']);
    print({ type: 'control_response', response: { subtype: 'success', request_id: 'troupe-1' } }, init, call('1'));
    steering.push(new TextEncoder().encode('no JSON at all\n'));
    print(result);
    await settled();
    steering.end();
    expect(seen.printed).toBe(`${JSON.stringify(init)}\nno JSON at all\n${JSON.stringify(result)}\n`);
    expect(answers(sent)).toEqual([{ subtype: 'success', request_id: '1', response: {} }]);
  });

  it('prints at its end what it prints when it runs alone', () => {
    const cases = [
      [[], 'Done.\n'],
      [['--output-format', 'json'], `${JSON.stringify(result)}\n`],
      [['--output-format', 'json', '--verbose'], `${JSON.stringify([init, result])}\n`],
    ] as const;
    for (const [args, expected] of cases) {
      const { steering, seen, print } = steered(args);
      print(init, result);
      expect(seen.printed).toBe('');
      steering.end();
      expect(seen.printed).toBe(expected);
    }
  });

  it('keeps its input open until all work is done', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { steering, seen, print } = steered(LINES);
    steering.say('Do it');
    steering.finishInput();
    print(init, { type: 'system', subtype: 'task_started', task_id: 'a', task_type: 'local_agent' }, result);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen.isInputOver).toBe(false);
    print({ type: 'system', subtype: 'task_notification', task_id: 'a', status: 'completed' }, init);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen.isInputOver).toBe(false);
    print(result, { type: 'rate_limit_event' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen.isInputOver).toBe(true);
  });

  it('gets the decision about a call as answer to its permission request', async () => {
    const { sent, print } = steered(LINES, async () => ({ kind: 'result', text: 'given', isError: true }));
    print(call('1'), question('2'));
    await settled();
    expect(answers(sent)).toMatchObject([
      { request_id: '1', response: { hookSpecificOutput: { permissionDecision: 'ask' } } },
      { request_id: '2', response: { behavior: 'deny', message: 'given' } },
    ]);
  });

  it('runs a command that prints the given result in place of the real one', async () => {
    const text = "TROUPE\n$(rm -rf /) 'x'";
    const { sent, print } = steered(LINES, async () => ({ kind: 'result', text, isError: false }));
    print(call('1'));
    await settled();
    expect(answers(sent)).toMatchObject([
      { response: { hookSpecificOutput: { updatedInput: { command: `cat <<'TROUPE_'\n${text}\nTROUPE_` } } } },
    ]);
  });

  it('passes on control messages of a caller that speaks the protocol itself', async () => {
    const { steering, sent, seen, print } = steered([
      ...LINES,
      '--input-format',
      'stream-json',
      '--permission-prompt-tool',
      'stdio',
    ]);
    const theirs = {
      type: 'control_request',
      request_id: 'own',
      request: { subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] } },
    };
    steering.passLine(new TextEncoder().encode(JSON.stringify(theirs)));
    expect(sent).toMatchObject([
      {
        request_id: 'own',
        request: { hooks: { PreToolUse: [{ hookCallbackIds: ['troupe-before-call'] }, { hookCallbackIds: ['h'] }] } },
      },
    ]);
    const reply = { type: 'control_response', response: { subtype: 'success', request_id: 'own' } };
    const hook = { type: 'control_request', request_id: '9', request: { subtype: 'hook_callback', callback_id: 'h' } };
    print(reply, hook, call('1'), question('2'));
    await settled();
    expect(
      seen.printed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([reply, hook, question('2')]);
  });

  it('denies a call when deciding fails, and aborts the decision when the call is cancelled', async () => {
    const failing = steered(LINES, async () => {
      throw new Error('no disk');
    });
    failing.print(call('1'));
    await settled();
    expect(JSON.stringify(answers(failing.sent))).toContain('The guard of troupe failed: no disk');
    expect(failing.errors).toHaveLength(1);
    let signal: AbortSignal | undefined;
    const { print } = steered(LINES, (waiting) => {
      signal = waiting.signal;
      return new Promise(() => {});
    });
    print(call('1'), { type: 'control_cancel_request', request_id: '1' });
    expect(signal?.aborted).toBe(true);
  });

  it('delivers a message to its sub-agent with the next call', async () => {
    const { steering, sent, print } = steered(LINES, async () => ({ kind: 'deny', reason: 'not here' }));
    const heard = steering.tellAgent('a1', 'Leave the tests.');
    print(callOf('1', 'a2'), call('2'), callOf('3', 'a1'), callOf('4', 'a1'));
    expect(await heard).toBe(true);
    const contexts = answers(sent).map((answer) => [
      (answer as { request_id: string }).request_id,
      (answer as { response: { hookSpecificOutput: object } }).response.hookSpecificOutput,
    ]);
    const denied = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'not here' };
    const words = { additionalContext: 'The person who runs this session says to you: Leave the tests.' };
    expect(Object.fromEntries(contexts)).toEqual({ 1: denied, 2: denied, 3: { ...denied, ...words }, 4: denied });
  });

  it('delivers a message when the sub-agent is about to end without another call', async () => {
    const { steering, sent, print } = steered(LINES);
    const heard = [steering.tellAgent('a1', 'One.'), steering.tellAgent('a1', 'Two.')];
    print(endingOf('1', 'a2'), endingOf('2', 'a1'), endingOf('3', 'a1'));
    expect(await Promise.all(heard)).toEqual([true, true]);
    expect(answers(sent)).toEqual([
      { subtype: 'success', request_id: '1', response: {} },
      {
        ...{ subtype: 'success', request_id: '2' },
        response: { decision: 'block', reason: 'The person who runs this session says to you: One.\n\nTwo.' },
      },
      { subtype: 'success', request_id: '3', response: {} },
    ]);
  });

  it('reports a message as undelivered when the sub-agent or the program has ended', async () => {
    const { steering, print } = steered(LINES);
    const [killed, other] = [steering.tellAgent('a1', 'x'), steering.tellAgent('a2', 'x')];
    print({ type: 'system', subtype: 'task_notification', task_id: 'a1', status: 'stopped' });
    expect(await killed).toBe(false);
    const stopping = steering.stopAgent('a2');
    steering.end();
    expect(await other).toBe(false);
    await expect(stopping).rejects.toThrow('the program has ended');
    expect([steering.isOpen, await steering.tellAgent('a2', 'x')]).toEqual([false, false]);
    await expect(steering.stopAgent('a2')).rejects.toThrow('its input has ended');
  });

  it('reports a sub-agent as stopped when it has ended, not when the program agrees', async () => {
    const { steering, print } = steered(LINES);
    print({ type: 'system', subtype: 'task_started', task_id: 'a1', task_type: 'local_agent' });
    let isStopped = false;
    const stopping = steering.stopAgent('a1').then((is) => {
      isStopped = is;
    });
    print({ type: 'control_response', response: { request_id: 'troupe-1', subtype: 'success', response: {} } });
    await settled();
    expect(isStopped).toBe(false);
    print({ type: 'system', subtype: 'task_notification', task_id: 'a1', status: 'stopped' });
    await stopping;
    expect(isStopped).toBe(true);
    print({ type: 'system', subtype: 'task_started', task_id: 'a2', task_type: 'local_agent' });
    const second = steering.stopAgent('a2');
    print({ type: 'control_response', response: { request_id: 'troupe-2', subtype: 'success', response: {} } });
    print({ type: 'system', subtype: 'task_notification', task_id: 'a2', status: 'completed' });
    expect(await second).toBe(false);
  });

  it('stops one sub-agent, and rejects when the program refuses', async () => {
    const { steering, sent, seen, print } = steered(LINES);
    const stopping = [steering.stopAgent('a1'), steering.stopAgent('a2')];
    expect(sent).toMatchObject([
      { request_id: 'troupe-1', request: { subtype: 'stop_task', task_id: 'a1' } },
      { request_id: 'troupe-2', request: { subtype: 'stop_task', task_id: 'a2' } },
    ]);
    const reply = (to: string, rest: object) => ({ type: 'control_response', response: { request_id: to, ...rest } });
    print(reply('troupe-2', { subtype: 'error', error: 'No task found with ID: a2' }));
    print(reply('troupe-1', { subtype: 'success', response: {} }));
    await expect(stopping[1]).rejects.toThrow('No task found');
    expect(await stopping[0]).toBe(true);
    expect(seen.printed).toBe('');
  });
});
