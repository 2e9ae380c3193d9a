// A stream of 1 GB through `troupe stream --tee`: bytes a second, and memory on the way. Three kinds of streams: large results,
// pieces of messages, many small calls. usage: node bench/stream.mjs [megabytes]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../scripts/ensure-installed.mjs';

const SESSION = '11111111-2222-4333-8444-555555555555';
const KINDS = {
  'results of 32 KB': { body: 32_000, pieces: 0 },
  'pieces of messages': { body: 2_000, pieces: 40 },
  'calls of 2 KB': { body: 1_500, pieces: 0 },
};
const MARKS = [0.1, 0.5, 1];

export async function benchStream(megabytes = 1000) {
  const rows = [];
  for (const [name, kind] of Object.entries(KINDS)) rows.push(await measure(name, kind, megabytes * 1_000_000));
  return rows;
}

async function measure(name, kind, bytes) {
  const args = [path.join(root, 'dist/troupe.js'), 'stream', '--tee', '--no-disk', '--events', '/dev/null'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = 0;
  child.stdout.on('data', (data) => {
    out += data.length;
  });
  const started = performance.now();
  const memory = [];
  let written = 0;
  for (const chunk of streamOf(kind)) {
    written += chunk.length;
    if (!child.stdin.write(chunk)) await once(child.stdin, 'drain');
    const mark = MARKS[memory.length] ?? 2;
    if (written >= mark * bytes) memory.push(residentMegabytes(child.pid));
    if (written >= bytes) break;
  }
  child.stdin.end();
  await once(child, 'close');
  const seconds = (performance.now() - started) / 1000;
  if (out !== written) throw new Error(`${out} bytes came out of ${written}`);
  return [name, `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`, ...memory.map((value) => `${value} MB`)];
}

/** Lines as Claude Code 2.1.325 prints them: one sub-agent that makes calls until nobody listens any more. */
function* streamOf({ body, pieces }) {
  const common = { session_id: SESSION, timestamp: '2026-11-15T06:50:17.121Z' };
  const call = 'toolu_spawn';
  const line = (record) => `${JSON.stringify({ ...record, ...common })}\n`;
  const text = 'x'.repeat(body);
  yield Buffer.from(
    line({ type: 'system', subtype: 'init', cwd: '/home/dev', model: 'm', claude_code_version: '2.1.325' }) +
      line(
        spoken('msg_0', { type: 'tool_use', id: call, name: 'Agent', input: { prompt: 'Go.', description: 'Go' } }),
      ) +
      line({ type: 'system', subtype: 'task_started', task_id: 'a1', tool_use_id: call, task_type: 'local_agent' }),
  );
  for (let index = 0; ; index++) {
    const id = `toolu_${index}`;
    const parent = { parent_tool_use_id: call, agent_id: 'a1' };
    const piece = line({ type: 'stream_event', event: { type: 'content_block_delta', delta: { text: 'some words' } } });
    const use = { type: 'tool_use', id, name: 'Bash', input: { command: 'make' } };
    const result = { type: 'tool_result', tool_use_id: id, content: text };
    yield Buffer.from(
      piece.repeat(pieces) +
        line({ ...spoken(`msg_${index + 1}`, use), ...parent }) +
        line({ type: 'user', uuid: `u${index}`, message: { role: 'user', content: [result] }, ...parent }),
    );
  }
}

function spoken(id, block) {
  return {
    type: 'assistant',
    parent_tool_use_id: null,
    message: { id, role: 'assistant', model: 'm', content: [block] },
  };
}

function residentMegabytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

export function printStream(rows) {
  const table = [['stream of', 'through', 'memory at 10 %', 'at 50 %', 'at the end'], ...rows];
  console.log(table.map((row) => row.map((cell) => String(cell).padEnd(20)).join('')).join('\n'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  printStream(await benchStream(Number(process.argv[2] ?? 1000)));
