import type { PolicyFileScope } from '../../../core/index.ts';
import type { CompileOptions } from '../compile.ts';
import { readYaml } from '../read-yaml.ts';
import type { PolicySource } from '../sources.ts';

const FILES = {
  user: '/home/dev/.config/troupe/policy.yaml',
  project: '/home/dev/work/app/.troupe/policy.yaml',
  local: '/home/dev/work/app/.troupe/policy.local.yaml',
} as const;

export function source(scope: PolicyFileScope, text: string | Uint8Array): PolicySource {
  const content = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return { scope, file: FILES[scope], root: scope === 'user' ? null : '/home/dev/work/app', content };
}

export function options(...sources: readonly PolicySource[]): CompileOptions {
  return { sources, home: '/home/dev', readYaml };
}
