// Qwen Code.
import path from 'node:path';
import { cannotTellDeath, findJsonLine, findLack, jsonLines } from './host-texts.mjs';

const TYPES = { general: 'general-purpose', explore: 'Explore' };

export const qwen = {
  name: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  versions: ['0.24.4'],
  program: 'qwen',
  needsNode22: true,

  environment: (url) => ({ OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake-1' }),

  prepare(sandbox) {
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
      memory: { enableManagedAutoMemory: false },
    };
    sandbox.write(path.join(sandbox.home, '.qwen/settings.json'), JSON.stringify(settings));
  },

  printArgs: (prompt, { resume, fork, latest } = {}) => [
    ...['-p', prompt, '-o', 'stream-json', '--yolo'],
    ...(latest ? ['--continue'] : resume ? ['--resume', resume] : []),
    ...(fork ? ['--fork-session'] : []),
  ],

  agentFile: ({ name }, { project }) => path.join(project, `.qwen/agents/${name}.md`),

  sessionId: (stdout) => findJsonLine(stdout, ({ session_id }) => session_id)?.session_id,

  /** A resumed session goes on with the totals of its runs before. */
  totalsAreCumulative: true,

  totals(stdout) {
    const usage = jsonLines(stdout).findLast(({ type }) => type === 'result')?.usage;
    if (!usage) return null;
    const cacheRead = usage.cache_read_input_tokens;
    return { input: usage.input_tokens - cacheRead, output: usage.output_tokens, cacheRead };
  },

  /** Of agents in the background. */
  agentIds: (text) => [...text.matchAll(/task_id: ([\w-]+)/g)].map((match) => match[1]),

  call(item, { agents, project }) {
    const file = (name) => path.join(project, name);
    switch (item.do) {
      case 'shell': {
        const input = { command: item.command, description: 'Run a command', is_background: false };
        return { name: 'run_shell_command', input };
      }
      case 'read':
        return { name: 'read_file', input: { file_path: file(item.path) } };
      case 'write':
        return { name: 'write_file', input: { file_path: file(item.path), content: item.content } };
      case 'spawn': {
        const { description, prompt, type = 'general', background = false } = item;
        const input = { description, prompt, subagent_type: TYPES[type] ?? type, run_in_background: background };
        return { name: 'agent', input };
      }
      case 'message':
        return { name: 'send_message', input: { task_id: agents.at(-1), message: item.prompt } };
      case 'stop':
        return { name: 'task_stop', input: { task_id: agents.at(-1) } };
    }
    throw new Error(`Qwen Code has no tool for "${item.do}".`);
  },

  /** It writes down no end of its process. */
  mainStaysOpen: () => true,

  cannot: (play) => findLack(play, LACKS),
};

const LACKS = {
  'process-record': cannotTellDeath('0.24.4-hang-sigint'),
  'interrupt-record': cannotTellDeath('0.24.4-hang-sigint'),
  message: {
    reason: '`send_message` reaches agents in the background only, and this one runs in the foreground.',
    evidence: '0.24.4-resume',
  },
};
