// Codex. An agent is started by one call and waited for by another.
import path from 'node:path';
import { findJsonLine, findLack, jsonLines, quoteForShell } from './host-texts.mjs';

const TYPES = { general: 'worker', explore: 'explorer' };
/** Some versions hide the agent tools behind a search; they can be called by this namespace all the same. */
const NAMESPACE = 'multi_agent_v1';

export const codex = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  versions: ['0.169.0', '0.166.0'],
  program: 'codex',

  environment: () => ({}),

  prepare(sandbox, _version, url) {
    sandbox.write(path.join(sandbox.home, '.codex/config.toml'), settings(url, sandbox.project));
  },

  printArgs: (prompt, { resume, fork, latest } = {}) => [
    ...['exec', '--json', '--skip-git-repo-check'],
    ...(latest ? ['resume', '--last'] : resume ? [fork ? 'fork' : 'resume', resume] : []),
    prompt,
  ],

  helpArgs: ['exec', '--help'],

  agentFile: ({ name }, { project }) => path.join(project, `.codex/agents/${name}.toml`),
  agentText({ name, description, instructions }) {
    const fields = Object.entries({ name, description, developer_instructions: instructions });
    return fields.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join('');
  },

  sessionId: (stdout) => findJsonLine(stdout, ({ thread_id }) => thread_id)?.thread_id,

  /** It prints the usage of the main agent's last turn only. */
  mainTotals(stdout) {
    const usage = jsonLines(stdout).findLast(({ type }) => type === 'turn.completed')?.usage;
    if (!usage) return null;
    const cacheRead = usage.cached_input_tokens;
    return { input: usage.input_tokens - cacheRead, output: usage.output_tokens, cacheRead };
  },

  /** One wait for each agent, after the turn that starts or wakes it. */
  turnsFor(turns) {
    return turns.flatMap((turn) => {
      const begun = turn.items.filter(
        ({ do: what, background }) => (what === 'spawn' || what === 'message') && !background,
      );
      const waits = begun.filter(({ refused }) => !refused);
      return [turn, ...waits.map((_, index) => ({ items: [{ do: 'wait', fromLast: waits.length - index }] }))];
    });
  },

  agentIds: (text) => [
    ...new Set([...text.matchAll(/\\?"agent_id\\?":\s*\\?"([0-9a-f-]{36})/g)].map((match) => match[1])),
  ],

  call(item, { agents }) {
    switch (item.do) {
      case 'shell':
        return { name: 'exec_command', input: { cmd: item.command } };
      case 'read':
        return { name: 'exec_command', input: { cmd: `cat ${quoteForShell(item.path)}` } };
      case 'write': {
        const cmd = `printf %s ${quoteForShell(item.content)} > ${quoteForShell(item.path)}`;
        return { name: 'exec_command', input: { cmd } };
      }
      case 'spawn': {
        const { type = 'general', prompt } = item;
        return {
          name: 'spawn_agent',
          namespace: NAMESPACE,
          input: { agent_type: TYPES[type] ?? type, message: prompt },
        };
      }
      case 'wait': {
        const input = { targets: agents.slice(-item.fromLast).slice(0, 1), timeout_ms: 10_000 };
        return { name: 'wait_agent', namespace: NAMESPACE, input };
      }
      case 'message':
        return { name: 'send_input', namespace: NAMESPACE, input: { target: agents.at(-1), message: item.prompt } };
      case 'stop':
        return { name: 'close_agent', namespace: NAMESPACE, input: { target: agents.at(-1) } };
    }
    throw new Error(`Codex has no tool for "${item.do}".`);
  },

  /** A fork names its origin, and holds its own turns only. */
  forkCopies: () => ({ history: false, agents: false }),

  /** Agents have no description; they are shown by their prompt. */
  label: ({ prompt }) => prompt,

  cannot: (play) => findLack(play, LACKS),
};

const LACKS = {
  wake: {
    reason: '`codex exec` ends with its main agent: no result in the background wakes it.',
    evidence: '0.169.0-background',
  },
  'process-record': {
    reason:
      'A lock that stays behind is also what a process in another container looks like: a kill shows live at once, in `troupe tree` after five minutes of silence.',
    evidence: '0.166.0-hang-sigkill',
  },
};

const settings = (url, project) => `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
[analytics]
enabled = false
[features]
multi_agent = true
multi_agent_v2 = false
[agents]
max_depth = 3
max_threads = 12
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
