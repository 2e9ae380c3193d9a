// `troupe mcp` as a coding agent starts it: below a real process with the name of a host, asked by the client of the official SDK.
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { makeTemporaryFolder } from '../../src/lib/testing/temporary-folder.ts';
import { OUTSIDE_AGENTS } from './server-access.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = [process.execPath, path.join(root, 'dist/troupe.js'), 'mcp'];

/** Notes its session as the host does, and runs the command that follows. Of the folder, as in the argument. */
const HOST = `import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const [, , home, note, ...command] = process.argv;
if (note !== '') {
  const [sessionId, cwd] = JSON.parse(note);
  const procStart = process.platform === 'linux' ? readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')[19] : undefined;
  mkdirSync(home + '/.claude/sessions', { recursive: true });
  const record = { pid: process.pid, sessionId, cwd, startedAt: Date.now(), procStart, version: '2.1.325', status: 'busy' };
  writeFileSync(home + '/.claude/sessions/' + process.pid + '.json', JSON.stringify(record));
}
spawn(command[0], command.slice(1), { stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
`;

export interface Answered {
  readonly isError: boolean;
  /** What the agent reads: the structured content, or why there is none. */
  readonly text: string;
  readonly answer: { readonly items: readonly Readonly<Record<string, never>>[]; readonly [field: string]: unknown };
  /** The whole message. */
  readonly result: unknown;
}

export interface McpHome {
  readonly home: string;
  /** Makes a project, with a recording of the host in it. Gives its folder. */
  project(name: string, recording: string, change?: (line: string) => string): string;
  /** What runs commands as a process of the host. The session is what it notes; undefined: it notes none. */
  asHost(session: string | undefined, cwd?: string, program?: string): readonly string[];
  /** Words in front of `troupe mcp`; the folder that it is started in. */
  connect(
    before: readonly string[],
    cwd: string,
    env?: Readonly<Record<string, string>>,
  ): Promise<{
    readonly client: Client;
    call(name: string, input?: object, meta?: Readonly<Record<string, unknown>>): Promise<Answered>;
  }>;
  end(): Promise<void>;
}

export function createMcpHome(): McpHome {
  const home = realpathSync(makeTemporaryFolder('mcp-test'));
  for (const program of ['claude', 'gemini']) symlinkSync(process.execPath, path.join(home, program));
  const script = path.join(home, 'host.mjs');
  writeFileSync(script, HOST);
  const clients: Client[] = [];
  return {
    home,
    project(name, recording, change = (line) => line) {
      const folder = path.join(home, name);
      mkdirSync(folder, { recursive: true });
      const from = path.join(root, 'src/hosts/claude-code/fixtures', recording, 'projects');
      for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
        if (!/\.jsonl?$/.test(file)) continue;
        const to = path.join(home, '.claude/projects', `${name}-${file}`);
        mkdirSync(path.dirname(to), { recursive: true });
        const text = readFileSync(path.join(from, file), 'utf8').replaceAll(
          /\/home\/dev\/[\w-]+(?:\/project)?/g,
          folder,
        );
        writeFileSync(to, text.split('\n').map(change).join('\n'));
      }
      return folder;
    },
    asHost: (session, cwd = '', program = 'claude') => [
      path.join(home, program),
      script,
      home,
      session === undefined ? '' : JSON.stringify([session, cwd]),
    ],
    async connect(before, cwd, env = {}) {
      const [command = '', ...args] = [...before, ...PROGRAM];
      const { PATH = '', NODE_OPTIONS = '' } = process.env;
      const transport = new StdioClientTransport({
        ...{ command, args, cwd, stderr: 'inherit' },
        env: { PATH, NODE_OPTIONS, HOME: home, USERPROFILE: home, ...OUTSIDE_AGENTS, ...env },
      });
      const client = new Client({ name: 'test', version: '1.0.0' });
      clients.push(client);
      await client.connect(transport);
      return {
        client,
        async call(name, input = {}, meta = {}) {
          const result = await client.callTool({ name, arguments: { ...input }, _meta: { ...meta } });
          const [first] = result.content as readonly { readonly text: string }[];
          const answer = (result.structuredContent ?? { items: [] }) as Answered['answer'];
          const isError = result.isError === true;
          return { isError, text: isError ? (first?.text ?? '') : JSON.stringify(answer), answer, result };
        },
      };
    },
    async end() {
      for (const client of clients) await client.close();
    },
  };
}
