import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { readTranscript, showMessage, showSession } from '../testing/show-messages.ts';
import { gemini } from './index.ts';
import { openTranscript } from './transcript.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

const read = (name: string, agent: string) => readTranscript(gemini, path.join(fixtures, name), agent);

describe('transcripts of Gemini CLI', () => {
  it('calls lead to the agents that they made, and the answer is what the agent said', async () => {
    const { messages } = await read('0.61.0-failing', '5a6979fd');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "system: [reminder session context] This is the Gemini CLI. We are setting up …
      - **Workspace Di",
        "user: Please do the job. [[play:failing]]",
        "assistant: invoke_agent(This agent hits an API error. [[play:sub-apierror]]) → 3a72764f-d3df-4bea-9b93-60d4845e0b81 | failed "Subagent 'generalist' failed. Error: {\\"error\\":{\\"code\\":400,\\"m"",
        "assistant: The first agent failed. Trying another one. | invoke_agent(This agent runs a failing command. [[play:sub-toolfail]]) → fd9a6c61-7d81-4cf7-b635-85eb9486b501 | gave "The command failed with exit code 3 and the file does not ex"",
        "assistant: invoke_agent(x) | failed "Subagent 'no-such-agent' not found."",
        "assistant: Done: one API failure, one tool failure, one unknown agent t",
      ]
    `);
  });

  it('an agent: each message once, each result behind its call, lines counted', async () => {
    const { messages, diff_stats } = await read('0.61.0-parallel', '3d2e08c1');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Write NOTES.md with one line. [[play:sub-write]]",
        "assistant: write_file(./NOTES.md) | gave "Successfully created and wrote to new file: /home/dev/parall"",
        "assistant: run_shell_command(cat NOTES.md; sleep 0.3) | gave "hello from a sub-agent"",
        "assistant: complete_task(NOTES.md written.) | gave "Output submitted and task completed."",
      ]
    `);
    expect(diff_stats).toMatchObject({ added: 1, removed: 0 });
  });

  it('a document, and an agent that left no chat of its own', async () => {
    expect(await showSession(gemini, path.join(fixtures, '0.35.3-parallel'))).toMatchInlineSnapshot(`
      {
        "29f33e37-eb1c-4f9a-adc1-83deffd3eb41": [
          "from transcript",
          "user: Please do the job. [[play:parallel]]",
          "assistant: Two independent questions: I will run two agents at once. | generalist(List the files in src and describe them. [[play:sub-list]]) → generalist_1794771466876_0 | gave "src has app.js and util.js." | generalist(Write NOTES.md with one line. [[play:sub-write]]) → generalist_1794771466876_1 | gave "NOTES.md written."",
          "assistant: Both agents are done.",
        ],
        "generalist_1794771466876_0": [
          "from parent",
          "system: [note Its own transcript is not there. This is what the call that made it holds. → generalist_1794771466876_0] ",
          "user: List the files in src and describe them. [[play:sub-list]]",
          "assistant: src has app.js and util.js.",
        ],
        "generalist_1794771466876_1": [
          "from parent",
          "system: [note Its own transcript is not there. This is what the call that made it holds. → generalist_1794771466876_1] ",
          "user: Write NOTES.md with one line. [[play:sub-write]]",
          "assistant: NOTES.md written.",
        ],
      }
    `);
  });

  it('a session that was taken up again: each message once', async () => {
    const shown = await showSession(gemini, path.join(fixtures, '0.61.0-resumed'));
    expect(shown['75b4960b-0dd5-4024-88e3-30334d2cf050']).toMatchInlineSnapshot(`
      [
        "from transcript",
        "system: [reminder session context] This is the Gemini CLI. We are setting up …
      - **Workspace Di",
        "user: Please do the job. [[play:single]]",
        "assistant: I will delegate the search to a sub-agent. | invoke_agent(Count the TODO comments in this repository and report the number. [[play:sub-count]]) → 33b2f7db-b7d3-4a40-864d-e08dc291da85 | gave "There are 2 TODO comments in src/."",
        "assistant: The sub-agent found 2 TODO comments.",
        "user: And again. [[play:parallel]]",
        "assistant: Two independent questions: I will run two agents at once. | invoke_agent(List the files in src and describe them. [[play:sub-list]]) → 78ba6f0b-b0b2-476d-b62e-b064ff8692e6 | gave "src has app.js and util.js." | invoke_agent(Write NOTES.md with one line. [[play:sub-write]]) → 1dceef94-220c-4268-bcf5-949a3b6bcc21 | gave "NOTES.md written."",
        "assistant: Both agents are done.",
      ]
    `);
  });

  it('a command that failed says how', async () => {
    const { messages } = await read('0.61.0-failing', 'fd9a6c61');
    expect(messages.map(showMessage)[1]).toMatchInlineSnapshot(
      `"assistant: run_shell_command(echo oops >&2; exit 3) | failed "Exit code 3\\noops""`,
    );
  });
});

describe('a chat that is changed', () => {
  let folder = '';
  beforeEach(() => {
    folder = makeTemporaryFolder('gemini-bodies');
  });

  const openAt = (file: string, shape: 'lines' | 'document') =>
    openTranscript({ id: 'x' as never, path: file, shape, role: 'chat' });

  it('goes back to a message, goes on from there, and is told again', async () => {
    const file = path.join(folder, 'session-x.jsonl');
    cpSync(path.join(fixtures, '0.61.0-plain/tmp/project/chats/session-2026-11-15T19-24-eb6e6373.jsonl'), file);
    const bodies = openAt(file, 'lines');
    const all = await bodies.places();
    const texts = async () => (await bodies.read(await bodies.places())).map(showMessage);
    const before = await texts();
    expect(before).toHaveLength(3);
    appendFileSync(file, `\n${JSON.stringify({ $rewindTo: all[1]?.id })}\n`);
    expect(await texts()).toEqual(before.slice(0, 1));
    appendFileSync(file, `${JSON.stringify({ id: 'n', type: 'user', content: 'Something else.' })}\n`);
    expect(await texts()).toEqual([before[0], 'user: Something else.']);
    const messages = [
      { id: 'n', type: 'user', content: [{ text: 'Something else, in other words.' }] },
      { id: 'b', type: 'gemini', content: 'Second.', thoughts: [{ subject: 'Why', description: 'Because.' }] },
    ];
    appendFileSync(file, `${JSON.stringify({ $set: { messages } })}\n`);
    expect(await texts()).toEqual([
      before[0],
      'user: Something else.',
      'assistant: (thinking) Why\n\nBecause. | Second.',
    ]);
  });

  it('a document that was written anew between finding a message and reading it', async () => {
    const from = path.join(fixtures, '0.8.2-plain');
    const chat = path.join(
      from,
      'tmp/36bcfe5f367807dd1b44daa2d0383845ba83b92b0192f3de8046f9a35e37e3ab/chats/session-2026-11-15T19-30-28e9843e.json',
    );
    const file = path.join(folder, 'session-x.json');
    const document = JSON.parse(readFileSync(chat, 'utf8'));
    writeFileSync(file, JSON.stringify(document));
    const bodies = openAt(file, 'document');
    const places = await bodies.places();
    writeFileSync(file, JSON.stringify({ ...document, more: 'x'.repeat(1000) }, null, 4));
    expect((await bodies.read(places)).map(showMessage)).toEqual([
      'user: Please do the job. [[play:plain]]',
      'assistant: Hello. No sub-agents needed.',
    ]);
  });
});
