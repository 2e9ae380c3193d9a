// Claude Code.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { hasTmux } from '../terminal.mjs';
import { cannotTellDeath, findLack, jsonLines, OFFERS } from './host-texts.mjs';
import { isAtLeast } from './versions.mjs';

const TYPES = { general: 'general-purpose', explore: 'Explore' };
const ALLOWED = ['Bash', 'Read', 'Grep', 'Agent', 'Task', 'SendMessage', 'TaskStop', 'TeamCreate', 'TeamDelete'];
const KEY = 'sk-ant-scripted-model';

export const claudeCode = {
  name: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  versions: [
    '2.1.328',
    '2.1.325',
    '2.1.287',
    '2.1.220',
    '2.1.161',
    '2.1.92',
    '2.1.88',
    '2.1.45',
    '2.1.39',
    '2.0.76',
    '1.0.60',
  ],
  program: 'claude',
  /** From about 2.1.113 on the package holds a native program for each platform. */
  nativePrograms: () => [[`@anthropic-ai/claude-code-${process.platform}-${process.arch}`, 'claude']],

  environment: (url, { temp }) => ({
    CLAUDE_CODE_TMPDIR: temp,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }),

  /** Answers everything that a first start would ask: theme, key, trust. Edits are accepted inside the project only. */
  prepare(sandbox, version) {
    const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] };
    const answers = {
      hasCompletedOnboarding: true,
      lastOnboardingVersion: version,
      numStartups: 5,
      theme: 'dark',
      autoUpdates: false,
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [sandbox.project]: project },
    };
    sandbox.write(path.join(sandbox.home, '.claude.json'), JSON.stringify(answers));
    const permissions = { defaultMode: 'acceptEdits', allow: ALLOWED };
    sandbox.write(path.join(sandbox.home, '.claude/settings.json'), JSON.stringify({ permissions }));
  },

  printArgs: (prompt, { resume, fork, latest } = {}) => [
    ...['-p', prompt, '--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'],
    ...(latest ? ['--continue'] : resume ? ['--resume', resume] : []),
    ...(fork ? ['--fork-session'] : []),
  ],

  agentFile: ({ name }, { project }) => path.join(project, `.claude/agents/${name}.md`),

  terminalArgs: ({ resume, last, fork } = {}) => [
    ...['--model', 'claude-sonnet-4-5'],
    ...(last ? ['--continue'] : []),
    ...(resume ? ['--resume', resume] : []),
    ...(fork ? ['--fork-session'] : []),
  ],

  /** The command that copies the session and goes on in the copy. */
  branchCommand: (version) => (isAtLeast(version, '2.1.88') ? '/branch' : '/fork'),

  /** A resumed session begins a new file with a copy of the conversation; its agents stay in the old one. */
  resumeForks: (version) => !isAtLeast(version, '2.0.0'),
  forkCopies: (version) => ({
    agents: isAtLeast(version, '2.0.0'),
    // Seen in 2.1.161, not in 2.1.325: a call without a result is left out.
    openCalls: isAtLeast(version, '2.1.220'),
  }),

  /** The fork is told that an agent did not finish that still works in the original. */
  busyInFork: (version) => (isAtLeast(version, '2.1.220') ? 'failed' : 'unknown'),

  /** The id of the session, from the output of a headless run. */
  sessionId: (stdout) => jsonLines(stdout).find(({ session_id }) => session_id)?.session_id,

  /** A resumed session goes on with the totals of its runs before. */
  totalsAreCumulative: true,

  /** What the host itself counted, from the output of a headless run. */
  totals: (stdout) => sumModels(jsonLines(stdout).findLast(({ type, modelUsage }) => type === 'result' && modelUsage)),

  /** The same, from the last line of a session in a terminal (2.1.286 and later). */
  writtenTotals(id, sandbox) {
    const projects = path.join(sandbox.home, '.claude/projects');
    const file = readdirSync(projects)
      .map((name) => path.join(projects, name, `${id}.jsonl`))
      .find(existsSync);
    return file ? sumModels(jsonLines(file).findLast(({ type }) => type === 'cost-state')) : null;
  },

  /** Up to 2.1.91 no file says reliably whether the process lives, so a session in a terminal stays open for a while. */
  mainStaysOpen: (version) => !isAtLeast(version, '2.1.92'),

  /** Before 2.1.250 some or all lines hold the number of the first event of the answer instead of the last. */
  writesPartOfUsage: (version) => !isAtLeast(version, '2.1.250'),

  /** Ids of the agents that a conversation names, oldest first. */
  agentIds: (text) => [...text.matchAll(/agentId: ([\w@.-]+)/g)].map((match) => match[1]),

  call(item, { tools, agents, project, conversation }) {
    const file = (name) => path.join(project, name);
    switch (item.do) {
      case 'shell':
        return { name: 'Bash', input: { command: item.command, description: 'Run a command' } };
      case 'read':
        return { name: 'Read', input: { file_path: file(item.path) } };
      case 'write':
        return { name: 'Write', input: { file_path: file(item.path), content: item.content } };
      case 'spawn':
        return { name: tools.has('Agent') ? 'Agent' : 'Task', input: spawnInput(item) };
      case 'message': {
        const to = item.to ?? agents.at(-1) ?? 'unknown';
        if (item.shutdown) return shutdownCall('request', { to, reason: item.prompt });
        const text = { summary: 'Go on', message: item.prompt, content: item.prompt };
        return { name: 'SendMessage', input: { to, recipient: to, type: 'message', ...text } };
      }
      case 'leave':
        return shutdownCall('response', { to: 'team-lead', request_id: requestIdIn(conversation), approve: true });
      case 'stop':
        return stopCall(agents.at(-1) ?? 'unknown', tools);
    }
    throw new Error(`Claude Code has no tool for "${item.do}".`);
  },

  /** Why this version cannot play it, or undefined. */
  cannot(play, version) {
    if (play.needs?.includes('terminal') && !hasTmux())
      return { reason: 'tmux is not installed; it is the terminal of this play', isSkipped: true };
    const lacks = Object.entries(LACKS).filter(
      ([, { before, only }]) => only === version || !isAtLeast(version, before ?? '0'),
    );
    return findLack(
      play,
      Object.fromEntries(lacks.map(([need, { reason, evidence }]) => [need, { reason, evidence }])),
    );
  },
};

/** The tool of 2.0.76 stops commands only. */
const stopCall = (id, tools) =>
  tools.has('TaskStop') ? { name: 'TaskStop', input: { task_id: id } } : { name: 'KillShell', input: { shell_id: id } };

/** `message` holds the fields from about 2.1.88 on; before, they are parameters of the tool. */
function shutdownCall(word, { to, ...fields }) {
  const type = `shutdown_${word}`;
  const input = { to, recipient: to, type, content: fields.reason, ...fields, message: { type, ...fields } };
  return { name: 'SendMessage', input };
}

const requestIdIn = (conversation) =>
  JSON.stringify(conversation)
    .match(/shutdown-[\w.@-]+/g)
    ?.at(-1);

function sumModels(line) {
  if (!line?.modelUsage) return null;
  const sum = (field) => Object.values(line.modelUsage).reduce((total, usage) => total + usage[field], 0);
  return {
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadInputTokens'),
    cacheWrite: sum('cacheCreationInputTokens'),
  };
}

const NO_MESSAGES = {
  before: '2.1.220',
  reason: 'The tool SendMessage is not enabled without a team (seen in 2.1.161, not in 2.1.220).',
  evidence: OFFERS,
};

/** By ability, the first version that has it (`before` it, none has) or the only one that lacks it; and what is missing. */
const LACKS = {
  'headless-continue': {
    only: '2.1.92',
    reason: 'With `-p`, `--continue` does not find sessions of `-p`, and begins a new one.',
    evidence: '2.1.92-continued',
  },
  fork: { before: '2.0.0', reason: 'There is no `--fork-session` (seen in 1.0.60, not in 2.0.76).', evidence: OFFERS },
  wake: {
    before: '2.1.45',
    reason: 'A headless run ends before its agent in the background (seen in 2.0.76, not in 2.1.45).',
    evidence: '2.0.76-background',
  },
  background: {
    before: '2.0.76',
    reason: 'Sub-agents cannot run in the background (seen in 1.0.60).',
    evidence: OFFERS,
  },
  stop: {
    before: '2.1.38',
    reason: 'No tool stops a sub-agent: KillShell takes commands only (seen in 2.0.76, not in 2.1.38).',
    evidence: '2.0.76-stop',
  },
  'typed-history': {
    before: '2.0.76',
    reason: 'No file says in which session `/clear` was typed: no `history.jsonl`, no `session_id` (seen in 1.0.60).',
    evidence: '1.0.60-inter-clear',
  },
  'process-record': { before: '2.1.92', ...cannotTellDeath('2.1.38-twins-hang') },
  'interrupt-record': { before: '2.1.92', ...cannotTellDeath('2.1.38-twins-hang') },
  'custom-agents': {
    only: '2.1.88',
    reason: 'A headless run does not offer the types of agents that the project defines.',
    evidence: '2.1.88-custom',
  },
  nesting: {
    before: '2.1.172',
    reason: 'Sub-agents cannot start sub-agents before 2.1.172.',
    evidence: '2.1.150-nested',
  },
  message: NO_MESSAGES,
  'late-message': NO_MESSAGES,
};

const spawnInput = ({ description, prompt, type = 'general', background = false, name, team }) => ({
  description,
  prompt,
  subagent_type: TYPES[type] ?? type,
  run_in_background: background,
  name,
  team_name: team,
});
