// OpenCode 1 and 2: two programs with one name.
import path from 'node:path';
import { cannotTellDeath, findJsonLine, findLack, OFFERS } from './host-texts.mjs';
import { isAtLeast } from './versions.mjs';

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const OFF = ['MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE'];

const isSecond = (version) => isAtLeast(version, '2.0.0');

export const opencode = {
  name: 'opencode',
  title: 'OpenCode',
  package: 'opencode-ai',
  // The package of the program itself: `opencode-ai` does not have every version.
  packages: (version) => [isSecond(version) ? `@opencode/cli-${platform}-baseline` : `opencode-${platform}`],
  versions: ['2.0.15', '1.18.34', '1.18.33', '1.15.13'],
  program: 'opencode',
  nativePrograms: () =>
    [`@opencode/cli-${platform}-baseline`, `opencode-${platform}-baseline`, `opencode-${platform}`].map((name) => [
      name,
      'bin/opencode',
    ]),

  environment: () => ({
    ...Object.fromEntries(OFF.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
    OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: '1',
    // A server of OpenCode 2 has a password in any case.
    OPENCODE_PASSWORD: 'scripted',
  }),

  prepare(sandbox, version, url) {
    const model = { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_192 } };
    const settings = {
      model: 'scripted/fake-1',
      small_model: 'scripted/fake-1',
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow' },
      agent: { general: { permission: { task: 'allow', subagent: 'allow' } } },
      ...(isSecond(version)
        ? { experimental: { subagent_depth: 3 } }
        : isAtLeast(version, '1.18.2') && { subagent_depth: 3 }),
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
          models: { 'fake-1': model },
        },
      },
    };
    sandbox.write(path.join(sandbox.home, '.config/opencode/opencode.json'), JSON.stringify(settings));
  },

  /** OpenCode 2 would start a service in the background, which a signal to the program does not reach. */
  printArgs: (prompt, { resume, fork, latest, server } = {}, version) => [
    ...['run', '--format', 'json'],
    ...(server ? [isSecond(version) ? '--server' : '--attach', server] : isSecond(version) ? ['--standalone'] : []),
    ...(latest ? ['--continue'] : resume ? ['--session', resume] : []),
    ...(fork ? ['--fork'] : []),
    prompt,
  ],

  helpArgs: ['run', '--help'],

  healthPath: '/global/health',
  serverArgs: (port) => ['serve', '--hostname', '127.0.0.1', '--port', String(port)],

  agentFile: ({ name }, { project }) => path.join(project, `.opencode/agent/${name}.md`),
  agentFields: { mode: 'subagent' },

  sessionId: (stdout) => findJsonLine(stdout, ({ sessionID }) => sessionID)?.sessionID,

  // A fork is told its own id, too (2.0.15).
  agentIds: (text) => [
    ...new Set([...text.matchAll(/(?<!Current conversation session ID: )\b(ses_\w+)/g)].map((match) => match[1])),
  ],

  call(item, { agents, project, tools }) {
    if (tools.has('subagent')) return callSecond(item, agents);
    const file = (name) => path.join(project, name);
    switch (item.do) {
      case 'shell':
        return { name: 'bash', input: { command: item.command, description: 'Run a command' } };
      case 'read':
        return { name: 'read', input: { filePath: file(item.path) } };
      case 'write':
        return { name: 'write', input: { filePath: file(item.path), content: item.content } };
      case 'spawn': {
        const { description, prompt, type = 'general', background } = item;
        return {
          name: 'task',
          input: { description, prompt, subagent_type: type, background: background || undefined },
        };
      }
      case 'message': {
        const again = { description: 'Go on', prompt: item.prompt, subagent_type: 'general', task_id: agents.at(-1) };
        return { name: 'task', input: again };
      }
    }
    throw new Error(`OpenCode has no tool for "${item.do}".`);
  },

  /**
   * A fork has copies of the messages; the sessions of sub-agents stay with the first session. A turn has its usage when its calls are over,
   * and OpenCode 2 leaves it out until then.
   */
  forkCopies: (version) => ({ agents: false, openUsage: false, openCalls: !isSecond(version) }),

  sharesAgents: true,

  /** `run` writes down no end of its process: the main agent may get another prompt. */
  mainStaysOpen: () => true,

  /** A private server is a process of its own: it ends what runs when its client is gone. */
  outlivesKill: isSecond,

  cannot: (play, version) =>
    findLack(play, {
      ...LACKS,
      wake: isSecond(version) ? NO_WAKE_IN_SECOND : NO_WAKE,
      ...(isSecond(version) && { 'fork-message': NO_MESSAGE_IN_FORK }),
      ...(!isAtLeast(version, '1.14.51') && { background: NO_BACKGROUND }),
      ...(!isAtLeast(version, '1.2.0') && LACKS_OF_FILES),
    }),
};

function callSecond(item, agents) {
  switch (item.do) {
    case 'shell':
      return { name: 'shell', input: { command: item.command } };
    case 'read':
      return { name: 'read', input: { path: item.path } };
    case 'write':
      return { name: 'write', input: { path: item.path, content: item.content } };
    case 'spawn': {
      const { description, prompt, type = 'general', background } = item;
      return { name: 'subagent', input: { description, prompt, agent: type, background: background || undefined } };
    }
    case 'message': {
      const again = { description: 'Go on', prompt: item.prompt, agent: 'general', sessionID: agents.at(-1) };
      return { name: 'subagent', input: again };
    }
  }
  throw new Error(`OpenCode 2 has no tool for "${item.do}".`);
}

const LACKS = {
  stop: { reason: 'There is no tool that stops a sub-agent.', evidence: OFFERS },
};

const NO_WAKE = {
  reason: '`opencode run` ends when its main agent is idle, before a result in the background.',
  evidence: '1.18.33-background',
};
const NO_WAKE_IN_SECOND = {
  reason: '`opencode run --standalone` ends its server when its main agent is idle; `served` has one that goes on.',
  evidence: '2.0.15-background',
};

const NO_MESSAGE_IN_FORK = {
  reason: 'A sub-agent takes tasks only from the session that made it: a fork is told that it is not its child.',
  evidence: '2.0.15-refused-forks',
};

/** Before 1.2 there is no database that a working process has open. */
const LACKS_OF_FILES = {
  'process-record': cannotTellDeath('1.1.65-killed'),
  'interrupt-record': cannotTellDeath('1.1.65-killed'),
};

const NO_BACKGROUND = { reason: 'Sub-agents run in the foreground only before 1.14.51.', evidence: OFFERS };
