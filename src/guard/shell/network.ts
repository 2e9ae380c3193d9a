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

/** They exist to reach other machines, whatever their words are. */
const REACHES_OUT: ReadonlySet<string> = new Set(
  (
    'elinks links links2 lynx w3m browsh axel httrack youtube-dl yt-dlp gallery-dl wget2 curlie grpcurl evans websocat wscat ghz hey wrk ab siege k6 vegeta ' +
    'ssh-keyscan ssh-copy-id sshfs autossh tsh rsh rlogin rcp rexec mosh tftp ftp ncftp lftp smbclient smbget rpcclient nbtscan ldapsearch kinit ' +
    'getent drill kdig delv dog doggo dnsx resolvectl host nslookup whois arping hping3 fping mtr tracepath traceroute6 masscan zmap iperf iperf3 speedtest speedtest-cli ntpdate sntp ' +
    'sendmail mail mailx mutt msmtp swaks s-nail snmpwalk snmpget snmpset mosquitto_pub mosquitto_sub nats kcat kafkacat amqp-publish redis-cli mongo mongosh cqlsh influx clickhouse-client ' +
    'vercel netlify firebase wrangler heroku fly flyctl railway surge now eb sam cdk serverless sls doctl linode-cli hcloud s3cmd s4cmd mc rclone restic ngrok cloudflared localtunnel lt tailscale ' +
    'openvpn wg-quick vncviewer xfreerdp rdesktop telnet6 ncat6 nping dhclient bore frpc croc magic-wormhole wormhole transmission-cli aria2c ipfs twine lynx'
  ).split(' '),
);

/** They reach out if they are given a host. */
const TAKES_HOST =
  /^(?:mysql|mysqldump|mysqladmin|psql|pg_dump|createdb|mariadb|sqlcmd|openssl|etcdctl|consul|vault|nomad)$/;

const PACKAGES =
  /^(?:i|in|ins|inst|insta|instal|install|isnt\w*|it|install-test|install-\w+|ci|cit|clean-install\w*|ic|add|a|up|update|upgrade|dist-upgrade|full-upgrade|get|require|create-project|sync|lock|fetch|download|search|publish|deploy|push|pull|login|self-?update|bundle|create|restore|package|index|env|tap|refresh|dep|deps|dependency:\S+|tool|pub|outdated|audit|info|show|view)$/;
/** Package managers: most of their verbs ask a server. */
const MANAGES_PACKAGES =
  /^(?:pip[\d.]*|pipx|poetry|pdm|rye|hatch|pipenv|conda|mamba|micromamba|bundle|bundler|gem|composer|yum|dnf|apk|zypper|pacman|yay|paru|snap|flatpak|port|nix-env|nix-channel|guix|cpan|cpanm|luarocks|cabal|stack|opam|mix|rebar3|dotnet|nuget|pod|carthage|flutter|dart|swift|deno|volta|nvm|fnm|asdf|mise|rustup|sdk|vcpkg|conan|helm|vagrant|ollama|huggingface-cli|hf|dvc|git-lfs|pub|elm|bower|jspm|ng|emerge|xbps-install|choco|scoop|winget)$/;

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

export function useHosts(written: string, words: readonly ShellWord[], scene: Scene): void {
  const { gathering } = scene;
  const name = written.replace(/\.exe$/, '');
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
  const forms = words.slice(1).map(({ form }) => form);
  const reaches =
    REACHES_OUT.has(name) ||
    (MANAGES_PACKAGES.test(name) && (PACKAGES.test(verb) || forms.some((form) => /^-S/.test(form)))) ||
    (name === 'yarn' && forms.length === 0) ||
    (name === 'npm' && /^(?:it|ins?|insta?|instal?|cit|ic|a|up|upgrade|install-\w+)$/.test(verb)) ||
    (name === 'git' && plain[0]?.form === 'lfs' && /^(?:pull|push|fetch|clone|prune)$/.test(plain[1]?.form ?? '')) ||
    (TAKES_HOST.test(name) && forms.some((form) => /^(?:-h|--host|-connect|s_client)/.test(form))) ||
    (/^python[\d.]*$|^pypy/.test(name) &&
      forms.some(
        (form, index) =>
          forms[index - 1] === '-m' &&
          /^(?:urllib|http|ensurepip|pip|smtpd|ftplib|telnetlib|webbrowser|xmlrpc|twine|aiohttp|SimpleHTTPServer)/.test(
            form,
          ),
      ));
  if (!found && reaches) add(SOME_HOST);
  if (!found && Object.hasOwn(NETWORKED, name) && NETWORKED[name]?.test(verb)) gathering.addHost(SOME_HOST);
}
