// The hosts that a command talks to, as far as its words say.

import { byName, wordSet } from '../../lib/group.ts';
import { type Scene, SOME_HOST } from './scene.ts';
import { isUnsure, type ShellWord } from './words.ts';

const URL_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@\s]*@)?(\[[0-9a-f:.]+\]|[^/?#:\s]*)/i;
const FETCHERS = new Set(['curl', 'wget', 'http', 'https', 'xh', 'aria2c', 'httpie', 'lynx', 'w3m', 'curlie', 'wget2']);
/** [user@]host as the first word that is no option; `host:path` as any. */
const TALKERS = wordSet(
  'ssh scp sftp rsync mosh telnet nc ncat netcat socat ping ping6 traceroute dig nslookup host whois ftp lftp nmap',
);
/** They exist to reach other machines, whatever their words are. */
const REACHES_OUT = wordSet(
  [
    // The web, downloads and load tests.
    'elinks links links2 browsh axel httrack youtube-dl yt-dlp gallery-dl ghz hey wrk ab siege k6 vegeta hurl newman oha bombardier autocannon nikto sqlmap gobuster ffuf nuclei hydra artillery locust lighthouse',
    'transmission-cli ipfs magic-wormhole wormhole croc ngrok cloudflared localtunnel lt bore frpc tailscale ttyd',
    // Shells, copies and mounts on other machines.
    'ssh-keyscan ssh-copy-id sshfs autossh tsh rsh rlogin rcp rexec tftp ncftp lftp smbclient smbget rpcclient nbtscan mount.nfs',
    'vncviewer xfreerdp rdesktop openvpn wg-quick rclone restic borg duplicity s3cmd s4cmd mc gsutil s5cmd azcopy',
    // Names, routes and probes.
    'getent drill kdig delv dog doggo dnsx resolvectl systemd-resolve arping arp-scan hping3 fping mtr tracepath traceroute6 masscan zmap nping',
    'iperf iperf3 speedtest speedtest-cli ntpdate sntp telnet6 ncat6 dhclient finger nmcli ldapsearch kinit snmpwalk snmpget snmpset',
    // Mail, chats and messages.
    'fetchmail getmail mbsync offlineimap neomutt sendemail',
    'sendmail mail mailx mutt msmtp swaks s-nail irssi weechat slackcat telegram-send signal-cli mosquitto_pub mosquitto_sub nats kcat kafkacat',
    'amqp-publish websocat wscat grpcurl evans',
    // Databases and stores that are servers.
    'sqlplus tsql usql pgcli mycli cypher-shell turso pscale neonctl atlas mongoimport mongoexport mongorestore nsupdate',
    'redis-cli mongo mongosh cqlsh influx clickhouse-client sqlcmd snowsql bq etcdctl consul vault nomad',
    // Clouds, deployments and services.
    'aws gcloud az doctl linode-cli hcloud vercel netlify firebase wrangler heroku fly flyctl railway surge now eb sam cdk serverless sls supabase stripe',
    'ansible ansible-playbook ansible-galaxy ansible-pull pulumi fastlane eas gh-pages semantic-release np release-it twine flit certbot acme.sh renovate',
    'dependabot act tilt skaffold minikube kind k3d et eksctl kops telepresence okteto gitpod coder devpod oci ibmcloud aliyun scw exo civo doppler infisical',
    'sentry-cli datadog-ci codecov snyk jira linear glab hub tea bb skopeo crane regctl oras cosign',
    // Models.
    'slogin rsync-ssl ftpget ftpput jshell gnutls-cli rpcinfo showmount rusers rwho rup rdate ntpq ntpdc chronyc nbd-client iscsiadm nvme winexe net lftpget curlftpfs davfs2 rdiff-backup unison xdg-open gnome-open sensible-browser x-www-browser www-browser w3mman',
    'ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare snmptable snmpbulkwalk snmpgetnext snmptrap snmpstatus kadmin kpasswd kvno radtest',
    'llm aider ollama huggingface-cli hf dvc',
  ].join(' '),
);

const INSTALLS = 'install|add|update|upgrade|get|publish|search|login|download|fetch|sync|lock|create|outdated|audit';

/** As `/^(?:a|b)\b/` tests a text: a hook takes longer to compile such an expression than to judge a call. */
function beginsWith(alternatives: string, more?: RegExp): Pick<RegExp, 'test'> {
  const isLetter = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);
  return {
    test(text) {
      const known = new Set(alternatives.split('|'));
      for (let end = 1; end <= text.length && end <= MAX_VERB; end++)
        if (isLetter(text[end - 1]) && !isLetter(text[end]) && known.has(text.slice(0, end))) return true;
      return more?.test(text) ?? false;
    },
  };
}
const MAX_VERB = 32;

/** They reach some host with these words, which their words do not name. Held against the words that are no options. */
const REACHES_WITH = byName<() => Pick<RegExp, 'test'>>({
  git: () =>
    beginsWith(
      'push|pull|fetch|clone|ls-remote|send-email|fetch-pack|send-pack|http-fetch|http-push|imap-send|svn|p4|cvsimport|remote show|remote update|remote prune|remote set-head|remote-http|remote-https|remote-ftp|remote-ftps|remote-ext|request-pull|web--browse|annex|scalar|upload-archive|backfill|cvsexportcommit|submodule update|submodule add|submodule init|subtree pull|subtree push|subtree add|lfs pull|lfs push|lfs fetch|lfs clone|lfs prune|maintenance start|archive-remote',
    ),
  gh: () => /^(?!help|version|completion|config|alias|$)/,
  hg: () => /^(?:pull|push|clone|incoming|outgoing|in|out|fetch)\b/,
  svn: () =>
    /^(?:update|up|commit|ci|checkout|co|switch|sw|list|ls|log|export|import|copy|cp|lock|unlock|info https?)\b/,
  jj: () => /^git (?:fetch|push|clone)\b/,
  'cvs bzr darcs fossil': () => /^(?:update|up|commit|ci|checkout|co|pull|push|clone|sync)\b/,
  npm: () =>
    beginsWith(
      'i|in|ins|inst|insta|instal|install|it|cit|ci|ic|add|a|up|upgrade|update|udpate|publish|view|info|show|v|audit|search|s|se|find|login|adduser|logout|whoami|exec|x|create|innit|outdated|ping|dist-tag|access|owner|team|token|profile|star|unpublish|deprecate|org|hook|doctor|fund|stars|query-registry',
      /^(?:isnt\w*|install-\w+|clean-install\w*|init \S+|pack \S+)\b/,
    ),
  pnpm: () => new RegExp(`^(?:i|in|up|dlx|${INSTALLS}|view|info)\\b`),
  yarn: () =>
    /^(?:$|install|add|up|upgrade|upgrade-interactive|publish|dlx|create|npm|outdated|audit|info|import|global add|workspaces? \S+ add|set version)/,
  bun: () => /^(?:i|a|x|install|add|update|outdated|publish|create|c|upgrade|audit|info)\b/,
  deno: () =>
    /^(?:install|add|cache|upgrade|publish|outdated|update|jupyter)\b|^(?:run|eval|test) .*\b(?:https?:|jsr:|npm:)/,
  pip: () => /^(?:install|download|search|index|wheel)\b/,
  pipx: () => /^(?:run|install|inject|upgrade|upgrade-all|reinstall|install-all)\b/,
  uv: () =>
    /^(?:add|sync|lock|pip (?:install|download|compile|sync)|tool (?:install|run|upgrade)|python install|publish|self update|run --with)\b/,
  uvx: () => /^/,
  'poetry pdm rye pipenv': () => new RegExp(`^(?:i|self ${INSTALLS}|${INSTALLS})\\b`),
  hatch: () => /^(?:env create|publish|python install|dep show)\b/,
  'conda mamba micromamba': () => /^(?:install|create|update|upgrade|search|env (?:create|update)|self-update)\b/,
  gem: () => /^(?:install|i|update|fetch|push|search|outdated|owner|signin|sources (?:-a|--add)|yank)\b/,
  'bundle bundler': () => /^(?:$|install|update|add|outdated|lock|cache|package|config set.*mirror)\b|^$/,
  cargo: () => new RegExp(`^(?:${INSTALLS}|info|owner|yank|generate-lockfile|vendor|binstall)\\b`),
  go: () => /^(?:get|install \S+@|install|mod (?:download|tidy|vendor|why)|run \S+@|work sync)\b/,
  composer: () =>
    /^(?:install|i|update|u|upgrade|require|r|create-project|search|outdated|audit|self-?update|global require|browse)\b/,
  'mvn mvnw': () => /\b(?:deploy|dependency:\S+|archetype:\S+|versions:\S+|release:\S+)\b/,
  'gradle gradlew': () => /\b(?:publish\w*|dependencyUpdates|upload\w*|wrapper)\b/,
  sbt: () => /\b(?:update|publish\w*|reload)\b/,
  mix: () => /^(?:deps\.(?:get|update)|hex\.\S+|local\.\S+|archive\.install|phx\.new)\b/,
  rebar3: () => /^(?:get-deps|update|upgrade|hex|deps)\b/,
  'cabal stack opam luarocks nimble shards': () => new RegExp(`^(?:${INSTALLS}|setup|upload|switch create|init)\\b`),
  'dotnet nuget': () =>
    /^(?:restore|add (?:\S+ )?package|tool (?:install|update|restore)|workload|nuget|push|install|new install|package (?:add|search|update))\b/,
  'pod carthage': () => /^(?:install|update|repo|setup|trunk|bootstrap|outdated|search)\b/,
  swift: () => /^package (?:update|resolve|add\S*)\b/,
  'flutter dart pub': () =>
    /^(?:pub (?:get|add|upgrade|publish|global|outdated)|get|upgrade|publish|add|create|precache|channel)\b/,
  'apt apt-get aptitude dnf yum zypper apk': () =>
    /^(?!list\b|policy\b|show\b|info\b|remove\b|purge\b|autoremove\b|clean\b|del\b|$)/,
  brew: () => /^(?:install|update|upgrade|fetch|tap|search|reinstall|outdated|bundle|info|livecheck|audit)\b/,
  'snap flatpak port emerge xbps-install choco scoop winget mas': () =>
    /^(?:install|refresh|update|upgrade|find|search|download|selfupdate|remote-\S+)\b/,
  nix: () =>
    /^(?:run|shell|develop|build|flake (?:update|lock|init|clone)|profile install|store (?:ping|copy)|copy|search|registry) ?(?!\.)|channel\b/,
  guix: () => /^(?:pull|install|package|shell|environment|time-machine)\b/,
  'nvm fnm n volta asdf mise rustup sdk rbenv pyenv nodenv jenv proto': () =>
    /^(?:install|i|update|upgrade|use \S+|latest|ls-remote|list-remote|list all|plugin (?:add|update)|self-?update|toolchain install|component add|target add|up|lts|\d)\b/,
  'vcpkg conan spack': () => new RegExp(`^(?:${INSTALLS}|x-update\\S*)\\b`),
  'docker podman nerdctl': () =>
    /^(?:pull|push|login|search|build|buildx|run|create|image (?:pull|push|build)|container (?:run|create)|manifest|compose (?:up|pull|push|build|run|create)|stack deploy|plugin install|scout|swarm join)\b/,
  'docker-compose podman-compose': () => /^(?:up|pull|push|build|run|create)\b/,
  buildah: () => /^(?:pull|push|from|bud|build|login)\b/,
  kubectl: () => /^(?!config\b|kustomize\b|completion\b|version$|help\b|$)/,
  'oc k9s kubectx': () => /^/,
  helm: () => /^(?!template\b|lint\b|create\b|version\b|env\b|completion\b|help\b|$)/,
  'terraform tofu terragrunt': () =>
    /^(?:init|apply|plan|destroy|refresh|import|login|get|test|providers (?:mirror|lock))\b/,
  corepack: () => /^(?:prepare|install|use|up|pack)\b/,
  'helmfile flux argocd istioctl': () => /^(?!version\b|completion\b|$)/,
  'vsce ovsx jsr wasm-pack': () => /^(?:publish|login)\b/,
  'sl p4 git-annex': () => /^(?:pull|push|clone|sync|submit|get|copy|move)\b/,
  'ncu npm-check-updates meteor bower elm spago pixi': () => /^/,
  packer: () => /^(?:init|build|plugins install)\b/,
  vagrant: () => /^(?:up|box|plugin|cloud|login|share|ssh|reload)\b/,
  openssl: () => /^(?:s_client|s_time|s_server|ocsp)\b/,
  'playwright cypress puppeteer playwright-core': () => /^(?:install|browsers install|open http|codegen|screenshot)/,
  'lerna changeset nx turbo': () => /^(?:publish|release|login|connect)\b/,
  expo: () => /^(?:publish|login|start --tunnel|install|upload\S*)\b/,
  'trivy grype': () => /^/,
});

/** They reach out if an option says where, or that. */
const REACHES_BY_OPTION = byName<() => RegExp>({
  'mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlslap mysqlpump mysqlbinlog mariadb mariadb-dump mariadb-admin psql pg_dump pg_dumpall pg_restore pg_isready pg_basebackup pg_receivewal pg_recvlogical pgbench createdb dropdb createuser dropuser vacuumdb reindexdb clusterdb ecpg mongodump rails isql':
    () => /^(?:-h\S*|--h(?:o(?:s(?:t)?)?)?\b.*|.*\bhost(?:addr)?=.*)$/,
  'gdb gdbserver lldb gdb-multiarch': () =>
    /\btar\w*\s+(?:ext|rem)|gdb-remote|(?:process|platform) connect|\bconnect:\/\//i,
  logger: () => /^(?:-[a-zA-Z]*n.*|--ser.*)$/,
  'systemctl hostnamectl loginctl timedatectl localectl busctl journalctl systemd-run systemd-analyze machinectl': () =>
    /^(?:-H.*|--host\b.*|pull-\w+)$/,
  'lp lpr lpstat lpq lprm cancel cupsenable': () => /^(?:-[a-zA-Z]*[hH].*)$/,
  'tar cpio mt dump restore gtar': () =>
    /^(?:-\w*[fFO]|--file=|--rsh-command.*)?[\w.-]{2,}(?:@[\w.-]+)?:(?!:)(?![\\/]{2}).+/,
  'mount umount': () => /^(?!.*\/dev\/)(?:[\w.-]{2,}:\/|\/\/[\w.-]+\/|nfs4?$|cifs$|smb3?$|9p$|ceph$|glusterfs$)/,
  'gst-launch gst-launch-1.0': () => /\b(?:host|location=\w+:|udp|tcp)\w*/,
  ctest: () =>
    /^(?:-[DTM]?(?:Experimental|Nightly|Continuous|Submit)\w*|--submit|Experimental|Nightly|Continuous|Submit)/i,
  'xset xterm xeyes xclock xdpyinfo xhost': () => /^(?!:)[\w.-]+:\d/,
  adb: () => /^(?:connect|pair|-H|-L)$/,
  bazel: () => /^(?:sync|fetch|mod)$/,
  'opam cpan': () => /^\w/,
  'gpg gpg2': () =>
    /^--(?:recv-keys|refresh-keys|send-keys|search-keys|keyserver|locate-\S*keys|auto-key-\S+|search|fetch-keys)\b/,
  semgrep: () => /^(?:auto|p\/.*|--config=(?:auto|p\/).*|ci|login)$/,
  git: () => /^--remote\b|^prefetch$|^--task=prefetch$/,
  'gradle gradlew': () => /^--refresh-dependencies$/,
  'mvn mvnw': () => /^-[a-zA-Z]*U$/,
  uv: () => /^--with\b/,
  'nix-env': () => /^(?:-\w*[iu]\w*|--install|--upgrade)$/,
  'nix-shell': () => /^(?:-p|--packages)$/,
  'nix-channel': () => /^--(?:update|add)$/,
  docker: () => /^-H|^--host\b/,
  'pacman yay paru': () => /^-S|^--sync$/,
  'emerge emaint': () => /^\w|^--sync$/,
  'pre-commit prek': () => /^(?:autoupdate|install-hooks|run)$/,
  'code codium cursor': () => /^--install-extension/,
  expo: () => /^--tunnel$/,
  php: () => /^-\w*S$/,
  'cpan cpanm': () => /^\w/,
});

/** They reach out if a variable says where. Held against the code as a whole: it may be exported. */
const REACHES_BY_VARIABLE = byName<() => RegExp>({
  'psql pg_dump pg_dumpall pg_restore pg_isready pg_basebackup pgbench createdb dropdb createuser dropuser vacuumdb reindexdb clusterdb':
    () => /\bPG(?:HOST|HOSTADDR|SERVICE\w*)\b\+?=/,
  'mysql mysqldump mysqladmin mariadb': () => /\bMYSQL_HOST=/,
  'docker docker-compose podman': () => /\b(?:DOCKER|CONTAINER)_(?:HOST|CONTEXT)=/,
  'xterm xeyes xclock xset xdpyinfo': () => /\bDISPLAY=["']?[\w.-]+:/,
});

const PYTHON_MODULES =
  /^(?:urllib|http|ensurepip|pip|pipx|smtpd|ftplib|telnetlib|webbrowser|xmlrpc|twine|aiohttp|SimpleHTTPServer|poetry|conda)/;

/** Words, not programs: an address in them is a text. */
const SAYS = wordSet(
  'echo printf grep egrep fgrep rg ag ack sed gsed awk gawk mawk jq yq test [ export read true : tee basename dirname expr case cut tr sort diff git commitlint say logger alias',
);

const INTERPRETERS = wordSet(
  'tclsh expect guile racket sbcl clj clojure ocaml octave swift kotlin emacsclient node nodejs bun deno ruby perl php julia r rscript osascript tclsh emacs vi vim nvim tsx ts-node awk gawk mawk groovy scala elixir iex erl ghci irb pry',
);

function isInterpreterName(name: string): boolean {
  if (INTERPRETERS.has(name)) return true;
  return (name.startsWith('py') || name.startsWith('lua')) && /^(?:python[\d.]*|pypy\d*|lua\w*)$/.test(name);
}

/** Code that opens connections: by the names of modules and functions. */
export const CONNECTS = new RegExp(
  [
    '\\b(?:import|from)\\s+(?:\\w+\\s*,\\s*)*(?:socket|urllib\\d?|requests|httpx|aiohttp|http\\.client|smtplib|ftplib|telnetlib|paramiko|boto3|botocore|xmlrpc|websockets?|grpc|pycurl|asyncssh|imaplib|poplib|nntplib|redis|psycopg2?|pymongo|MySQLdb|pymysql|fabric|google\\.cloud|openai|anthropic)\\b',
    '[\'"](?:node:)?(?:https?|http2|net|tls|dgram|dns|axios|got|node-fetch|undici|ws|request|superagent|ssh2|nodemailer|ioredis|redis|pg|mysql2?|mongodb)(?:/promises)?[\'"]',
    '\\bfetch\\s*\\(',
    '\\bWebSocket\\b|\\bXMLHttpRequest\\b|\\bEventSource\\b|\\b(?:net|tls)\\.(?:connect|createConnection|Socket)|\\bDeno\\.connect|\\bBun\\.(?:connect|serve)',
    'Net::|-MSocket|\\buse\\s+Socket|urlopen|\\bsocket\\.(?:socket|create_connection)|requests\\.(?:get|post)|\\b(?:https?|http2|dgram|tls|net)\\.(?:connect|createConnection|get|request|Socket|Agent|createServer)|open-uri|URI\\.open|TCPSocket|UDPSocket|LWP|IO::Socket|HTTP::|WWW::|fsockopen|curl_(?:init|exec)|stream_socket_client|socket\\.connect',
    '\\bsocket\\s+(?:-\\w+\\s+)*[\\w.$[]+\\s+[$\\d]|\\(\\s*socket\\b|http::geturl|open-network-stream|make-network-process|socketConnection|open_connection|ADDR_INET|Network\\.Socket|usocket|sb-bsd-sockets|using Sockets|toURL\\(|new Socket\\(|java\\.net|URLSession|tcp-connect|(?:Socket|HTTP|SMTP|SysLog|Datagram)Handler',
    'Pkg\\.add|install\\.packages|download\\.file|Downloads\\.|url-retrieve|/inet[46]?/(?:tcp|udp)/|require\\([\'"]socket|gen_tcp|httpc:',
  ].join('|'),
);

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

/** It only tells about itself. */
const ABOUT_ITSELF = /^(?:--version|--help|-V|version|help)$/;

export function useHosts(written: string, words: readonly ShellWord[], scene: Scene): void {
  const { gathering } = scene;
  const name = written.endsWith('.exe') ? written.slice(0, -4) : written;
  const forms = words.slice(1).map(({ form }) => form);
  if (forms.length === 1 && ABOUT_ITSELF.test(forms[0] ?? '') && !REACHES_BY_VARIABLE.get(name)?.().test(scene.code))
    return;
  const plain = forms.filter((form) => !form.startsWith('-'));
  const verbs = (name === 'git' ? plainOfGit(forms) : plain).slice(0, 5).join(' ');
  const verb = REACHES_WITH.get(name.startsWith('pip') ? name.replace(/^pip[\d.]+$/, 'pip') : name);
  const option = REACHES_BY_OPTION.get(name)?.();
  const variable = REACHES_BY_VARIABLE.get(name)?.();
  const reaches =
    REACHES_OUT.has(name) ||
    verb?.().test(verbs) ||
    (option !== undefined && forms.some((form) => option.test(form))) ||
    // `git remote add -f x`: it fetches at once.
    (name === 'git' && verbs.startsWith('remote add') && forms.some((form) => /^-[a-z]*f|^--fetch$/.test(form))) ||
    variable?.test(scene.code) ||
    runsNetworkModule(name, forms) ||
    (isInterpreterName(name) && [...forms, ...codeComingIn(scene)].some((code) => CONNECTS.test(code)));
  let found = false;
  const add = (host: string) => {
    found = true;
    gathering.addHost(host.replace(/:\d+$/, '').toLowerCase());
  };
  if (reaches || !SAYS.has(name))
    for (const form of forms) {
      if (!form.includes('://')) continue;
      const url = form.slice(Math.max(0, form.search(/[a-z][a-z0-9+.-]*:\/\//i)));
      const host = hostOfUrl(url);
      if (host !== null) add(host);
    }
  if (FETCHERS.has(name)) {
    for (const form of plain) {
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
    for (const form of plain) {
      const [, host] = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+)(?::|$)/.exec(form) ?? [];
      if (isUnsure(form)) add(SOME_HOST);
      else if (host !== undefined && (form.includes(':') || form.includes('@') || /[.]|^localhost$/.test(host)))
        add(host);
      else if (host !== undefined && name !== 'rsync' && name !== 'scp' && !/^\d+$/.test(host)) add(host);
    }
    if (!found && name !== 'rsync') add(SOME_HOST);
  }
  if (name === 'git' && reaches)
    for (const form of plain) {
      const [, host] = /^[^@/\s:]+@([A-Za-z0-9.-]+):/.exec(form) ?? [];
      if (host !== undefined) add(host);
    }
  if (!found && reaches) add(SOME_HOST);
}

/** Without the values of `-C folder` and `-c name=value`. */
function plainOfGit(forms: readonly string[]): readonly string[] {
  return forms.filter(
    (form, at) => !form.startsWith('-') && !/^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/.test(forms[at - 1] ?? ''),
  );
}

function runsNetworkModule(name: string, forms: readonly string[]): boolean {
  if (!name.startsWith('py') || !/^python[\d.]*$|^pypy/.test(name)) return false;
  return forms.some((form, at) => forms[at - 1] === '-m' && PYTHON_MODULES.test(form));
}

function codeComingIn({ stdin }: Scene): readonly string[] {
  return stdin.kind === 'text' ? [stdin.text] : [];
}
