// Policies that many people want, in the language itself (docs/POLICY.md shows each). They only deny and ask: whoever names
// one, also a project, makes things tighter.

import type { PolicyPreset } from '../../core/index.ts';

export const PRESET_NAMES = [
  'read-only-explorers',
  'main-may-not-edit',
  'sub-agents-may-not-push',
  'no-secret-files',
  'no-network',
  'hands-off-the-guard',
] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** Commands of troupe that change something, or with which a person answers approvals. */
export const CHANGING_COMMANDS = [
  '-*',
  'serve',
  'server',
  'start',
  'stop',
  'status',
  'open',
  'watch',
  'run',
  'attach',
  'send',
  'hooks install',
  'hooks uninstall',
  'hooks drain',
  'guard answer',
  'budget raise',
  'telegram',
  'webhook',
  'index build',
  'index rebuild',
  'index off',
  'index on',
  'index text',
  'prune',
  'mcp',
  'redact --forget',
  'redact *--forget*',
] as const;

/** Beside texts and what agents make for themselves, all that is in the folder is settings, or is run by Claude Code. */
const CLAUDE_OWN =
  '.claude/!(*.md|*.txt|agents|commands|skills|rules|output-styles|docs|plans|memory|agent-memory|agent-memory-local|projects|todos|tasks|teams|jobs|sessions|workflows|worktrees|tmp|cache|logs|debug|file-history|shell-snapshots|session-env)';

/** From which budgets are computed. */
const TRANSCRIPTS = ['.claude/projects/**/*.jsonl', '.codex/sessions/**', '.local/share/opencode/**'];

/** Files and folders in which the hosts find our hooks, and what switches hooks off. */
const HOOK_FILES = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  CLAUDE_OWN,
  '.claude/hooks/**',
  '.claude/plugins/**',
  '.claude.json',
  'etc/claude-code/**',
  'Library/Application Support/ClaudeCode/**',
  '.codex/hooks.json',
  '.codex/*.toml',
  'etc/codex/**',
  '.copilot/hooks/**',
  '.copilot/installed-plugins/**',
  '.copilot/config.json',
  '.copilot/settings.json',
  '.github/hooks/**',
  '.gemini/settings.json',
  '.gemini/hooks/**',
  '.gemini/extensions/**',
  '.gemini/trustedFolders.json',
  'etc/gemini-cli/**',
  '.qwen/settings.json',
  '.qwen/hooks/**',
  '.qwen/extensions/**',
  '.qwen/trustedFolders.json',
  'etc/qwen-code/**',
  '.config/opencode/plugins/**',
  '.config/opencode/plugin/**',
  '.opencode/plugins/**',
  '.opencode/plugin/**',
  'opencode.json',
  'opencode.jsonc',
] as const;

/** What moves the folders of troupe and of hosts: a program that is started so has no guard. */
const MOVING_VARIABLES = [
  'TROUPE_HOME',
  'CLAUDE_CODE_SIMPLE',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'COPILOT_HOME',
  'QWEN_HOME',
  'GEMINI_CLI_HOME',
  'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  'QWEN_CODE_SYSTEM_SETTINGS_PATH',
  'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_DIR',
  'OPENCODE_CONFIG_CONTENT',
  'OPENCODE_DISABLE_DEFAULT_PLUGINS',
] as const;

const HOSTS = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen'] as const;

/** The same by the names of their packages: `npx @anthropic-ai/claude-code`. */
const PACKAGES: Readonly<Record<string, string>> = { claude: 'claude-code', gemini: 'gemini-cli', qwen: 'qwen-code' };

/** They also move the folders of all other programs: only for these programs they are refused. */
const HOME_VARIABLES = ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME'] as const;

/** Options with which a host runs without its hooks, or without asking. */
const UNGUARDED = [
  'claude *--settings*',
  'claude *--setting-sources*',
  'claude *--bare*',
  'claude *--safe-mode*',
  'claude *--dangerously-skip-permissions*',
  'claude *--allow-dangerously-skip-permissions*',
  'claude *bypassPermissions*',
  'claude config set*',
  'claude plugin*',
  'claude mcp add*',
  'claude mcp remove*',
  'codex *-c *',
  'codex *--config*',
  'codex *--disable*',
  'codex *--enable*',
  'codex *--yolo*',
  'codex *--dangerously-bypass*',
  'codex features*',
  'copilot *--allow-all*',
  'copilot *--yolo*',
  'copilot *--config-dir*',
  'gemini *--yolo*',
  'gemini *-y',
  'gemini *-y *',
  'gemini *--approval-mode*',
  'gemini hooks*',
  'gemini *--extensions*',
  'gemini *-e *',
  'gemini extensions *',
  'qwen *--yolo*',
  'qwen *-y',
  'qwen *-y *',
  'qwen *--approval-mode*',
  'opencode *--pure*',
  'opencode plugin*',
] as const;

/** What stops the server from outside, or takes troupe off the machine. */
const SERVICE_COMMANDS = [
  'systemctl *troupe*',
  'service troupe*',
  'launchctl *troupe*',
  'schtasks *troupe*',
  'pm2 *troupe*',
  'npm uninstall *troupe*',
  'npm un *troupe*',
  'npm remove *troupe*',
  'npm rm *troupe*',
  'npm r *troupe*',
  'npm unlink *troupe*',
  'pnpm remove *troupe*',
  'pnpm rm *troupe*',
  'pnpm uninstall *troupe*',
  'yarn remove *troupe*',
  'yarn global remove *troupe*',
  'bun remove *troupe*',
  'bun rm *troupe*',
  'volta uninstall *troupe*',
] as const;

/** They run commands later, without hooks, or take away files that git does not keep, `settings.local.json` among them. */
const OUT_OF_SIGHT = [
  'crontab',
  'crontab -',
  'crontab -r*',
  'crontab -e*',
  'crontab -i*',
  'crontab *.*',
  'crontab /*',
  'at:*',
  'batch:*',
  'git clean -*x*',
  'git clean -*X*',
  'git clean * -*x*',
  'git clean * -*X*',
  'git stash -u:*',
  'date -s*',
  'date --set*',
  'timedatectl set-*',
  'xdotool:*',
  'ydotool:*',
  'wtype:*',
  'gdb *troupe*',
  'lldb *troupe*',
  'strace *troupe*',
  'ltrace *troupe*',
  'chezmoi apply*',
  'chezmoi update*',
] as const;

const PRESETS: Readonly<Record<PresetName, Pick<PolicyPreset, 'brief'> & { readonly text: () => string }>> = {
  'read-only-explorers': {
    brief: 'Agents that explore and plan change no file and make no commit',
    text: () => `rules:
  - name: explorers only read
    agents: { type: [Explore, Plan, explore, explorer, "*-explorer"] }
    tools:
      - Edit
      - Write
      - MultiEdit
      - NotebookEdit
      - Bash(git add:*)
      - Bash(git commit:*)
      - Bash(git push:*)
      - Bash(git checkout:*)
      - Bash(git switch:*)
      - Bash(git reset:*)
      - Bash(git stash:*)
      - Bash(git merge:*)
      - Bash(git rebase:*)
    decision: deny
    reason: Explorers only read. Say what should be changed, and leave it to your caller.
`,
  },
  'main-may-not-edit': {
    brief: 'The main agent hands out the work; only sub-agents edit files',
    text: () => `rules:
  - name: main hands out the work
    agents: { kind: main }
    tools: [Edit, Write, MultiEdit, NotebookEdit]
    decision: deny
    own_calls_only: true
    reason: The main agent does not edit. Hand this to a sub-agent.
`,
  },
  'sub-agents-may-not-push': {
    brief: 'What leaves for a remote repository, or is published, is left to the main agent',
    text: () => `rules:
  - name: only main pushes
    agents: { kind: subagent }
    tools:
      - Bash(git push:*)
      - Bash(git send-pack:*)
      - Bash(jj git push:*)
      - Bash(hg push:*)
      - Bash(svn commit:*)
      - Bash(gh pr create:*)
      - Bash(gh pr merge:*)
      - Bash(gh release create:*)
      - Bash(glab mr create:*)
      - Bash(glab mr merge:*)
      - Bash(git subtree push:*)
      - Bash(git lfs push:*)
      - Bash(npm publish:*)
      - Bash(pnpm publish:*)
      - Bash(yarn publish:*)
      - Bash(cargo publish:*)
      - mcp__github__push_files
      - mcp__github__create_or_update_file
      - mcp__github__create_pull_request
      - mcp__github__merge_pull_request
    decision: deny
    reason: Sub-agents do not push. Leave it to the main agent.
`,
  },
  'no-secret-files': {
    brief: 'Nobody reads or writes files that hold passwords and keys',
    text: secretFilesPolicy,
  },
  'no-network': {
    brief: 'No tool and no command that is made for the network',
    text: () => `rules:
  - name: no network
    tools:
      - WebFetch
      - WebSearch
      - Bash(curl:*)
      - Bash(wget:*)
      - Bash(ssh:*)
      - Bash(scp:*)
      - Bash(sftp:*)
      - Bash(rsync:*)
      - Bash(ftp:*)
      - Bash(telnet:*)
      - Bash(nc:*)
      - Bash(ncat:*)
      - Bash(netcat:*)
      - Bash(socat:*)
      - Bash(dig:*)
      - Bash(nslookup:*)
      - Bash(ping:*)
      - Bash(git clone:*)
      - Bash(git fetch:*)
      - Bash(git pull:*)
      - Bash(git push:*)
      - Bash(git ls-remote:*)
      - Bash(git submodule update:*)
      - Bash(git submodule add:*)
      - Bash(gh:*)
      - Bash(glab:*)
      - Bash(npm install:*)
      - Bash(npm i:*)
      - Bash(npm ci:*)
      - Bash(npm publish:*)
      - Bash(npx:*)
      - Bash(bunx:*)
      - Bash(pnpx:*)
      - Bash(pnpm install:*)
      - Bash(pnpm add:*)
      - Bash(yarn install:*)
      - Bash(yarn add:*)
      - Bash(pip install:*)
      - Bash(pip3 install:*)
      - Bash(uv pip install:*)
      - Bash(uvx:*)
      - Bash(cargo install:*)
      - Bash(go get:*)
      - Bash(go install:*)
      - Bash(gem install:*)
      - Bash(brew install:*)
      - Bash(apt:*)
      - Bash(apt-get:*)
      - Bash(docker pull:*)
      - Bash(docker push:*)
      - Bash(claude:*)
      - Bash(claude-code:*)
      - Bash(codex:*)
      - Bash(copilot:*)
      - Bash(gemini:*)
      - Bash(gemini-cli:*)
      - Bash(opencode:*)
      - Bash(qwen:*)
      - Bash(qwen-code:*)
    decision: deny
    reason: The network is not to be used here.
`,
  },
  'hands-off-the-guard': {
    brief: 'No agent changes policies, hooks and settings of the guard, or answers what a person is asked',
    text: handsOffPolicy,
  },
};

export function presetText(name: PresetName): string {
  return `version: 1\n${PRESETS[name].text()}`;
}

export function listPresets(): readonly PolicyPreset[] {
  return PRESET_NAMES.map((name) => ({ name, brief: PRESETS[name].brief, text: PRESETS[name].text() }));
}

function handsOffPolicy(): string {
  const folders = ['~/.config/troupe', '~/.local/state/troupe'];
  const tools = [
    ...TRANSCRIPTS.map((file) => `Edit(//**/${file})`),
    ...folders.flatMap((folder) => [`Read(${folder}/**)`, `Edit(${folder}/**)`]),
    ...['environ', 'mem'].map((file) => `Read(//proc/**/${file})`),
    ...['//**/.troupe/**', '//**/troupe/dist/**', ...HOOK_FILES.map((file) => `//**/${file}`)].map(
      (file) => `Edit(${file})`,
    ),
    'Bash(troupe)',
    ...CHANGING_COMMANDS.map((command) => `Bash(troupe ${command}${command.endsWith('*') ? '' : ':*'})`),
    ...MOVING_VARIABLES.flatMap((name) => [`Bash(${name}=* *)`, `Bash(export ${name}=*)`, `Bash(unset ${name}:*)`]),
    ...HOME_VARIABLES.flatMap((name) => ['troupe', ...HOSTS].map((host) => `Bash(${name}=* ${host}:*)`)),
    ...HOME_VARIABLES.flatMap((name) => [`Bash(export ${name}=*)`, `Bash(unset ${name}:*)`]),
    ...UNGUARDED.flatMap((command) => {
      const [host = '', ...options] = command.split(' ');
      return [host, PACKAGES[host] ?? []].flat().map((name) => `Bash(${[name, ...options].join(' ')})`);
    }),
    ...[...SERVICE_COMMANDS, ...OUT_OF_SIGHT, 'pkill *troupe*', 'killall *troupe*'].map(
      (command) => `Bash(${command})`,
    ),
  ];
  return `rules:
  - name: hands off the guard
    tools:
${tools.map((tool) => `      - ${tool.includes(': ') || tool.includes(' #') ? JSON.stringify(tool) : tool}`).join('\n')}
    decision: deny
    reason: What guards agents is changed by people only.
`;
}

function secretFilesPolicy(): string {
  const files = [
    ...[
      '.env!(*.example|*.sample|*.template|*.dist)',
      '*.pem',
      '*.key',
      '*.p12',
      '*.pfx',
      '*.jks',
      '*.keystore',
      '*.kdbx',
      'id_rsa',
      'id_dsa',
      'id_ecdsa',
    ],
    ...[
      'id_ed25519',
      '.ssh/**',
      '.gnupg/**',
      '.aws/credentials',
      '.azure/**',
      '.config/gcloud/**',
      '.config/gh/hosts.yml',
    ],
    ...[
      '.kube/config',
      '.docker/config.json',
      '.netrc',
      '_netrc',
      '.npmrc',
      '.yarnrc.yml',
      '.pypirc',
      '.gem/credentials',
    ],
    ...['.cargo/credentials*', '.git-credentials', '.pgpass', '.my.cnf', '.htpasswd', '.vault-token', '*.tfstate'],
    ...['.claude/.credentials.json', '.codex/auth.json'],
  ];
  const tools = files.flatMap((file) => [`      - Read(//**/${file})`, `      - Edit(//**/${file})`]);
  return `rules:
  - name: no secret files
    tools:
${tools.join('\n')}
    decision: deny
    reason: Files with passwords and keys are not for agents. Ask for what you need.
`;
}
