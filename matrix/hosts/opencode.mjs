// OpenCode 1.x.
import path from 'node:path';
import { findJsonLine, NO_PROCESS_RECORD } from './host-texts.mjs';

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const OFF = ['MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE'];

export const opencode = {
  name: 'opencode',
  title: 'OpenCode',
  package: 'opencode-ai',
  versions: ['1.18.33'],
  program: 'opencode',
  nativePrograms: () => [
    [`opencode-${platform}-baseline`, 'bin/opencode'],
    [`opencode-${platform}`, 'bin/opencode'],
  ],

  environment: () => ({
    ...Object.fromEntries(OFF.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
    OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: '1',
  }),

  prepare(sandbox, _version, url) {
    const model = { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_192 } };
    const settings = {
      model: 'scripted/fake-1',
      small_model: 'scripted/fake-1',
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow' },
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

  printArgs: (prompt, { resume, fork } = {}) => [
    ...['run', '--format', 'json'],
    ...(resume ? ['--session', resume] : []),
    ...(fork ? ['--fork'] : []),
    prompt,
  ],

  sessionId: (stdout) => findJsonLine(stdout, ({ sessionID }) => sessionID)?.sessionID,

  agentIds: (text) => [...new Set([...text.matchAll(/(ses_\w+)/g)].map((match) => match[1]))],

  call(item, { agents, project }) {
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

  /** `run` writes down no end of its process: the main agent may get another prompt. */
  mainStaysOpen: () => true,

  cannot({ needs = [] }) {
    if (needs.includes('process-record')) return NO_PROCESS_RECORD;
    if (needs.includes('nesting')) return 'Sub-agents are not offered the tool that starts sub-agents';
    if (needs.includes('stop')) return 'There is no tool that stops a sub-agent';
    if (needs.includes('wake'))
      return '`opencode run` ends when its main agent is idle, before a result in the background';
    return undefined;
  },
};
