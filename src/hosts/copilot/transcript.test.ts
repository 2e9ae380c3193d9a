import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readTranscript, showMessage } from '../testing/show-messages.ts';
import { copilot } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

const read = (name: string, agent: string) => readTranscript(copilot, path.join(fixtures, name), agent);

describe('transcripts of Copilot CLI', () => {
  it('edits, commands and searches, each result behind its call', async () => {
    const { messages, diff_stats } = await read('1.0.102-tools', 'f3537785');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:co-tools]]",
        "assistant: I will change a file. | edit(/home/dev/1.0.102-tools/project/src/app.js) | gave "File /home/dev/1.0.102-tools/project/src/app.js updated with"",
        "assistant: create(/home/dev/1.0.102-tools/project/NEW.md) | gave "Created file /home/dev/1.0.102-tools/project/NEW.md with 8 c"",
        "assistant: apply_patch(src/util.js) | failed "Tool 'apply_patch' does not exist."",
        "assistant: sql(one) | gave "1 row(s) returned:\\n\\n| 1 |\\n| --- |\\n| 1 |"",
        "assistant: grep(TODO) | gave "/home/dev/1.0.102-tools/project/src/app.js\\n/home/dev/1.0.102" | glob(**/*.js) | gave "./src/app.js\\n./src/util.js"",
        "assistant: bash(cat src/app.js; exit 3) | failed "Exit code 3\\n// TODO: handle errors\\nexport const app = () => "",
        "assistant: no_such_tool(null) | failed "Tool 'no_such_tool' does not exist."",
        "assistant: view(null) | failed "\\"path\\": Required"",
        "assistant: Changed.",
      ]
    `);
    expect(diff_stats).toMatchObject({ added: 4, removed: 1 });
  });

  it('calls lead to the agents that they made, and failures are told', async () => {
    const { messages } = await read('1.0.102-failing', '0232387f');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:failing]]",
        "assistant: task(Will hit API error) → 71e55b06-f5b2-44b8-bd13-2134ef07316f | failed "400 synthetic failure from the scripted model"",
        "assistant: The first agent failed. Trying another one. | task(Will have failing tool) → 18df835f-37d3-4138-b673-8e7ae84e7821 | gave "The command failed with exit code 3 and the file does not ex"",
        "assistant: task(Unknown type) | failed "Unknown agent_type: no-such-agent. Valid types are: explore,"",
        "assistant: Done: one API failure, one tool failure, one unknown agent t",
      ]
    `);
  });

  it('an agent has its own lines of the file that all share', async () => {
    const { messages } = await read('1.0.102-failing', '71e55b06');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: This agent hits an API error. [[play:sub-apierror]]",
        "assistant: bash(echo before-error) | gave "before-error"",
        "system: [note the request failed] 400 synthetic failure from the scripted model",
      ]
    `);
  });

  it('the end of an agent in the background, and the call that the program makes then', async () => {
    const { messages } = await read('1.0.102-background', 'cdc76ced');
    expect(messages.map(showMessage).slice(3)).toMatchInlineSnapshot(`
      [
        "assistant: The background agent is running; I will report when it is do",
        "system: [background agent idle → e30d435a-c4e2-4d88-ad46-47bed5a04f1b] Agent "long-running-check" (general-purpose) has finished pr",
        "assistant: read_agent(e30d435a-c4e2-4d88-ad46-47bed5a04f1b) | gave "Agent is idle (waiting for messages). agent_id: e30d435a-c4e"",
        "assistant: Nothing more to do.",
      ]
    `);
  });

  it('a session in a terminal: interrupted, and compacted', async () => {
    const { messages } = await read('1.0.102-terminal', 'd7fa8bcb');
    expect(messages.map(showMessage).slice(3)).toMatchInlineSnapshot(`
      [
        "user: Again please. [[play:guarded]]",
        "assistant: task(Clean up) → 0023dd9b-f51d-4b81-a307-8ee8fc489f83",
        "system: [interruption interrupted] ",
        "user: Third time. [[play:guarded]]",
        "assistant: task(Clean up) → 95578bbb-d035-4fb8-b38b-50c58b6a5e3f",
        "system: [interruption interrupted] ",
        "system: (summary) The sub-agent was blocked by the guard.",
      ]
    `);
  });

  it('the task of an agent stands in the call that made it, where the version does not repeat it', async () => {
    const { messages } = await read('1.0.24-nested', 'call_01mwi8afen00002xxxxxxxxx');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Audit this repository; delegate file checks to another agent",
        "assistant: bash(ls) | gave "build  src"",
        "assistant: I will delegate one file. | task(Check app.js) → call_01mwi8ahct00006xxxxxxxxx | gave "The file looks fine." | task(Check util.js) → call_01mwi8ahct00007xxxxxxxxx | gave "The file looks fine."",
        "assistant: Audit: two files checked, no problems.",
      ]
    `);
  });
});
