// Troupe beside the real programs in one home: what it prints, and what the scripted models are told meanwhile.

import { spawn } from 'node:child_process';
import path from 'node:path';
import type { AgentReport, AttachReport, TreeReport } from '../../src/core/index.ts';
import { type AcrossHosts, startAcrossHosts } from './across-kit.ts';
import { root } from './kit.ts';
import { type Overheard, overhear } from './overhear.ts';

export interface AttachHosts {
  readonly hosts: AcrossHosts;
  readonly heard: Overheard;
  troupe(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  tree(session?: string): Promise<TreeReport>;
  /** The first sub-agent of the newest session of a host. */
  agentOf(host: string): Promise<AgentReport>;
  plan(...args: readonly string[]): Promise<AttachReport>;
  close(): Promise<void>;
}

export async function startAttachHosts(name: string, programs: ReadonlyMap<string, string>): Promise<AttachHosts> {
  const heard = overhear();
  const hosts = await startAcrossHosts(name, programs, heard.inFront);
  const env = { ...hosts.env, TROUPE_HOME: path.join(hosts.home, 'troupe-state') };
  const troupe: AttachHosts['troupe'] = (...args) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env, cwd: hosts.home });
      const text = { out: '', err: '' };
      child.stdout.on('data', (chunk) => (text.out += chunk));
      child.stderr.on('data', (chunk) => (text.err += chunk));
      child.stdin.end();
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? -1, ...text }));
    });
  const json = async (...args: readonly string[]) => {
    const { out, err } = await troupe(...args, '--json');
    if (out === '') throw new Error(`troupe ${args.join(' ')}: ${err}`);
    return JSON.parse(out);
  };
  return {
    hosts,
    heard,
    troupe,
    tree: (session) => json('tree', ...(session === undefined ? [] : [session])),
    async agentOf(host) {
      const { sessions } = await json('ls', '--host', host);
      const { agents }: TreeReport = await json('tree', sessions[0].id, '--host', host);
      const agent = agents.find(({ kind }) => kind !== 'main' && kind !== 'session');
      if (!agent) throw new Error(`no sub-agent of ${host}`);
      return agent;
    },
    plan: (...args) => json('attach', ...args, '--dry-run'),
    async close() {
      heard.close();
      await hosts.close();
    },
  };
}
