// What each host needs beside its program to run offline, against the scripted models of the recording kit.
import { isAtLeast } from '../../src/base/version-number.ts';

export interface HostRecipe {
  readonly host: string;
  /** A module of the kit, and what starts the scripted model in it. */
  readonly model: { readonly file: string; readonly start: string };
  /** The host's data folder, below the home. */
  readonly folder: string;
  /** Files in it, by name. */
  settings(url: string, project: string, wishes?: HostWishes): Readonly<Record<string, string>>;
  environment(url: string): Readonly<Record<string, string>>;
  args(prompt: string, version: string): readonly string[];
}

export interface HostWishes {
  /** Of the tools for agents, where a host has two versions of them. Not given: the host's own choice. */
  readonly version2?: boolean;
}

const OPENAI = { file: 'fake-openai.mjs', start: 'startFakeOpenai' };

export const CODEX: HostRecipe = {
  host: 'codex',
  model: OPENAI,
  folder: '.codex',
  settings: (url, project, wishes) => ({ 'config.toml': codexSettings(url, project, wishes) }),
  environment: () => ({}),
  args: (prompt) => ['exec', '--json', '--skip-git-repo-check', prompt],
};

export const COPILOT: HostRecipe = {
  host: 'copilot',
  model: OPENAI,
  folder: '.copilot',
  settings: () => ({}),
  environment: (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'fake-1',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  // Everything is allowed, so only plays that stay inside the project belong here.
  args: (prompt) => ['-p', prompt, '--allow-all-tools', '--log-level', 'error'],
};

export const GEMINI: HostRecipe = {
  host: 'gemini',
  model: { file: 'fake-gemini.mjs', start: 'startFakeGemini' },
  folder: '.gemini',
  settings: () =>
    settingsFile({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      experimental: { enableAgents: true },
    }),
  environment: (url) => ({
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    CI: '1',
  }),
  args: (prompt, version) => [
    '-p',
    prompt,
    ...['-o', 'stream-json', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
    ...(isAtLeast(version, '0.56.0') ? ['--skip-trust'] : []),
  ],
};

/** It needs Node 22, first in the PATH. */
export const QWEN: HostRecipe = {
  host: 'qwen',
  model: OPENAI,
  folder: '.qwen',
  settings: () =>
    settingsFile({
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
      memory: { enableManagedAutoMemory: false },
    }),
  environment: (url) => ({ OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake-1' }),
  args: (prompt) => ['-p', prompt, '-o', 'stream-json', '--yolo'],
};

const settingsFile = (settings: unknown) => ({ 'settings.json': JSON.stringify(settings, null, 2) });

const codexSettings = (url: string, project: string, { version2 }: HostWishes = {}): string => `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
[analytics]
enabled = false
[features]
multi_agent = true
${version2 === undefined ? '' : `multi_agent_v2 = ${version2}\n`}[agents]
max_depth = 3
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
