import { type SecretRule, shaped, token } from '../rule.ts';

const GROUP = 'chat';

export const CHAT_RULES: readonly SecretRule[] = [
  token(GROUP, {
    id: 'slack-token',
    what: 'token of Slack: bot, user, workspace, refresh, configuration',
    starts: ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    body: '[\\w.%/+-]{5,400}',
    glued: true,
    samples: ['xoxb-{num:12}-{num:13}-{an:24}', 'xoxp-{num:12}-{num:12}-{num:12}-{hex:32}', 'xoxe.xoxp-1-{an:160}'],
    misses: ['xoxb-x'],
  }),
  token(GROUP, {
    id: 'slack-app-token',
    what: 'app-level token of Slack',
    starts: ['xapp-'],
    body: '(?:\\d-[\\w-]{5,300}|(?=[a-z-]{0,60}[\\dA-Z])[A-Za-z0-9]{1,40}(?:-[A-Za-z0-9]{1,40}){1,8})',
    samples: ['xapp-1-A{up:10}-{num:13}-{hex:64}'],
    misses: ['xapp-icons-extra-large'],
  }),
  shaped(GROUP, {
    id: 'slack-webhook',
    what: 'webhook of Slack',
    keywords: ['hooks.slack.com', 'hooks.slack-gov.com'],
    pattern:
      'hooks\\.slack(?:-gov)?\\.com/(?:services/(T\\w{1,40}/B\\w{1,40}/\\w{1,60})|(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,200}))',
    isWrapped: true,
    samples: ['https://hooks.slack.com/services/T{up:8}/B{up:8}/{an:24}'],
    misses: ['https://hooks.slack.com/services/', 'hooks.slack.com/services/YOUR/WEBHOOK'],
  }),
  shaped(GROUP, {
    // The first part is the bot's id in base64: digits begin so.
    id: 'discord-token',
    what: 'token of a Discord bot',
    keywords: ['md', 'mt', 'mj', 'mz', 'nd', 'nt', 'nj', 'nz', 'od', 'ot'],
    begins: { starts: ['MD', 'MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'], isGlued: false },
    pattern: '(?<![\\w.-])[MNO][DTjz][\\w-]{21,26}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w-])',
    minEntropy: 4,
    isWrapped: true,
    samples: ['MTA{w:21}.{w:6}.{w:38}', 'NjA{w:21}.G{w:5}.{w:27}'],
    misses: ['MTA{w:21}.{w:6}', 'Mt.Everest'],
  }),
  shaped(GROUP, {
    id: 'discord-webhook',
    what: 'webhook of Discord',
    keywords: ['/api/webhooks/'],
    pattern: '/api/webhooks/\\d{5,30}/([\\w-]{30,100})',
    isWrapped: true,
    samples: ['https://discord.com/api/webhooks/{~num:18}/{w:68}'],
    misses: ['/api/webhooks/github'],
  }),
  shaped(GROUP, {
    id: 'telegram-token',
    what: 'token of a Telegram bot',
    keywords: [':aa'],
    pattern: '(?<!\\d)\\d{6,12}:AA[\\w-]{30,40}',
    before: 12,
    reach: 60,
    isWrapped: true,
    samples: ['{num:10}:AA{w:33}', 'https://api.telegram.org/bot{num:9}:AA{w:33}/getMe'],
    misses: ['12:AA{w:33}', '{num:10}:AA{w:9}'],
  }),
  shaped(GROUP, {
    id: 'teams-webhook',
    what: 'webhook of Microsoft Teams',
    keywords: ['.webhook.office.com/', 'outlook.office.com/webhook/'],
    pattern: '(?:\\.webhook\\.office\\.com/webhookb2|outlook\\.office\\.com/webhook)/([\\w@/-]{40,250})',
    isWrapped: true,
    samples: ['https://x.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}'],
    misses: ['https://x.webhook.office.com/webhookb2/'],
  }),
  shaped(GROUP, {
    id: 'google-chat-webhook',
    what: 'webhook of Google Chat',
    keywords: ['chat.googleapis.com/v1/spaces/'],
    pattern:
      'chat\\.googleapis\\.com/v1/spaces/[\\w-]{4,40}/messages\\?(key=[\\w-]{20,60}&(?:amp;)?token=[\\w%-]{20,100})',
    samples: ['https://chat.googleapis.com/v1/spaces/AAAA/messages?key={w:39}&token={w:43}'],
    misses: ['https://chat.googleapis.com/v1/spaces/AAAA/messages?pageSize=1'],
  }),
  shaped(GROUP, {
    id: 'automation-webhook',
    what: 'webhook of Zapier, Make or IFTTT',
    keywords: ['hooks.zapier.com/hooks/catch/', '.make.com/', 'maker.ifttt.com/'],
    pattern:
      '(?:hooks\\.zapier\\.com/hooks/catch/(\\d{4,12}/[a-z0-9]{5,12})|\\.make\\.com/([a-z0-9]{28,40})|maker\\.ifttt\\.com/trigger/\\w{1,60}/(?:json/)?with/key/([\\w-]{15,60}))',
    samples: ['https://hooks.zapier.com/hooks/catch/{~num:7}/{lo:7}', 'https://hook.eu1.make.com/{lo:32}'],
    misses: ['https://www.make.com/en/help'],
  }),
];
