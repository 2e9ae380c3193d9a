import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../testing/all-hosts.ts';
import { PROGRAMS, sessionsPrinted } from './printed-sessions.ts';

// What the real programs printed (Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0, Qwen Code 0.24.4, Copilot 1.0.102,
// OpenCode 1.18.33), as it stood in the result of the call that ran them.
const CODEX = `OpenAI Codex v0.166.0
--------
workdir: /home/dev/app
model: gpt-5.5
reasoning summaries: none
session id: 01a1e10d-8ac3-7573-9a58-2c6d36333ffe
--------
user
Please do the job.
codex
Hello. No sub-agents needed.
tokens used
3,438
`;
const PRINTED: readonly (readonly [command: string, printed: string, session: string])[] = [
  ['codex exec "Please do the job." < /dev/null', CODEX, 'codex:01a1e10d-8ac3-7573-9a58-2c6d36333ffe'],
  [
    'codex exec --json "Please do the job."',
    'Reading additional input from stdin...\n{"type":"thread.started","thread_id":"01a1e10d-8ca7-7370-ac13-aab8c6ddc774"}\n{"type":"turn.started"}\n',
    'codex:01a1e10d-8ca7-7370-ac13-aab8c6ddc774',
  ],
  [
    'claude -p "Please do the job." --output-format json',
    '{"duration_api_ms":51,"stop_reason":"end_turn","session_id":"c2ef4799-788e-4796-9ac3-9d616482465f","result":"Hello.","type":"result"}',
    'claude-code:c2ef4799-788e-4796-9ac3-9d616482465f',
  ],
  [
    'gemini -p "Please do the job." -o json',
    'Ripgrep is not available. Falling back to GrepTool.\n{\n  "session_id": "3af93a4b-883c-4251-9c41-9d2a9cf8314d",\n  "response": "Hello.",\n  "stats": {\n    "models": {}\n  }\n}',
    'gemini:3af93a4b-883c-4251-9c41-9d2a9cf8314d',
  ],
  [
    'gemini -p "Please do the job." -o stream-json',
    '{"type":"init","timestamp":"2026-11-15T21:12:10.295Z","session_id":"abc2532a-c03f-4809-88d7-39870421fd6e","model":"gemini-2.5-flash"}\n',
    'gemini:abc2532a-c03f-4809-88d7-39870421fd6e',
  ],
  [
    'qwen -p "Please do the job." -o json --yolo',
    '[{"type":"system","subtype":"init","uuid":"ccf6d8e7-5c3c-4888-a2ea-6e1e555e0433","session_id":"ccf6d8e7-5c3c-4888-a2ea-6e1e555e0433"}]',
    'qwen:ccf6d8e7-5c3c-4888-a2ea-6e1e555e0433',
  ],
  [
    'copilot -p "Please do the job." --allow-all-tools',
    'seen\n\nTokens     ↑ 11.7k (5.8k cached) • ↓ 25\nResume     copilot --resume=af4b72c5-d827-48cf-9d66-1ada904089c6',
    'copilot:af4b72c5-d827-48cf-9d66-1ada904089c6',
  ],
  [
    'copilot -p "Please do the job." --output-format json',
    '{"type":"user.message","data":{"content":"x"}}\n{"type":"result","timestamp":"2026-11-15T21:12:27.885Z","sessionId":"ed38772b-be0b-4b03-990f-4ec20b7b5496","exitCode":0}',
    'copilot:ed38772b-be0b-4b03-990f-4ec20b7b5496',
  ],
  [
    'opencode run --format json "Please do the job."',
    '{"type":"step_start","timestamp":1794777130337,"sessionID":"ses_4a1b2c3d4ffeAbCdEfGhIjKlMn","part":{}}\n',
    'opencode:ses_4a1b2c3d4ffeAbCdEfGhIjKlMn',
  ],
];

const HERE = `"session_id":"c2ef4799-788e-4796-9ac3-9d616482465f"`;

describe('sessions that a command printed', () => {
  it('are known of every host whose program prints a stream', () => {
    const hosts = (all: readonly { readonly host: string }[]) => all.map(({ host }) => host).toSorted();
    expect(hosts(PROGRAMS)).toEqual(hosts(ADAPTERS.filter(({ stream }) => stream)));
  });

  it.each(PRINTED)('%s', (command, printed, session) => {
    expect(sessionsPrinted(command, printed)).toEqual([session]);
  });

  it.each([
    'cd app && timeout 60 codex exec "x" 2>&1 | tail -50',
    'npx -y @openai/codex@0.166.0 exec x',
    `bash -lc 'codex exec "x"'`,
    'TERM=dumb /opt/codex/bin/codex exec "$(cat prompt.md)"',
    "export TROUPE_AGENT='a:b:c:main'\ncodex exec x",
  ])('however it is run: %s', (command) => {
    expect(sessionsPrinted(command, CODEX)).toHaveLength(1);
  });

  it.each([
    ['a log is no run', 'cat codex.log', CODEX],
    ['nor is a word', 'echo codex exec; cat log.txt', CODEX],
    ['nor another program', 'claude -p "how did codex do?"', CODEX],
    ['an answer that quotes a record', 'claude -p x', `It was {"type":"result",${HERE}}.`],
    ['a record in a record', 'claude -p x', JSON.stringify({ text: `{"type":"result",${HERE}}` })],
    ['half a record', 'claude -p x', `{"type":"result",${HERE}`],
    ['what else Codex prints as JSON', 'codex exec --json x', '{"type":"item.completed","thread_id":"01a1e10d"}'],
    ['nothing', 'codex exec x', ''],
  ])('%s', (_why, command, printed) => {
    expect(sessionsPrinted(command, printed)).toEqual([]);
  });
});
