// The hosts that a command talks to, as far as its words say.

import { type Scene, SOME_HOST } from './scene.ts';
import { isUnsure, type ShellWord } from './words.ts';

const URL_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@\s]*@)?(\[[0-9a-f:.]+\]|[^/?#:\s]*)/i;
const FETCHERS = new Set(['curl', 'wget', 'http', 'https', 'xh', 'aria2c', 'httpie', 'lynx', 'w3m', 'curlie', 'wget2']);
/** [user@]host as the first word that is no option; `host:path` as any. */
const TALKERS = new Set(
  'ssh scp sftp rsync mosh telnet nc ncat netcat socat ping ping6 traceroute dig nslookup host whois ftp lftp nmap'.split(
    ' ',
  ),
);
/** They reach some host that their words do not name. */
const NETWORKED: Readonly<Record<string, RegExp>> = {
  git: /^(?:push|pull|fetch|clone|ls-remote|remote|submodule|send-email)$/,
  gh: /^(?!help|version|completion|config|alias)/,
  npm: /^(?:i|install|ci|add|update|publish|view|info|audit|search|login|whoami|exec|create|init|outdated)$/,
  pnpm: /^(?:i|install|add|update|publish|dlx|create|audit)$/,
  yarn: /^(?:install|add|up|upgrade|publish|dlx|create|npm)$/,
  bun: /^(?:i|install|add|update|publish|x|create)$/,
  pip: /^(?:install|download|search|index)$/,
  pip3: /^(?:install|download|search|index)$/,
  uv: /^(?:add|sync|pip|tool|lock|python)$/,
  cargo: /^(?:install|publish|fetch|add|update|search)$/,
  go: /^(?:get|install|mod)$/,
  docker: /^(?:pull|push|login|search|build|buildx|compose|run)$/,
  podman: /^(?:pull|push|login|search|build|run)$/,
  apt: /^(?:install|update|upgrade|download)$/,
  'apt-get': /^(?:install|update|upgrade|download)$/,
  brew: /^(?:install|update|upgrade|fetch|tap)$/,
  aws: /^/,
  gcloud: /^/,
  az: /^/,
  kubectl: /^/,
  helm: /^/,
  gsutil: /^/,
};

export function hostOfUrl(text: string): string | null {
  const host = URL_HOST.exec(text)?.[1];
  if (host === undefined || /^file:/i.test(text)) return null;
  return host === '' || isUnsure(host) ? SOME_HOST : host.toLowerCase();
}

/** bash opens a connection for `/dev/tcp/host/port`. */
export function hostOfDevice(form: string): string | null {
  const host = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(form)?.[1];
  if (host === undefined) return null;
  return isUnsure(host) ? SOME_HOST : host.toLowerCase();
}

export function useHosts(name: string, words: readonly ShellWord[], scene: Scene): void {
  const { gathering } = scene;
  const plain = words.slice(1).filter(({ form }) => !form.startsWith('-'));
  let found = false;
  const add = (host: string) => {
    found = true;
    gathering.addHost(host.replace(/:\d+$/, '').toLowerCase());
  };
  for (const { form } of words.slice(1)) {
    const url = form.slice(Math.max(0, form.search(/[a-z][a-z0-9+.-]*:\/\//i)));
    const host = hostOfUrl(url);
    if (host !== null) add(host);
  }
  if (FETCHERS.has(name)) {
    for (const { form } of plain) {
      if (isUnsure(form)) add(SOME_HOST);
      else if (
        !form.includes('://') &&
        /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#]|$)/i.test(form)
      )
        add(form.replace(/[/?#][\s\S]*$/, ''));
    }
    if (!found) add(SOME_HOST);
  }
  if (TALKERS.has(name)) {
    for (const { form } of plain) {
      const [, host] = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+)(?::|$)/.exec(form) ?? [];
      if (isUnsure(form)) add(SOME_HOST);
      else if (host !== undefined && (form.includes(':') || form.includes('@') || /[.]|^localhost$/.test(host)))
        add(host);
      else if (host !== undefined && name !== 'rsync' && name !== 'scp' && !/^\d+$/.test(host)) add(host);
    }
    if (!found && name !== 'rsync') add(SOME_HOST);
  }
  if (name === 'git')
    for (const { form } of plain) {
      const [, host] = /^[^@/\s:]+@([A-Za-z0-9.-]+):/.exec(form) ?? [];
      if (host !== undefined) add(host);
    }
  const verb = plain[0]?.form ?? '';
  if (!found && Object.hasOwn(NETWORKED, name) && NETWORKED[name]?.test(verb)) gathering.addHost(SOME_HOST);
}
