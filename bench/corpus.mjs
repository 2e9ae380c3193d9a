// A corpus of the shape of real histories: long sessions, many agents, results of very different sizes. Deterministic.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export function writeCorpus(root, { megabytes, agentsPerSession = 12, sessionMegabytes = 8 }) {
  const random = mulberry(20261115);
  const project = path.join(root, 'projects', '-home-dev-bench');
  mkdirSync(project, { recursive: true });
  let written = 0;
  for (let session = 0; written < megabytes * 1e6; session++) {
    const id = `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`;
    const share = (sessionMegabytes * 1e6) / (agentsPerSession + 1);
    const calls = [];
    for (let agent = 0; agent < agentsPerSession; agent++)
      calls.push({ id: agentId(session, agent), call: `toolu_${session}_${agent}` });
    const folder = path.join(project, id, 'subagents');
    mkdirSync(folder, { recursive: true });
    written += write(path.join(project, `${id}.jsonl`), transcript(random, id, undefined, share, calls));
    for (const { id: agent, call } of calls) {
      written += write(path.join(folder, `agent-${agent}.jsonl`), transcript(random, id, agent, share, []));
      const meta = {
        agentType: 'general-purpose',
        description: `Job ${agent}`,
        toolUseId: call,
        spawnDepth: 1,
        finished: true,
      };
      writeFileSync(path.join(folder, `agent-${agent}.meta.json`), JSON.stringify(meta));
    }
  }
  return written;
}

function* transcript(random, session, agent, bytes, spawns) {
  let at = Date.parse('2026-11-15T08:00:00Z');
  let line = 0;
  const tick = () => {
    at += 1500;
    return new Date(at).toISOString();
  };
  const envelope = (type, message) => ({
    parentUuid: line === 0 ? null : `u-${agent ?? 'main'}-${line - 1}`,
    isSidechain: agent !== undefined,
    ...(agent && { agentId: agent }),
    type,
    message,
    uuid: `u-${session}-${agent ?? 'main'}-${line++}`,
    timestamp: tick(),
    userType: 'external',
    entrypoint: 'cli',
    cwd: '/home/dev/bench',
    sessionId: session,
    version: '2.1.325',
    gitBranch: 'main',
  });
  const reply = (block, n) =>
    envelope('assistant', {
      id: `msg_${session}_${agent ?? 'main'}_${n}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn',
      usage: { input_tokens: 12, output_tokens: 80, cache_read_input_tokens: 9000, cache_creation_input_tokens: 150 },
    });
  yield envelope('user', { role: 'user', content: text(random, 400) });
  let size = 0;
  for (let n = 0; size < bytes || n < spawns.length; n++) {
    const spawn = spawns[n];
    const call = spawn?.call ?? `toolu_${session}_${agent ?? 'main'}_c${n}`;
    const input = spawn
      ? { description: `Job ${spawn.id}`, prompt: text(random, 400), subagent_type: 'general-purpose' }
      : { command: text(random, 80), description: 'Do it' };
    const request = reply({ type: 'tool_use', id: call, name: spawn ? 'Agent' : 'Bash', input }, n);
    // Most results are short, a few are whole files.
    const length = random() < 0.15 ? 4000 + random() * 30_000 : 100 + random() * 1500;
    const result = envelope('user', {
      role: 'user',
      content: [{ tool_use_id: call, type: 'tool_result', content: text(random, length) }],
    });
    if (spawn) result.toolUseResult = { status: 'completed', agentId: spawn.id, agentType: 'general-purpose' };
    yield request;
    yield result;
    if (n % 9 === 0) {
      const { parentUuid, isSidechain, ...rest } = envelope('attachment');
      const attachment = { type: 'prompt_snapshot', systemPrompt: [text(random, 6000)] };
      yield { parentUuid, isSidechain, attachment, ...rest };
    }
    size += length + 1700;
  }
  yield reply({ type: 'text', text: text(random, 500) }, 'last');
}

const WORDS = 'const return import "quoted" \\n {brace} function → await 12345 path/to/file.ts test expect'.split(' ');

function text(random, length) {
  let result = '';
  while (result.length < length) result += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return result.slice(0, length);
}

function write(file, records) {
  const body = [...records].map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(file, body);
  return body.length;
}

const agentId = (session, agent) => `a${(session * 1000 + agent).toString(16).padStart(16, '0')}`;

function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
