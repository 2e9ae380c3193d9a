import { describe, expect, it } from 'vitest';
import { describeCall } from './describe-call.ts';
import { cleanMessage, isOpen, partsOf } from './messages.ts';

function view(name: string, input: unknown, text?: string, isError = false) {
  const call = { id: 't', name, input, summary: undefined, ref: undefined, refs: [] };
  return describeCall(call, text === undefined ? undefined : { text, isError, media: [] });
}

describe('describeCall', () => {
  it("recognises searches, lists and spawns under other hosts' names", () => {
    expect(view('grep_search', { pattern: 'TODO', dir_path: 'src' })).toMatchObject({ kind: 'found', where: 'src' });
    expect(view('list_directory', { dir_path: 'src' }, 'a')).toMatchObject({ kind: 'found', where: 'src', text: 'a' });
    expect(view('write_todos', { todos: [{ description: 'one', status: 'in_progress' }] })).toMatchObject({
      kind: 'checks',
      checks: [{ text: 'one', state: 'doing' }],
    });
    expect(view('invoke_agent', { agent_name: 'generalist', prompt: 'Count.' }, '2')).toMatchObject({
      kind: 'errand',
      type: 'generalist',
      answer: '2',
    });
    expect(view('agent', { prompt: 'Count.' }, 'Background agent launched successfully.\ntask_id: x')).toMatchObject({
      kind: 'errand',
      answer: undefined,
    });
  });

  it('shows a command, with its exit code apart from its output', () => {
    expect(view('Bash', { command: 'npm test', description: 'Test' }, 'Exit code 2\nboom', true)).toMatchObject({
      kind: 'terminal',
      command: 'npm test',
      note: 'Test',
      exitCode: 2,
      output: 'boom',
    });
    expect(view('shell', { command: ['ls', '-l'] })).toMatchObject({
      kind: 'terminal',
      command: 'ls -l',
      output: undefined,
    });
  });

  it('shows one or many edits of any host', () => {
    const edit = { old_string: 'a', new_string: 'b', replace_all: true };
    expect(view('Edit', { file_path: '/f', ...edit })).toEqual({
      kind: 'edits',
      path: '/f',
      edits: [{ before: 'a', after: 'b', isEverywhere: true }],
    });
    expect(view('MultiEdit', { file_path: '/f', edits: [edit, edit] })).toMatchObject({ edits: [{}, {}] });
    expect(view('edit', { filePath: '/f', oldString: '', newString: 'x' })).toMatchObject({ kind: 'edits' });
    expect(view('Edit', { file_path: '/f', old_string: 5 })).toMatchObject({ kind: 'fields' });
    expect(view('MultiEdit', { file_path: '/f', edits: [edit, 'no edit'] })).toMatchObject({ kind: 'fields' });
  });

  it('shows files and messages under the names of Copilot', () => {
    const edit = { path: '/f', old_str: 'a', new_str: 'b' };
    expect(view('edit', edit)).toMatchObject({ kind: 'edits', path: '/f', edits: [{ before: 'a', after: 'b' }] });
    expect(view('create', { path: '/f', file_text: 'x' })).toEqual({ kind: 'written', path: '/f', text: 'x' });
    expect(view('view', { path: '/f' }, 'x')).toMatchObject({ kind: 'file', path: '/f', text: 'x' });
    expect(view('write_agent', { agent_id: 'a1', message: 'go on' })).toMatchObject({ kind: 'letter', to: 'a1' });
    const launched = 'Agent started in background with agent_id: a1.';
    expect(view('task', { prompt: 'p', agent_type: 't' }, launched)).toMatchObject({
      kind: 'errand',
      answer: undefined,
    });
  });

  it('shows a patch of one or several files', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.js\n@@\n same\n-old\n+new\n*** Add File: b.md\n+one\n*** End Patch';
    expect(view('apply_patch', { patch })).toEqual({
      kind: 'edits',
      path: 'a.js, b.md',
      edits: [
        { before: 'same\nold', after: 'same\nnew', isEverywhere: false },
        { before: '', after: 'one', isEverywhere: false },
      ],
    });
    expect(view('apply_patch', { patch: 'no patch' })).toMatchObject({ kind: 'fields' });
    expect(view('exec_command', { cmd: 'ls' }, 'a')).toMatchObject({ kind: 'terminal', command: 'ls', output: 'a' });
    expect(view('update_plan', { plan: [{ step: 'look', status: 'in_progress' }] })).toMatchObject({
      checks: [{ text: 'look', state: 'doing' }],
    });
  });

  it('shows lines of a file with their numbers in both known formats', () => {
    const file = { file_path: '/f' };
    const expected = {
      kind: 'file',
      path: '/f',
      first: 7,
      text: 'a\n\tb',
      note: '<system-reminder>x</system-reminder>',
    };
    expect(view('Read', file, '7\ta\n8\t\tb\n\n<system-reminder>x</system-reminder>')).toEqual(expected);
    expect(view('Read', file, '     7→a\n     8→\tb\n\n<system-reminder>x</system-reminder>')).toEqual(expected);
    expect(view('Read', file, 'File does not exist.', true)).toMatchObject({
      first: undefined,
      text: 'File does not exist.',
    });
    // A gap in the numbers is no part of the file.
    expect(view('Read', file, '1\ta\n3\tb')).toMatchObject({ text: 'a', note: '3\tb' });
  });

  it('shows to-do lists', () => {
    const todos = [
      { content: 'one', status: 'completed' },
      { content: 'two', status: 'in_progress' },
      { content: 'three', status: 'pending' },
    ];
    expect(view('TodoWrite', { todos })).toEqual({
      kind: 'checks',
      checks: [
        { text: 'one', state: 'done' },
        { text: 'two', state: 'doing' },
        { text: 'three', state: 'open' },
      ],
    });
    expect(view('TaskCreate', { subject: 'four' })).toMatchObject({ checks: [{ text: 'four', state: 'open' }] });
    expect(view('TaskUpdate', { taskId: '4', status: 'completed' })).toMatchObject({
      checks: [{ text: 'Task 4', state: 'done' }],
    });
  });

  it('shows web searches with their results', () => {
    const found = 'Web search results\n\nLinks: [{"title":"T","url":"https://e.x/"},{"no":1}]\n\nSo it is.';
    expect(view('WebSearch', { query: 'q' }, found)).toMatchObject({
      kind: 'web',
      hits: [{ title: 'T', url: 'https://e.x/' }],
      text: 'Web search results\n\n\n\nSo it is.',
    });
    expect(view('WebSearch', { query: 'q' }, 'Links: [broken]')).toMatchObject({ hits: [], text: 'Links: [broken]' });
  });

  it('shows any other call by its fields, JSON on several lines', () => {
    expect(view('mcp__x__y', { a: 'text', b: { c: [1] } }, '{"ok":true}')).toEqual({
      kind: 'fields',
      fields: [
        { name: 'a', text: 'text' },
        { name: 'b', text: '{\n  "c": [\n    1\n  ]\n}' },
      ],
      output: '{\n  "ok": true\n}',
    });
    expect(view('Odd', 'just text')).toMatchObject({ fields: [{ name: 'input', text: 'just text' }] });
    expect(view('Odd', null)).toMatchObject({ fields: [], output: undefined });
  });

  it('shows a spawn without what the host says in place of an answer', () => {
    const input = { description: 'd', prompt: 'p', subagent_type: 'Explore' };
    expect(view('Task', input, 'It is done.')).toEqual({
      kind: 'errand',
      type: 'Explore',
      description: 'd',
      prompt: 'p',
      answer: 'It is done.',
    });
    expect(view('Agent', input, 'Async agent launched successfully. (…)')).toMatchObject({ answer: undefined });
  });
});

describe('the parts of a message', () => {
  const message = cleanMessage({
    id: 'm',
    role: 'assistant',
    timestamp: null,
    model: null,
    content: [
      { type: 'tool_use', tool_use_id: 'a', name: 'Bash', input: { command: 'x' }, summary: 'x' },
      { type: 'tool_result', tool_use_id: 'a', text: '1%\r2%', is_error: false },
      { type: 'tool_use', tool_use_id: 'b', name: 'Read', input: {}, summary: null },
      { type: 'tool_result', tool_use_id: 'elsewhere', text: 'lost', is_error: true },
      { type: 'attachment', media_type: 'application/pdf', name: null, bytes: 2048 },
    ],
  });

  it('are calls with their results, and what else there is', () => {
    expect(partsOf(message)).toMatchObject([
      { kind: 'call', call: { id: 'a' }, result: { text: '2%' } },
      { kind: 'call', call: { id: 'b' }, result: undefined },
      { kind: 'result', result: { text: 'lost', isError: true } },
      { kind: 'media', media: { media_type: 'application/pdf', bytes: 2048 } },
    ]);
    expect(partsOf(message)).toBe(partsOf(message));
  });

  it('show whether something is still to come', () => {
    expect(isOpen(message)).toBe(true);
    expect(isOpen({ ...message, content: message.content.slice(0, 2) })).toBe(false);
  });
});
