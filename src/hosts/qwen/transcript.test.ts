import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readTranscript, showMessage, showSession } from '../testing/show-messages.ts';
import { qwen } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

const read = (name: string, agent: string) => readTranscript(qwen, path.join(fixtures, name), agent);

describe('transcripts of Qwen Code', () => {
  it('an agent that asks for two: one message for a reply of many lines', async () => {
    const { messages } = await read('0.24.4-nested', 'general-purpose-call_01mwhk2w340000nxxxxxxxxx');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Audit this repository; delegate file checks to another agent",
        "assistant: run_shell_command(ls) | gave "build\\nsrc"",
        "assistant: I will delegate one file. | agent(Check app.js) → general-purpose-call_01mwhk2wtj0000rxxxxxxxxx | gave "The file looks fine." | agent(Check util.js) → general-purpose-call_01mwhk2wtj0000sxxxxxxxxx | gave "The file looks fine."",
        "assistant: Audit: two files checked, no problems.",
      ]
    `);
  });

  it('what failed, and why', async () => {
    const { messages } = await read('0.24.4-failing', 'f274cf1e');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:failing]]",
        "assistant: agent(Will hit API error) → general-purpose-call_01mwhk36q90001bxxxxxxxxx | failed "Subagent execution failed."",
        "assistant: The first agent failed. Trying another one. | agent(Will have failing tool) → general-purpose-call_01mwhk37ep0001gxxxxxxxxx | gave "The command failed with exit code 3 and the file does not ex"",
        "assistant: agent(Unknown type) | failed "Subagent \\"no-such-agent\\" not found. Available subagents: gen"",
        "assistant: Done: one API failure, one tool failure, one unknown agent t",
      ]
    `);
  });

  it('an agent in the background, and the notice of its end', async () => {
    const { messages } = await read('0.24.4-background', 'c6fd0695');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Please do the job. [[play:background]]",
        "assistant: I will start the long job in the background. | agent(Long running check) → general-purpose-call_01mwhk320p00012xxxxxxxxx | gave "Background agent launched successfully.\\ntask_id: general-pur"",
        "assistant: run_shell_command(echo main-continues) | gave "main-continues"",
        "assistant: The background agent is running; I will report when it is do",
        "system: [background Agent "Long running check" completed. → general-purpose-call_01mwhk320p00012xxxxxxxxx] slow check passed",
        "assistant: The background agent finished: slow check passed.",
      ]
    `);
  });

  it('an agent that was written to: both runs in one conversation', async () => {
    const { messages } = await read('0.24.4-resume', 'general-purpose-call_01mwi8k9vz00002xxxxxxxxx');
    expect(messages.map(showMessage)).toMatchInlineSnapshot(`
      [
        "user: Do the first pass. [[play:sub-pass]]",
        "assistant: run_shell_command(echo pass-one) | gave "pass-one"",
        "assistant: first pass done",
        "user: Now do the second pass. [[play:sub-pass2]]",
        "assistant: run_shell_command(echo pass-two; sleep 0.3) | gave "pass-two"",
        "assistant: second pass done",
      ]
    `);
  });

  it('an agent that left no file: what its parent knows', async () => {
    expect(await showSession(qwen, path.join(fixtures, '0.5.2-single'))).toMatchInlineSnapshot(`
      {
        "d038d263-17b4-4783-ab55-73a7fecd34ca": [
          "from transcript",
          "user: Please do the job. [[play:single]]",
          "assistant: I will delegate the search to a sub-agent. | task(Count TODO comments) → general-purpose-call_01mwi8dtc500002xxxxxxxxx | gave "There are 2 TODO comments in src/."",
          "assistant: The sub-agent found 2 TODO comments.",
        ],
        "general-purpose-call_01mwi8dtc500002xxxxxxxxx": [
          "from parent",
          "system: [note Its own transcript is not there. This is what the call that made it holds. → general-purpose-call_01mwi8dtc500002xxxxxxxxx] ",
          "user: Count the TODO comments in this repository and report the nu",
          "assistant: There are 2 TODO comments in src/.",
        ],
      }
    `);
  });
});
