import { readKeyFile, readPrivateKey } from '../read-key.ts';
import { assigned, placed, type SecretRule, shaped, token } from '../rule.ts';

const CODE_HOSTS = 'code hosts';

export const CODE_HOST_RULES: readonly SecretRule[] = [
  token(CODE_HOSTS, {
    id: 'github-token',
    what: 'token of GitHub: personal, OAuth, of an app, of a refresh',
    source: 'gitleaks github-app-token, github-oauth and others',
    date: '2026-11-19',
    checksum: 'CRC-32 of the body in base 62, its last six characters',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    // Those of an app may be its number and a JSON web token.
    body: '(?:\\d{1,12}_eyJ[\\w.-]{30,1500}|\\w{36}(?!\\w)|[A-Za-z0-9]{30,255})',
    accepts: (secret) => /\d|[a-z][A-Z]/.test(secret),
    glued: true,
    samples: [
      'ghp_{an:36}',
      'ghs_{~num:6}_eyJ{w:30}.eyJ{w:60}.{w:43}',
      'https://x:ghs_{an:36}@github.com/o/r',
      'ghr_{an:76}',
    ],
    misses: ['ghp_{an:12}', 'ghs_installation_token'],
  }),
  token(CODE_HOSTS, {
    id: 'github-fine-grained-token',
    what: 'fine-grained personal token of GitHub',
    source: 'gitleaks github-fine-grained-pat',
    date: '2026-11-19',
    starts: ['github_pat_'],
    body: '\\w{36,255}',
    glued: true,
    samples: ['github_pat_{an:22}_{an:59}'],
    misses: ['github_pat_{an:10}'],
  }),
  token(CODE_HOSTS, {
    id: 'gitlab-token',
    what: 'token of GitLab: personal, deploy, trigger, runner, job, feed, mail, agent, SCIM, OAuth, feature flags, workspace',
    source: 'gitleaks gitlab-cicd-job-token, gitlab-deploy-token and others',
    date: '2026-11-19',
    starts: [
      'glpat-',
      'gldt-',
      'glptt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glft-',
      'glimt-',
      'glagent-',
      'glsoat-',
      'gloas-',
      'glffct-',
      'glwt-',
      'GR1348941',
    ],
    body: '[\\w.-]{16,300}',
    samples: ['glpat-{w:20}', 'glrt-t1_{w:20}', 'GR1348941{w:20}', 'gloas-{hex:64}'],
    misses: ['glpat-{w:6}', 'glft-menu'],
  }),
  token(CODE_HOSTS, {
    id: 'bitbucket-token',
    what: 'app password or token of Bitbucket',
    source: 'trufflehog bitbucketapppassword',
    date: '2026-11-19',
    starts: ['ATBB', 'ATCTT3'],
    body: '[A-Za-z0-9_=-]{28,300}',
    samples: ['ATBB{an:32}', 'ATCTT3{w:180}'],
    misses: ['ATBB{an:6}'],
  }),
  assigned(CODE_HOSTS, {
    id: 'bitbucket-secret',
    what: 'client secret of Bitbucket, by the name it is given',
    source: 'gitleaks bitbucket-client-id, bitbucket-client-secret',
    date: '2026-11-19',
    vendor: ['bitbucket'],
    value: '[A-Za-z0-9=_-]{32,64}',
    accepts: (secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret),
    samples: ['BITBUCKET_CLIENT_SECRET={an:32}'],
    misses: ['bitbucket_team = example'],
  }),
  token(CODE_HOSTS, {
    id: 'sourcegraph-token',
    what: 'access token of Sourcegraph',
    source: 'gitleaks sourcegraph-access-token',
    date: '2026-11-19',
    starts: ['sgp_', 'slk_'],
    body: '(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40,64}',
    samples: ['sgp_{hex:16}_{hex:40}'],
    misses: ['sgp_{hex:10}'],
  }),
  token(CODE_HOSTS, {
    id: 'build-token',
    what: 'token of CircleCI, Buildkite or Travis',
    source: 'trufflehog circleci, buildkite',
    date: '2026-11-19',
    starts: ['CCIPAT_', 'CCIPRJ_', 'bkua_', 'bkaa_', 'bkpt_'],
    body: '[A-Za-z0-9_]{30,120}',
    samples: ['CCIPAT_{an:22}_{hex:40}', 'bkua_{hex:40}'],
    misses: ['bkua_{hex:6}'],
  }),
  assigned(CODE_HOSTS, {
    id: 'build-key',
    what: 'token of CircleCI, Travis, Drone, Codecov or Snyk, by the name it is given',
    source: 'gitleaks codecov-access-token, snyk-api-token',
    date: '2026-11-19',
    vendor: ['circle_token', 'circleci', 'travis_token', 'travis_api', 'drone_token', 'codecov', 'snyk', 'coveralls'],
    value: '(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9]{32,40}|[A-Za-z0-9_-]{22})',
    accepts: (secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret),
    samples: ['CODECOV_TOKEN={uuid}', 'SNYK_TOKEN: {uuid}', 'CIRCLE_TOKEN={hex:40}'],
    misses: ['codecov: 91%'],
  }),
];

const REGISTRIES = 'package registries';

export const REGISTRY_RULES: readonly SecretRule[] = [
  token(REGISTRIES, {
    id: 'npm-token',
    what: 'access token of npm',
    source: 'gitleaks npm-access-token',
    date: '2026-11-19',
    checksum: 'CRC-32 of the body in base 62, its last six characters',
    starts: ['npm_'],
    body: '(?:\\w{36}|[A-Za-z0-9]{30,60})(?!\\w)',
    accepts: (secret) => /\d|[a-z][A-Z]/.test(secret) && !/^npm_(?:config|package|lifecycle)_/.test(secret),
    samples: ['npm_{an:36}'],
    misses: ['npm_{an:9}', 'npm_config_registry'],
  }),
  placed(REGISTRIES, {
    id: 'npmrc-auth',
    what: 'token or password of a registry in .npmrc',
    source: 'kingfisher npm',
    date: '2026-11-19',
    keywords: ['_authtoken', '_auth', ':_password'],
    pattern: '(?<![A-Z\\d])(?::_password|_auth(?:Token)?)\\s{0,3}=\\s{0,3}["\']?([^\\s"\'$;]{6,2000})',
    flags: 'i',
    accepts: (secret, [all]) =>
      !/^[\d.]+$|^[A-Z]\w+(?:\.\w+)+$/.test(secret) &&
      !/^[A-Z_]+\d?$|^[a-z][\w$]*\.[\w$.]+$|^[<{[*]|[(]|^(?:true|false|null|none)\b/i.test(secret) &&
      (/token/i.test(all) || /\d|={1,2}$|[a-z][A-Z]/.test(secret)),
    samples: ['//registry.example.com/:_authToken={uuid}', '_auth={b64:24}=='],
    misses: ['_authToken=${NPM_TOKEN}', 'always_auth=true'],
  }),
  token(REGISTRIES, {
    id: 'pypi-token',
    what: 'upload token of PyPI',
    source: 'gitleaks pypi-upload-token',
    date: '2026-11-19',
    starts: ['pypi-'],
    body: '[\\w-]{50,500}',
    accepts: (secret) => /[A-Z]/.test(secret) && /\d/.test(secret),
    samples: ['pypi-AgEIcHlwaS5vcmc{w:120}'],
    misses: ['pypi-server'],
  }),
  token(REGISTRIES, {
    id: 'rubygems-key',
    what: 'API key of RubyGems',
    source: 'gitleaks rubygems-api-token',
    date: '2026-11-19',
    starts: ['rubygems_'],
    body: '[a-f0-9]{48}',
    samples: ['rubygems_{hex:48}'],
    misses: ['rubygems_version'],
  }),
  token(REGISTRIES, {
    id: 'nuget-key',
    what: 'API key of NuGet',
    source: 'trufflehog nugetapikey',
    date: '2026-11-19',
    starts: ['oy2'],
    body: '[a-z0-9]{43}(?![A-Za-z0-9])',
    samples: ['oy2{lo:43}'],
    misses: ['oy2{lo:10}'],
  }),
  token(REGISTRIES, {
    id: 'crates-token',
    what: 'token of crates.io',
    source: 'kingfisher crates.io',
    date: '2026-11-19',
    starts: ['cio'],
    body: '[A-Za-z0-9]{32}(?![A-Za-z0-9])',
    accepts: (secret) => /\d/.test(secret) && /[A-Z]/.test(secret),
    samples: ['cio{an:32}'],
    misses: ['cio{an:9}'],
  }),
  token(REGISTRIES, {
    id: 'docker-token',
    what: 'token of Docker Hub',
    source: 'secretlint docker',
    date: '2026-11-19',
    starts: ['dckr_pat_', 'dckr_oat_'],
    body: '[\\w-]{20,60}',
    samples: ['dckr_pat_{w:27}'],
    misses: ['dckr_pat_x'],
  }),
  placed(REGISTRIES, {
    id: 'docker-auth',
    what: 'login in the configuration of Docker',
    source: 'trufflehog docker',
    date: '2026-11-19',
    keywords: ['"auth"', '\\"auth\\"'],
    pattern: '\\\\{0,3}"auth\\\\{0,3}"\\s{0,3}:\\s{0,3}\\\\{0,3}"([A-Za-z0-9+/]{8,2000}={0,2})',
    before: 2,
    accepts: (secret) => secret.length % 4 === 0 && /[\d=]/.test(secret),
    samples: ['{"auths":{"x":{"auth":"{b64:40}"}}}'],
    misses: ['{"auth":"oauth2"}'],
  }),
  token(REGISTRIES, {
    id: 'artifactory-token',
    what: 'API key or reference token of JFrog Artifactory',
    source: 'gitleaks artifactory-api-key, artifactory-reference-token',
    date: '2026-11-19',
    starts: ['AKCp', 'cmVmd'],
    body: '[A-Za-z0-9+/=]{50,110}',
    accepts: (secret) => /\d/.test(secret) && (secret.length === 64 || /^(?:AKCp|cmVmdGtu)/.test(secret)),
    samples: ['AKCp{an:69}', 'cmVmdGtu{an:56}', 'cmVmd{an:59}'],
    misses: ['AKCp{an:10}', 'cmVmd{an:80}'],
  }),
  token(REGISTRIES, {
    id: 'packaging-token',
    what: 'token of Clojars, Packagist, Hex or Homebrew',
    source: 'gitleaks clojars-api-token',
    date: '2026-11-19',
    starts: ['CLOJARS_', 'packagist_ack_', 'packagist_uut_'],
    body: '[a-zA-Z0-9]{60,80}',
    samples: ['CLOJARS_{lo:60}', 'packagist_uut_{hex:68}'],
    misses: ['CLOJARS_USERNAME'],
  }),
];

const KEYS = 'keys';
/** Base64 with its line ends, as they are or escaped, with headers, numbers of lines and marks of a diff. */
const ARMOUR = '(?:[\\w+/=\\\\\\s:,.()\'"`→|>#*&;%]|-(?!----)){0,16000}';

/** How the base64 of private keys begins: a sequence, its length, version 0 or 1; and the format of OpenSSH. */
const KEY_START = /^(?:MII[A-Z][A-Za-z0-9+/][AQgw]IBA|MIG[A-Z]AgEA|MHcCAQEE|MC4CAQAw|b3BlbnNzaC1rZXktdjE)/;

export const KEY_RULES: readonly SecretRule[] = [
  shaped(KEYS, {
    id: 'private-key',
    basis: 'private key',
    what: 'private key in PEM form: RSA, EC, DSA, OpenSSH, PKCS 8, encrypted, PGP; on one line, too, and without its end',
    source: 'gitleaks private-key',
    date: '2026-11-19',
    keywords: ['-----begin'],
    // A narrow terminal cuts the title, too.
    pattern: `-----BEGIN[^-]{3,60}-(?:[\\s+\\\\]{0,4}-){4}${ARMOUR}(?:-----END[^-]{3,60}-----)?`,
    accepts: (secret) => {
      const [, , , , , title = '', ...body] = secret.split('-');
      return (
        /PRIVATEKEY/.test(title.replace(/\\n|[^A-Z]/g, '')) &&
        /[A-Za-z0-9+/]{16}/.test(body.join('-').replace(/-----END.*/s, ''))
      );
    },
    // Without line numbers, marks of a diff, and how its lines end.
    canonical: (secret) =>
      (secret.match(/[A-Za-z0-9+/=]{20,8000}/g) ?? []).map((line) => line.replace(/^\++/, '')).join('\n'),
    samples: ['{pem:RSA PRIVATE KEY}', '{pem:PRIVATE KEY}', '{pem:OPENSSH PRIVATE KEY}', '{pem:PGP PRIVATE KEY BLOCK}'],
    misses: ['{pem:PUBLIC KEY}', 'text.includes("-----BEGIN PRIVATE KEY-----")'],
  }),
  {
    id: 'private-key-lines',
    group: KEYS,
    basis: 'private key',
    // With its first line, the rule above names it.
    isGeneral: true,
    what: 'private key of any length, also without its first or its last line',
    source: 'RFC 7468 (textual encodings)',
    date: '2026-11-19',
    keywords: [
      'private key',
      'miie',
      'miic',
      'miij',
      'miib',
      'migh',
      'migk',
      'mhcc',
      'mc4c',
      'b3blbnnzac1r',
      'id_ed25519',
      'id_rsa',
      'id_ecdsa',
    ],
    pattern: /(?!)/y,
    before: 0,
    reach: 0,
    read: (text, hit, onSecret) =>
      /^id_/.test(text.slice(hit, hit + 3))
        ? readKeyFile(text, hit, onSecret)
        : text[hit] === 'P' || KEY_START.test(text.slice(hit, hit + 24))
          ? readPrivateKey(text, hit, onSecret)
          : hit + 1,
    canonical: (secret) =>
      (secret.match(/[A-Za-z0-9+/=]{20,8000}/g) ?? []).map((line) => line.replace(/^\++/, '')).join('\n'),
    samples: [
      '\n{b64:64}\n{b64:64}\n{b64:31}=\n-----END PRIVATE KEY-----',
      '\nMIIEpAIBAAKCAQEA{b64:48}\n{b64:64}\n{b64:64}\n{b64:64}\n',
    ],
    misses: ['{pem:PUBLIC KEY}', 'MIIDdzCCAl+gAwIBAgIE', 'see the private key file'],
  },
  shaped(KEYS, {
    id: 'putty-key',
    basis: 'private key',
    what: 'private key of PuTTY',
    source: 'PuTTY manual, appendix on the PPK format',
    date: '2026-11-19',
    keywords: ['private-lines:'],
    pattern:
      'Private-Lines:\\s{0,3}\\d{1,3}\\s{1,6}((?:[A-Za-z0-9+/=]{4,80}\\s{1,6}){1,80})(?:Private-MAC:\\s?[0-9a-f]{20,80})?',
    samples: ['Private-Lines: 2\n{b64:64}\n{b64:64}\nPrivate-MAC: abc'],
    misses: ['Private-Lines: none'],
  }),
  token(KEYS, {
    id: 'age-secret-key',
    what: 'secret key of age',
    source: 'gitleaks age-secret-key',
    date: '2026-11-19',
    starts: ['AGE-SECRET-KEY-1', 'AGE-PLUGIN-'],
    body: '[0-9A-Z-]{40,120}',
    samples: ['AGE-SECRET-KEY-1{up:58}'],
    misses: ['AGE-SECRET-KEY-1'],
  }),
  shaped(KEYS, {
    id: 'wireguard-key',
    what: 'private or shared key of WireGuard',
    source: 'kingfisher wireguard',
    date: '2026-11-19',
    keywords: ['privatekey', 'presharedkey'],
    pattern: '(?:PrivateKey|PresharedKey)\\s{0,3}=\\s{0,3}([A-Za-z0-9+/]{43}=)',
    samples: ['PrivateKey = {b64:43}='],
    misses: ['PrivateKey = key.pem'],
  }),
  shaped(KEYS, {
    id: 'json-web-key',
    what: 'private part of a JSON web key',
    source: 'RFC 7517 (JSON web key)',
    date: '2026-11-19',
    keywords: ['"kty"', '\\"kty\\"'],
    pattern: '"(?:d|dp|dq|qi|k)\\\\{0,3}"\\s{0,3}:\\s{0,3}\\\\{0,3}"([\\w-]{20,1000})\\\\{0,3}"',
    before: 1200,
    reach: 3000,
    samples: ['{"kty":"EC","crv":"P-256","d":"{w:43}"}'],
    misses: ['{"kty":"EC","x":"{w:43}"}'],
  }),
  shaped(KEYS, {
    // One beginning for a whole run: thousands of them in a row must not each look at all that follow.
    id: 'jwt',
    what: 'JSON web token, signed or not',
    source: 'RFC 7519 (JSON web token)',
    date: '2026-11-19',
    keywords: ['eyj'],
    pattern: '(?<![\\w-])eyJ[\\w-]{8,4000}\\.[\\w-]{8,4000}(?:\\.[\\w-]{0,4000}){0,3}',
    isWrapped: true,
    samples: ['eyJ{w:33}.eyJ{w:60}.{w:43}', 'eyJ{w:33}.eyJ{w:60}.'],
    misses: ['eyJ{w:33}', 'eyJ.eyJ.x'],
  }),
  shaped(KEYS, {
    id: 'password-hash',
    what: 'hash of a password, as in /etc/shadow and .htpasswd',
    source: 'crypt(5)',
    date: '2026-11-19',
    keywords: ['$2a$', '$2b$', '$2y$', '$6$', '$5$', '$y$', '$apr1$', '$argon2'],
    pattern:
      '\\$(?:2[aby]\\$\\d{2}\\$[./A-Za-z0-9]{53}|[56]\\$(?:rounds=\\d{1,9}\\$)?[./A-Za-z0-9]{1,16}\\$[./A-Za-z0-9]{43,86}|y\\$[./A-Za-z0-9]{1,8}\\$[./A-Za-z0-9]{4,30}\\$[./A-Za-z0-9]{43}|apr1\\$[./A-Za-z0-9]{1,8}\\$[./A-Za-z0-9]{22}|argon2(?:id|i|d)\\$v=\\d{1,3}\\$[mtp=,\\d]{5,40}\\$[A-Za-z0-9+/]{8,100}\\$[A-Za-z0-9+/]{16,200})',
    samples: ['$2b$12${an:53}', 'root:$6${an:8}${an:86}:19000', '$argon2id$v=19$m=65536,t=3,p=4${an:22}${an:43}'],
    misses: ['$2b$12$short', 'echo $6$x'],
  }),
];
