// A history of Claude Code like those that people have: many projects, sessions of very different length, two layouts as recorded from 2.1.161
// and 2.1.325, the latter with the requests themselves. The texts are code and prose of the installed packages. Deterministic.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root as project } from '../scripts/ensure-installed.mjs';

const DAY = 86_400_000;
const NEWEST = Date.parse('2026-11-15T08:00:00Z');
/** Old enough for what is kept of them to hold. */
const WRITTEN = Date.now() / 1000 - 3_600;

/** Returns how many files, sessions and bytes it wrote. */
export function writeHistory(root, { megabytes }) {
  const random = createRandom(20261127);
  const texts = createTexts(random);
  let [bytes, files, sessions] = [0, 0, 0];
  while (bytes < megabytes * 1e6) {
    const agents = random() < 0.5 ? 0 : 1 + Math.floor(14 * random() ** 2);
    const sizes = [
      logNormal(random, 600_000, 1),
      ...Array.from({ length: agents }, () => logNormal(random, 260_000, 0.8)),
    ];
    const written = writeSession(root, { random, texts, number: sessions++, sizes });
    bytes += written;
    files += sizes.length;
  }
  return { bytes, files, sessions };
}

/** One session with many agents. */
export function writeLargeSession(root, { megabytes, agents, largest }) {
  const random = createRandom(1069);
  const share = (megabytes - largest) / agents;
  const sizes = [share, largest, ...Array.from({ length: agents - 1 }, () => share * (0.4 + 1.2 * random()))];
  const bytes = writeSession(root, {
    random,
    texts: createTexts(random),
    number: 0,
    sizes: sizes.map((size) => size * 1e6),
  });
  return { bytes, files: sizes.length };
}

const PROJECTS = [
  'shop',
  'api',
  'billing',
  'site',
  'infra',
  'notes',
  'parser',
  'mobile',
  'search',
  'etl',
  'auth',
  'docs',
];

function writeSession(root, { random, texts, number, sizes }) {
  const cwd = `/home/dev/${PROJECTS[Math.floor(random() * PROJECTS.length)]}`;
  const folder = path.join(root, 'projects', cwd.replaceAll('/', '-'));
  const id = uuid(random);
  const [main, ...others] = sizes;
  const version = random() < 0.4 ? '2.1.325' : '2.1.161';
  const startedAt = NEWEST - Math.floor(random() * 120) * DAY - Math.floor(random() * DAY);
  const of = { random, texts, session: id, cwd, version, startedAt };
  const agents = others.map((bytes) => ({ agent: `a${hex(random, 16)}`, call: `toolu_01${hex(random, 22)}`, bytes }));
  const subagents = path.join(folder, id, 'subagents');
  mkdirSync(agents.length > 0 ? subagents : folder, { recursive: true });
  let bytes = writeFile(path.join(folder, `${id}.jsonl`), transcript({ ...of, bytes: main, spawns: agents }));
  for (const { agent, call, bytes: size } of agents) {
    const file = path.join(subagents, `agent-${agent}`);
    const description = texts.words(4);
    bytes += writeFile(`${file}.jsonl`, transcript({ ...of, agent, bytes: size, spawns: [] }));
    const meta = {
      agentType: 'general-purpose',
      isBuiltIn: true,
      description,
      toolUseId: call,
      spawnDepth: 1,
      finished: true,
    };
    writeFileSync(`${file}.meta.json`, JSON.stringify(meta));
    utimesSync(`${file}.meta.json`, WRITTEN - number, WRITTEN - number);
  }
  return bytes;
}

function* transcript({ random, texts, session, agent, cwd, version, startedAt, bytes, spawns }) {
  const isNew = version === '2.1.325';
  let at = startedAt;
  let parent = null;
  let size = 0;
  let done = 0;
  const now = () => {
    at += Math.floor(200 + random() * 9_000);
    return new Date(at).toISOString();
  };
  const tail = () => ({ userType: 'external', entrypoint: 'cli', cwd, sessionId: session, version, gitBranch: 'main' });
  const line = (head, rest = {}) => {
    const own = uuid(random);
    const record = {
      parentUuid: parent,
      isSidechain: agent !== undefined,
      ...(agent && { agentId: agent }),
      ...head,
      uuid: own,
      timestamp: now(),
      ...rest,
      ...tail(),
    };
    parent = own;
    return record;
  };
  const attachment = (type, fields, rendered) =>
    line(
      { attachment: { type, ...fields }, type: 'attachment' },
      isNew && rendered ? { rendered: [{ content: rendered }], renderedRole: 'system' } : {},
    );
  const shape = () => ({
    type: 'api-request-shape',
    sessionId: session,
    shapeHash: hex(random, 64),
    timestamp: now(),
    version,
    shape: {
      system: [{ type: 'text', text: texts.prose(27_000) }],
      tools: Array.from({ length: 12 }, (_, tool) => ({
        name: `Tool${tool}`,
        description: texts.prose(1_200 + random() * 3_000),
        input_schema: { type: 'object', properties: { path: { type: 'string', description: texts.prose(200) } } },
      })),
    },
  });
  let count = 0;
  let request;
  const blobs = [];
  const asked = () => {
    request = uuid(random);
    const params = {
      model: 'claude-sonnet-4-5',
      betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14'],
      max_tokens: 32_000,
    };
    const tail = blobs.map(() => hex(random, 64));
    const lines = [
      {
        type: 'api-request',
        sessionId: session,
        id: request,
        timestamp: now(),
        version,
        querySource: 'repl',
        shapeHash: hex(random, 64),
        params,
        keep: count,
        tail,
        requestDigest: hex(random, 64),
      },
    ];
    for (const [index, message] of blobs.entries())
      lines.push({ type: 'api-request-blob', sessionId: session, hash: tail[index], message });
    blobs.length = 0;
    return lines;
  };
  let message;
  const begin = () => {
    const [id, requestId] = [`msg_01${hex(random, 22)}`, `req_01${hex(random, 22)}`];
    const [input, written] = [Math.floor(random() * 40), Math.floor(random() * 4_000)];
    message = {
      id,
      requestId,
      usage: {
        input_tokens: input,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: Math.floor(9_000 + random() * 120_000),
        output_tokens: Math.floor(20 + random() * 900),
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
        service_tier: 'standard',
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: written },
        inference_geo: '',
        iterations: [],
        speed: 'standard',
      },
    };
  };
  const said = [];
  const reply = (block, stop) => {
    const { id, requestId, usage } = message;
    said.push(block);
    const content = {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: stop,
      stop_sequence: null,
      usage,
      stop_details: null,
    };
    return line({
      message: content,
      ...(isNew && { apiBlockIndex: said.length - 1, requestRef: request }),
      requestId,
      type: 'assistant',
    });
  };
  const prompt = () =>
    line({
      promptId: uuid(random),
      type: 'user',
      message: { role: 'user', content: texts.prose(80 + 900 * random() ** 2) },
    });
  const out = function* (...records) {
    for (const record of records) {
      const text = `${JSON.stringify(record)}\n`;
      size += text.length;
      yield text;
    }
  };
  const first = prompt();
  yield* out(first);
  blobs.push(first.message);
  yield* out(
    attachment('skill_listing', { content: texts.prose(6_000), skillCount: 13, isInitial: true }, texts.prose(6_200)),
  );
  if (isNew) {
    yield* out(attachment('environment', { snapshot: { workingDirectory: cwd, platform: 'linux' } }, texts.prose(900)));
    yield* out(
      attachment('prompt_snapshot', { systemPrompt: [texts.prose(14_000)], contextRendering: 'announced' }),
      shape(),
    );
  }
  if (agent === undefined) yield* out({ type: 'ai-title', aiTitle: texts.words(5), sessionId: session });
  while (size < bytes || done < spawns.length) {
    if (isNew) yield* out(...asked());
    if (isNew && count % 40 === 39) yield* out(shape());
    count++;
    begin();
    said.length = 0;
    const spawn = spawns[done];
    if (random() < 0.3)
      yield* out(
        reply(
          {
            type: 'thinking',
            thinking: texts.prose(150 + 1_800 * random() ** 2),
            signature: base64(random, 300 + random() * 1_300),
          },
          'tool_use',
        ),
      );
    if (random() < 0.4) yield* out(reply({ type: 'text', text: texts.prose(60 + 900 * random() ** 2) }, 'tool_use'));
    const call = spawn?.call ?? `toolu_01${hex(random, 22)}`;
    const { name, input, result, facts } = spawn ? agentCall(texts, spawn) : toolCall(random, texts, cwd);
    yield* out(reply({ type: 'tool_use', id: call, name, input }, 'tool_use'));
    if (!isNew && random() < 0.4)
      yield* out(
        line({
          type: 'progress',
          data: {
            type: 'hook_progress',
            hookEvent: 'PostToolUse',
            hookName: `PostToolUse:${name}`,
            command: 'callback',
          },
          parentToolUseID: call,
          toolUseID: call,
        }),
      );
    const content = [{ tool_use_id: call, type: 'tool_result', content: result }];
    const user = line(
      { promptId: uuid(random), type: 'user', message: { role: 'user', content } },
      { toolUseResult: facts, sourceToolAssistantUUID: parent },
    );
    yield* out(user);
    if (isNew) blobs.push({ role: 'assistant', content: [...said] }, user.message);
    if (isNew && random() < 0.3)
      yield* out(attachment('total_tokens_reminder', { text: '<total_tokens>150000 tokens left</total_tokens>' }));
    if (spawn) done++;
    else if (agent === undefined && random() < 0.05) {
      begin();
      yield* out(reply({ type: 'text', text: texts.prose(100 + 1_500 * random()) }, 'end_turn'));
      yield* out({
        type: 'file-history-snapshot',
        messageId: uuid(random),
        snapshot: { messageId: uuid(random), trackedFileBackups: backups(random, texts), timestamp: now() },
        isSnapshotUpdate: false,
      });
      yield* out(prompt());
    }
  }
  begin();
  yield* out(reply({ type: 'text', text: texts.prose(200 + 1_500 * random()) }, 'end_turn'));
}

function backups(random, texts) {
  const count = Math.floor(random() * 20);
  return Object.fromEntries(
    Array.from({ length: count }, () => [
      texts.path(),
      { backupFileName: hex(random, 16), version: 2, backupTime: new Date(NEWEST).toISOString() },
    ]),
  );
}

function agentCall(texts, { agent }) {
  const report = texts.prose(1_500);
  return {
    name: 'Agent',
    input: { description: texts.words(4), prompt: texts.prose(900), subagent_type: 'general-purpose' },
    result: [{ type: 'text', text: `${report}\nagentId: ${agent} (use SendMessage to continue this agent)` }],
    facts: {
      status: 'completed',
      agentId: agent,
      agentType: 'general-purpose',
      content: [{ type: 'text', text: report }],
      totalDurationMs: 91_000,
      totalTokens: 18_000,
      totalToolUseCount: 20,
    },
  };
}

function toolCall(random, texts, cwd) {
  const file_path = `${cwd}/${texts.path()}`;
  const kind = random();
  if (kind < 0.32) {
    const content = texts.code(logNormal(random, 4_500, 0.9));
    const lines = content.split('\n');
    const numbered = lines.map((text, index) => `${String(index + 1).padStart(6)}→${text}`).join('\n');
    const file = { filePath: file_path, content, numLines: lines.length, startLine: 1, totalLines: lines.length };
    return { name: 'Read', input: { file_path }, result: numbered, facts: { type: 'text', file } };
  }
  if (kind < 0.64) {
    const stdout = texts.output(logNormal(random, 900, 1.3));
    const input = {
      command: `cd ${cwd} && ${texts.words(3).toLowerCase()} ${texts.path()}`,
      description: texts.words(5),
    };
    return {
      name: 'Bash',
      input,
      result: stdout,
      facts: { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
    };
  }
  if (kind < 0.8) {
    const originalFile = texts.code(logNormal(random, 7_000, 0.8));
    const [old_string, new_string] = [texts.code(80 + random() * 900), texts.code(80 + random() * 1_300)];
    const changed = [
      ...old_string.split('\n').map((text) => `-${text}`),
      ...new_string.split('\n').map((text) => `+${text}`),
    ];
    const structuredPatch = [{ oldStart: 10, oldLines: 9, newStart: 10, newLines: 12, lines: changed }];
    const facts = {
      filePath: file_path,
      oldString: old_string,
      newString: new_string,
      originalFile,
      structuredPatch,
      userModified: false,
      replaceAll: false,
    };
    return {
      name: 'Edit',
      input: { file_path, old_string, new_string, replace_all: false },
      result: `The file ${file_path} has been updated successfully.`,
      facts,
    };
  }
  if (kind < 0.85) {
    const content = texts.code(logNormal(random, 4_000, 0.7));
    return {
      name: 'Write',
      input: { file_path, content },
      result: `File created successfully at: ${file_path}`,
      facts: { type: 'create', filePath: file_path, content, structuredPatch: [], originalFile: null },
    };
  }
  const found = Array.from(
    { length: Math.ceil(random() * 40) },
    () => `${texts.path()}:${Math.floor(random() * 900)}:${texts.code(60).replaceAll('\n', ' ')}`,
  ).join('\n');
  return {
    name: 'Grep',
    input: { pattern: texts.words(1), path: cwd, output_mode: 'content' },
    result: found,
    facts: { mode: 'content', numFiles: 4, filenames: [], content: found, numLines: 20 },
  };
}

const CODE = [
  'typescript',
  'hono/dist',
  'yaml',
  'grammy',
  'valibot',
  'preact',
  'fast-check/lib',
  'highlight.js/lib',
  '@types/node',
  'vitest/dist',
];
const MAX_SOURCE = 24_000_000;

/** Texts of the packages that the project installs, in versions that its lock file names. */
function createTexts(random) {
  const code = { text: readBelow(CODE, /(?<!\.min)\.(?:js|ts|mjs|cjs)$/) };
  const prose = { text: readBelow([''], /\.md$/) };
  const piece = ({ text }, length) => {
    const from = Math.floor(random() * Math.max(1, text.length - length));
    return text.slice(from, from + length).toWellFormed();
  };
  const names = [...new Set(piece(code, 400_000).match(/\b[a-z][a-zA-Z]{3,14}\b/g))];
  const name = () => names[Math.floor(random() * names.length)];
  return {
    code: (length) => piece(code, length),
    prose: (length) => piece(prose, length),
    words: (count) => Array.from({ length: count }, name).join(' '),
    path: () => `src/${name()}/${name()}.ts`,
    /** As programs print: names, numbers and digests, most of them only once. */
    output(length) {
      let text = '';
      while (text.length < length) {
        const kind = random();
        if (kind < 0.1) text += `commit ${hex(random, 40)}\n`;
        else if (kind < 0.5) text += `${hex(random, 7)} ${name()} ${name()} ${Math.floor(random() * 1e6)} ms\n`;
        else if (kind < 0.7)
          text += ` ✓ src/${name()}/${name()}.test.ts (${Math.floor(random() * 90)} tests) ${Math.floor(random() * 9_000)}ms\n`;
        else text += piece(code, 200);
      }
      return text.slice(0, length).toWellFormed();
    },
  };
}

function readBelow(folders, wanted) {
  let text = '';
  for (const folder of folders) {
    const base = path.join(project, 'node_modules', folder);
    const names = readdirSync(base, { recursive: true, encoding: 'utf8' })
      .filter((name) => wanted.test(name))
      .sort();
    for (const name of names) {
      if (text.length > MAX_SOURCE) return text;
      const file = path.join(base, name);
      if (statSync(file).isFile()) text += readFileSync(file, 'utf8').slice(0, 2_000_000);
    }
  }
  return text;
}

function writeFile(file, texts) {
  writeFileSync(file, '');
  let bytes = 0;
  let pending = '';
  const flush = () => {
    appendFileSync(file, pending);
    bytes += Buffer.byteLength(pending);
    pending = '';
  };
  for (const text of texts) {
    pending += text;
    if (pending.length > 8_000_000) flush();
  }
  flush();
  utimesSync(file, WRITTEN, WRITTEN);
  return bytes;
}

function logNormal(random, median, spread) {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(median * 20, median * Math.exp(spread * normal));
}

function hex(random, length) {
  let text = '';
  while (text.length < length)
    text += Math.floor(random() * 0x100000000)
      .toString(16)
      .padStart(8, '0');
  return text.slice(0, length);
}

function base64(random, length) {
  return Buffer.from(hex(random, length * 1.5), 'hex')
    .toString('base64')
    .slice(0, length);
}

function uuid(random) {
  const digits = hex(random, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`;
}

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
