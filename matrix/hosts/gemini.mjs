// Gemini CLI.
import path from 'node:path';
import { findJsonLine, jsonLines, NO_PROCESS_RECORD } from './host-texts.mjs';
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

  printArgs: (prompt, { resume } = {}, version) => [
    ...['-p', prompt, '-o', 'stream-json', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
    ...(resume ? ['--resume', resume] : []),
    ...(isAtLeast(version, '0.56.0') ? ['--skip-trust'] : []),
  ],

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

  /** A sub-agent ends by a call, not by speaking. */
  endOf: (tools, response) =>
    tools.has('complete_task') ? [{ name: 'complete_task', input: { result: { response } } }] : undefined,

  /** Agents have no description; they are shown by their prompt. */
  label: ({ prompt }) => prompt,

  /** It writes down no end of its process. */
  mainStaysOpen: () => true,

  cannot({ needs = [] }) {
    if (needs.includes('fork')) return 'There is no option that forks a session';
    if (needs.includes('process-record')) return NO_PROCESS_RECORD;
    if (needs.includes('nesting')) return 'Sub-agents are not offered the tool that starts sub-agents';
    if (needs.includes('wake')) return 'Sub-agents run in the foreground only';
    if (needs.includes('stop')) return 'Sub-agents run in the foreground only: nothing can stop one';
    if (needs.includes('message')) return 'A sub-agent takes no second task';
    return undefined;
  },
};
