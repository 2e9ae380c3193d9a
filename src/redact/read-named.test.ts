import { describe, expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';
import { maskText } from './mask-secrets.ts';

describe('values by their names', () => {
  it.each([
    ['{"auth":"plainword"}', 'plainword'],
    ['env:\n  - value: hunterine\n    name: API_TOKEN\n', 'hunterine'],
    ['? password\n: "p@ss: w0rd #1"\n', 'p@ss'],
    ['id;passwort;x\n1;Quail71Nest;y', 'Quail71Nest'],
    ['│ user │ password    │\n├──────┼─────────────┤\n│ kim  │ Quail71Nest │', 'Quail71Nest'],
    ['name,value\nAPI_TOKEN,Quail71Nest\n', 'Quail71Nest'],
    ["ENV.fetch('API_KEY') { 'T1ger&Lamp' }", 'T1ger'],
    ['std::env::var("API_KEY").unwrap_or_else(|_| "T1ger&Lamp".to_string())', 'T1ger'],
    ["parser.add_argument('--token', default='T1ger&Lamp')", 'T1ger'],
    ['char password[] = "T1ger&Lamp";', 'T1ger'],
    ['$' + '{DB_PASSWORD-copper-f1eld}', 'copper-f1eld'],
    ['Use it with PASS_PHRASE=walrus88 to begin', 'walrus88'],
    ['passWord: walrus88', 'walrus88'],
    ['**Password**\n\n```\nWalrus-88-Fig\n```', 'Walrus-88-Fig'],
  ])('takes out what %j names', (text, secret) => {
    expect(maskText(text).text).not.toContain(secret);
  });

  it.each([
    '#define SN_kx_ecdhe_psk         "kx-ecdhe-psk"\n',
    'IPV4_PAT = r"(?:[0-9]{1,3})"\n',
    'def sign(backend: "Backend", private_key: "_EllipticCurvePrivateKey"):\n',
    ' * @PSK_8:\t8-PSK modulation\n',
    "styles = {\n  Token: '#d0d0d0',\n}\n",
    'SERVER_AUTH = "1.3.6.1.5.5.7.3.1"\n',
    'verify(client_secret, resource_owner_secret)\n    match = safe(signature, request.signature)\n',
  ])('leaves %j alone', (text) => {
    expect(createRedactor().redactText(text)).toBe(text);
  });
});
