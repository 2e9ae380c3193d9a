// What each host needs beside its program to run offline, against the scripted models of the recording kit.
import { isAtLeast } from '../../src/lib/version-number.ts';

export interface HostRecipe {
  readonly host: string;
  /** Of the kit's scripted model; left out: the host's own name. */
  readonly dialect?: string;
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

export const CLAUDE: HostRecipe = {
  host: 'claude-code',
  dialect: 'claude',
  model: { file: 'fake-anthropic.mjs', start: 'startFakeAnthropic' },
  folder: '.claude',
  settings: () => ({}),
  environment: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-local',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  args: (prompt) => [
    '-p',
    prompt,
    ...['--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash,Agent'],
  ],
};

const OPENCODE_OFF = ['MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE'];

/** 1.x: `run` is the program itself. */
export const OPENCODE: HostRecipe = {
  host: 'opencode',
  model: OPENAI,
  folder: '.config/opencode',
  settings: (url) => ({
    'opencode.json': JSON.stringify({
      model: 'fake/fake-1',
      small_model: 'fake/fake-1',
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow' },
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Fake',
          options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
          models: { 'fake-1': { name: 'Fake 1', tool_call: true, limit: { context: 200_000, output: 8_192 } } },
        },
      },
    }),
  }),
  environment: () => Object.fromEntries(OPENCODE_OFF.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
  args: (prompt) => ['run', '--format', 'json', prompt],
};

/** 2.x would start a service in the background, and leave it. */
export const OPENCODE_TWO: HostRecipe = {
  ...OPENCODE,
  dialect: 'opencode2',
  args: (prompt) => ['run', '--format', 'json', '--standalone', prompt],
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
