// Thousands of old sessions and some that are being written, in the shape of Claude Code 2.1.325.
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the agents that write: their file, their ids, and what they have written so far. */
export function writeSessions(root, { files, agents, sessions }) {
  const perOld = 5;
  const old = Math.floor((files - agents * 2 - sessions) / perOld);
  const longAgo = new Date('2026-10-01T10:00:00Z');
  for (let at = 0; at < old; at++) {
    const session = idOf(at);
    const list = writeSession(
      root,
      `-home-dev-p${at % 25}`,
      session,
      ['a', 'b'].map((name) => `${name}${at}`),
      longAgo,
    );
    for (const file of list.flatMap(({ files: own }) => own)) utimesSync(file, longAgo, longAgo);
  }
  const writers = [];
  for (let at = 0; at < sessions; at++) {
    const names = Array.from({ length: agents / sessions }, (_, index) => `w${at}x${index}`);
    writers.push(...writeSession(root, '-home-dev-live', idOf(old + at), names, new Date()));
  }
  writeProcess(root, idOf(old));
  return writers
    .filter(({ agent }) => agent)
    .map(({ file, session, agent }) => ({
      file,
      session,
      agent,
      source: path.relative(root, file).split(path.sep).join('/'),
    }));
}

/** The first of the sessions at work has a process: this one. */
function writeProcess(root, sessionId) {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  mkdirSync(path.join(root, 'sessions'), { recursive: true });
  const record = { pid: process.pid, sessionId, procStart, startedAt: Date.now() - 1000, status: 'busy' };
  writeFileSync(path.join(root, 'sessions', `${process.pid}.json`), JSON.stringify(record));
}

function writeSession(root, project, session, names, time) {
  const folder = path.join(root, 'projects', project);
  const below = path.join(folder, session, 'subagents');
  mkdirSync(below, { recursive: true });
  const main = path.join(folder, `${session}.jsonl`);
  const calls = names.map((name) => ({
    type: 'tool_use',
    id: `toolu_${name}`,
    name: 'Agent',
    input: { prompt: 'Go.', description: `Job ${name}` },
  }));
  const lines = [lineOf({ session, n: 0, time, text: 'Do it.' }), lineOf({ session, n: 1, time, blocks: calls })];
  writeFileSync(main, lines.join(''));
  const written = [{ file: main, session, files: [main] }];
  for (const agent of names) {
    const file = path.join(below, `agent-${agent}.jsonl`);
    const sidecar = path.join(below, `agent-${agent}.meta.json`);
    writeFileSync(
      sidecar,
      JSON.stringify({
        agentType: 'general-purpose',
        description: `Job ${agent}`,
        toolUseId: `toolu_${agent}`,
        spawnDepth: 1,
      }),
    );
    writeFileSync(file, lineOf({ session, agent, n: 0, time, text: 'Go.' }));
    written.push({ file, session, agent, files: [file, sidecar] });
  }
  return written;
}

/** One line: what the agent was told, what it replied, or the result of the call before. About `bytes` long. */
export function lineOf({ session, agent, n, time, text, blocks, result, bytes = 0 }) {
  const record = {
    parentUuid: n === 0 ? null : `u-${agent ?? 'main'}-${n - 1}`,
    isSidechain: agent !== undefined,
    ...(agent && { agentId: agent }),
    type: blocks ? 'assistant' : 'user',
    message: blocks
      ? {
          id: `msg_${agent ?? 'main'}_${n}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: blocks,
          stop_reason: 'tool_use',
          usage: {
            input_tokens: 12,
            cache_creation_input_tokens: 150,
            cache_read_input_tokens: 9000 + (n % 1000),
            output_tokens: 40,
          },
        }
      : {
          role: 'user',
          content: result
            ? [{ type: 'tool_result', tool_use_id: result, content: 'x'.repeat(Math.max(0, bytes - 700)) }]
            : text,
        },
    uuid: `u-${session}-${agent ?? 'main'}-${n}`,
    timestamp: time.toISOString(),
    userType: 'external',
    cwd: '/home/dev/live',
    sessionId: session,
    version: '2.1.325',
    gitBranch: 'main',
  };
  if (blocks && bytes > 0)
    record.message.content = [{ type: 'text', text: 'y'.repeat(Math.max(0, bytes - 900)) }, ...blocks];
  return `${JSON.stringify(record)}\n`;
}

function idOf(number) {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
