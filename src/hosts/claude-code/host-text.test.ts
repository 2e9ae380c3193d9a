import { describe, expect, it } from 'vitest';
import { framedPrompt, recognised, toNotices, toSystemNotice, withoutReminders } from './host-text.ts';

const only = (text: string) => toNotices(text)[0];

describe('what the harness says', () => {
  it('the end of something in the background, with its report', () => {
    const text =
      '<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t</tool-use-id>\n<status>completed</status>\n' +
      '<summary>Agent "Count <b>" finished</summary>\n<result>Two. </result> is a tag.</result>\n' +
      '<usage><total_tokens>5</total_tokens></usage>\n</task-notification>';
    expect(toNotices(text)).toEqual([
      {
        type: 'notice',
        kind: 'background',
        title: 'Agent "Count <b>" finished',
        text: 'Two. </result> is a tag.',
        agent_id: 'a1',
      },
    ]);
    const two = `${text}\n${text.replace('a1', 'a2')}`;
    expect(toNotices(two).map(({ agent_id }) => agent_id)).toEqual(['a1', 'a2']);
    const bare = '<task-notification>\n<task-id>b7</task-id>\n<event>line 3</event>\n</task-notification>';
    expect(only(bare)).toMatchObject({ title: null, text: '<event>line 3</event>', agent_id: 'b7' });
  });

  it('messages of teammates, and what they tell without words', () => {
    const letter = '<teammate-message teammate_id="bob" color="blue" summary="Done">\nAll of it.\n</teammate-message>';
    const signal =
      '<teammate-message teammate_id="bob">\n{"type":"idle_notification","from":"bob","result":"Fine."}\n</teammate-message>';
    expect(recognised(`Another Claude session sent a message:\n${letter}\n\n${signal}`)).toMatchObject([
      { kind: 'message', title: 'bob: Done', text: 'All of it.' },
      { kind: 'message', title: 'bob: idle notification', text: 'Fine.' },
    ]);
    expect(recognised('<teammate-message>{"type": broken</teammate-message>')).toMatchObject([
      { title: 'Message from a teammate', text: '{"type": broken' },
    ]);
  });

  it('commands and their output', () => {
    expect(only('<command-name>/exit</command-name>\n<command-message>exit</command-message>')).toMatchObject({
      kind: 'command',
      title: '/exit',
      text: '',
    });
    const review = '<command-message>review</command-message>\n<command-name>/review</command-name>\n';
    expect(recognised(`${review}<command-args>src\nand test</command-args>`)).toMatchObject([
      { kind: 'command', title: '/review src', text: 'src\nand test' },
    ]);
    expect(only('<bash-input>ls -l</bash-input>')).toMatchObject({ kind: 'command', title: '! ls -l' });
    expect(only('<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>')).toMatchObject({
      kind: 'command-output',
      text: 'a',
    });
  });

  it('reminders, interruptions, skills, compactions, and everything else', () => {
    expect(only('<system-reminder>\nBe brief.\n</system-reminder>')).toMatchObject({
      kind: 'reminder',
      text: 'Be brief.',
    });
    expect(only('[Request interrupted by user for tool use]')).toMatchObject({
      kind: 'interruption',
      title: 'Request interrupted by user for tool use',
    });
    expect(only('Base directory for this skill: /x/.claude/skills/pdf\n\n# PDF')).toMatchObject({
      kind: 'note',
      title: 'Skill pdf',
    });
    expect(toSystemNotice('compact_boundary', 'Conversation compacted', { preTokens: 5 })).toMatchObject([
      { kind: 'compaction', title: 'Context compacted: it held 5 tokens' },
    ]);
    expect(toSystemNotice('informational', 'Hello', undefined)).toMatchObject([{ kind: 'note', text: 'Hello' }]);
  });

  it('rules and warnings in front of a prompt', () => {
    expect(framedPrompt('<fork-boilerplate>\nBe quick.\n</fork-boilerplate>\n\nYour directive: Go.')).toMatchObject({
      preface: { kind: 'note', title: 'Rules for a fork', text: 'Be quick.' },
      prompt: 'Your directive: Go.',
    });
    expect(framedPrompt('[Workflow harness — computed task] Careful:\n  Go.\n    Deeper.')).toMatchObject({
      preface: { title: 'Task of a workflow' },
      prompt: 'Go.\n  Deeper.',
    });
    expect(framedPrompt('Go.')).toBeUndefined();
  });

  it('is not what a person wrote around the same words', () => {
    expect(recognised('What does <system-reminder>x</system-reminder> mean?')).toBeUndefined();
    expect(recognised('<system-reminder>x</system-reminder> is what I saw')).toBeUndefined();
    expect(recognised('<command-name>without an end')).toBeUndefined();
    expect(recognised('<div>page</div>')).toBeUndefined();
  });

  it('hangs behind the results of tools', () => {
    const reminder = '<system-reminder>\nDo not execute it.\n</system-reminder>\n';
    expect(withoutReminders(`1\tcode\n\n${reminder}`)).toMatchObject({
      text: '1\tcode',
      reminders: [{ kind: 'reminder', text: 'Do not execute it.' }],
    });
    expect(withoutReminders(`code\n${reminder}${reminder}`).reminders).toHaveLength(2);
    expect(withoutReminders(`${reminder}code`)).toEqual({ text: `${reminder}code`, reminders: [] });
    expect(withoutReminders('no opening</system-reminder>')).toMatchObject({ reminders: [] });
  });

  it('takes no longer than the text is long', () => {
    for (const piece of ['<system-reminder>', '</system-reminder>', '\n', '<teammate-message>', '<summary>', '{"type"'])
      for (const text of [piece.repeat(100_000), `<task-notification>${piece.repeat(100_000)}</system-reminder>`]) {
        expect(toNotices(text).length).toBeGreaterThan(0);
        withoutReminders(text);
      }
  });
});
