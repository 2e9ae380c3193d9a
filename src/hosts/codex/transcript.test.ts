import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readTranscript, showMessage } from '../testing/show-messages.ts';
import { codex } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

const read = (name: string, agent: string) => readTranscript(codex, path.join(fixtures, name), agent);

describe('transcripts of Codex', () => {
  it('thoughts, patches, commands and searches, each result behind its call', async () => {
    const { messages, diff_stats } = await read('0.166.0-tools', '01a1e06f-ac2a');
    expect(messages.map(showMessage).slice(1)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:cx-tools]]",
        "assistant: (thinking) **Looking around** I will change a file. | I will change a file. | apply_patch(src/app.js, NEW.md) | gave "Success. Updated the following files:\\nA NEW.md\\nM src/app.js\\n"",
        "assistant: update_plan(two steps) | failed "unsupported call: update_plan"",
        "assistant: web_search(how to handle errors) | exec_command(cat src/app.js; exit 3) | failed "Exit code 3\\n// errors are handled\\nexport const app = () => '"",
        "assistant: exec_command(NEW.md) | gave "Success. Updated the following files:\\nD NEW.md\\n"",
        "assistant: Changed.",
      ]
    `);
    expect(diff_stats).toMatchObject({ added: 3, removed: 1 });
  });

  it('calls lead to the agents that they made, and ends are told in between', async () => {
    const { messages } = await read('0.166.0-failing', '01a1de45-bf51');
    expect(messages.map(showMessage).slice(1)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:failing]]",
        "assistant: spawn_agent(This agent hits an API error. [[play:sub-apierror]]) → 01a1de45-c031-7321-b409-402c17ea860b | gave "{\\"agent_id\\":\\"01a1de45-c031-7321-b409-402c17ea860b\\",\\"nickname"",
        "assistant: wait_agent(null) | gave "{\\"status\\":{\\"01a1de45-c031-7321-b409-402c17ea860b\\":{\\"errored\\""",
        "system: [background errored → 01a1de45-c031-7321-b409-402c17ea860b] synthetic failure from the scripted model",
        "assistant: The first agent failed. Trying another one. | spawn_agent(This agent runs a failing command. [[play:sub-toolfail]]) → 01a1de45-c216-73b1-aa71-7f7d8fa70e2f | gave "{\\"agent_id\\":\\"01a1de45-c216-73b1-aa71-7f7d8fa70e2f\\",\\"nickname"",
        "assistant: wait_agent(null) | gave "{\\"status\\":{\\"01a1de45-c216-73b1-aa71-7f7d8fa70e2f\\":{\\"complete"",
        "system: [background completed → 01a1de45-c216-73b1-aa71-7f7d8fa70e2f] The command failed with exit code 3 and the file does not ex",
        "assistant: spawn_agent(x) | failed "unknown agent_type 'no-such-agent'"",
        "assistant: wait_agent(null) | gave "{\\"status\\":{\\"01a1de45-c216-73b1-aa71-7f7d8fa70e2f\\":{\\"complete"",
        "assistant: Done: one API failure, one tool failure, one unknown agent t",
      ]
    `);
  });

  it('an agent of version 2: its task, not the history that it was given', async () => {
    const { messages } = await read('0.166.0-v2-failing', '01a1de46-31ed');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: This agent hits an API error. [[play:sub-apierror]]",
        "assistant: exec_command(echo before-error) | gave "before-error\\n"",
        "system: [note the turn failed] synthetic failure from the scripted model",
      ]
    `);
  });

  it('a forked agent of a version that does not say where the copy ends', async () => {
    const { messages } = await read('0.118.0-fork', '01a1e06f-87ac');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Check util.js with full context. [[play:sub-leaf]]",
        "assistant: exec_command(wc -l src/app.js src/util.js; sleep 0.2) | gave "  2 src/app.js\\n  2 src/util.js\\n  4 total\\n"",
        "assistant: The file looks fine.",
      ]
    `);
  });

  it('a compaction, and what was said after it', async () => {
    const { messages } = await read('0.118.0-terminal', '01a1e071-e0dc');
    expect(messages.map(showMessage).slice(-4)).toMatchInlineSnapshot(`
      [
        "system: (summary) Another language model started to solve this problem and pro",
        "system: [reminder environment context]   <cwd>/home/dev/0.118.0-terminal/project</cwd>
        <shell>bas",
        "user: Again. [[play:plain]]",
        "assistant: Hello. No sub-agents needed.",
      ]
    `);
  });

  it('the oldest rollouts, without times', async () => {
    const { messages } = await read('0.29.0-single', '00cd2c10');
    expect(messages.map(showMessage).slice(1)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:single]]",
        "assistant: I will delegate the search to a sub-agent. | spawn_agent(Count the TODO comments in this repository and report the number. [[play:sub-count]]) | failed "unsupported call: spawn_agent"",
        "assistant: wait_agent(null) | failed "unsupported call: wait_agent"",
        "assistant: The sub-agent found 2 TODO comments.",
      ]
    `);
    expect(messages.every(({ timestamp }) => timestamp === null)).toBe(true);
  });
});
