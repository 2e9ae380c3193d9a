// Gemini CLI.
import path from 'node:path';
import { cannotTellDeath, findJsonLine, findLack, jsonLines, OFFERS } from './host-texts.mjs';
import { isAtLeast } from './versions.mjs';

export const gemini = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  versions: ['0.61.0'],
  program: 'gemini',

  environment: (url) => ({
    GEMINI_API_KEY: 'scripted',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    CI: '1',
  }),

  prepare(sandbox) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      experimental: { enableAgents: true },
    };
    sandbox.write(path.join(sandbox.home, '.gemini/settings.json'), JSON.stringify(settings));
  },

  printArgs: (prompt, { resume, latest } = {}, version) => [
    ...['-p', prompt, '-o', 'stream-json', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
    ...(latest ? ['--resume', 'latest'] : resume ? ['--resume', resume] : []),
    ...(isAtLeast(version, '0.56.0') ? ['--skip-trust'] : []),
  ],

  /** Those of a project are used only after a person has agreed to them. */
  agentFile: ({ name }, { home }) => path.join(home, `.gemini/agents/${name}.md`),

  sessionId: (stdout) => findJsonLine(stdout, ({ session_id }) => session_id)?.session_id,

  totals(stdout) {
    const stats = jsonLines(stdout).findLast(({ type }) => type === 'result')?.stats;
    return stats ? { input: stats.input, output: stats.output_tokens, cacheRead: stats.cached } : null;
  },

  call(item, { project }) {
    const file = (name) => path.join(project, name);
    switch (item.do) {
      case 'shell':
        return { name: 'run_shell_command', input: { command: item.command, description: 'Run a command' } };
      case 'read':
        return { name: 'read_file', input: { file_path: file(item.path) } };
      case 'write':
        return { name: 'write_file', input: { file_path: file(item.path), content: item.content } };
      case 'spawn': {
        const { type = 'general', prompt } = item;
        return { name: 'invoke_agent', input: { agent_name: type === 'general' ? 'generalist' : type, prompt } };
      }
    }
    throw new Error(`Gemini CLI has no tool for "${item.do}".`);
  },

  /** A sub-agent ends by a call, not by speaking. Those that the person defines give a text, the others an object. */
  endOf(tools, response) {
    const { result } = tools.get('complete_task') ?? {};
    if (!result) return undefined;
    return [{ name: 'complete_task', input: { result: result.type === 'string' ? response : { response } } }];
  },

  /** Agents have no description; they are shown by their prompt. */
  label: ({ prompt }) => prompt,

  /** It writes down no end of its process. */
  mainStaysOpen: () => true,

  cannot: (play) => findLack(play, LACKS),
};

const FOREGROUND = 'Sub-agents run in the foreground only';
const LACKS = {
  fork: { reason: 'There is no option that forks a session.', evidence: OFFERS },
  'process-record': cannotTellDeath('0.61.0-hang-sigkill'),
  'interrupt-record': cannotTellDeath('0.61.0-hang-sigint'),
  nesting: { reason: 'Sub-agents are not offered the tool that starts sub-agents.', evidence: '0.61.0-nested' },
  wake: { reason: `${FOREGROUND}.`, evidence: OFFERS },
  stop: { reason: `${FOREGROUND}: nothing can stop one.`, evidence: OFFERS },
  message: { reason: 'A sub-agent takes no second task.', evidence: OFFERS },
};
