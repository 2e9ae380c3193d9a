import { describe, expect, it } from 'vitest';
import { createRedactor, type RedactorOptions } from './create-redactor.ts';
import { isDictionaryWord } from './dictionary.ts';
import { isMadeOfWords } from './rule.ts';
import { CREDENTIAL_RULES } from './rules/all-rules.ts';
import { fillSample } from './testing/fill-sample.ts';

/** All texts are scanned, then the last one is redacted. */
function redactLast(texts: readonly string[], options: RedactorOptions = {}): string {
  const redactor = createRedactor(options);
  redactor.scan([...texts]);
  return redactor.redactText(texts.at(-1) ?? '');
}

describe('a value that is known from elsewhere', () => {
  it.each([
    ['quartz77', 'quartz778 xquartz77 quartz77_backup old-quartz77 Quartz77 my_quartz77_copy'],
    ['lunar-orchard-gateway', 'lunar-orchard-gateway-v2 the-lunar-orchard-gateway lunar-orchard-gateway.json'],
    ['Maple!93', 'Maple!935 xMaple!93'],
  ])('%s is not cut out of longer words and identifiers', (value, text) => {
    expect(redactLast([`DB_PASSWORD=${value}`, text])).toBe(text);
  });

  it.each([
    '"quartz77"',
    '(quartz77)',
    '-quartz77',
    '_quartz77_',
    'a/quartz77/b',
    'x=quartz77;',
    'is quartz77.',
    '--quartz77--',
  ])('is taken out of %s', (text) => {
    expect(redactLast(['DB_PASSWORD=quartz77', text])).not.toContain('quartz77');
  });

  it('is found glued to other letters if it was drawn at random', () => {
    const { text } = fillSample('{an:24}');
    expect(redactLast([`API_TOKEN=${text}`, `x${text}y`])).not.toContain(text);
  });
});

describe('names of users', () => {
  it.each(['gardener', 'falcon', 'archers', 'shipping', 'merge', 'glider', 'kim', 'lars', 'odin'])(
    '%s is replaced inside paths only, as an ordinary or short word',
    (user) => {
      const options = { home: `/home/${user}`, users: [user] };
      expect(redactLast([`cat /home/${user}/x -I/home/${user}/y`], options)).toBe('cat ~/x -I~/y');
      const text = `the ${user} and ${user}_total, ${user.toUpperCase()} of ${user}s`;
      expect(redactLast([text], options)).toBe(text);
    },
  );

  it.each(['margarethe', 'jdoe42', 'h.lindqvist', 'peter', 'oliver', 'sebastian'])(
    '%s is replaced everywhere',
    (user) => {
      const text = redactLast([`${user} pushed, owner ${user}`], { home: `/home/${user}`, users: [user] });
      expect(text).toBe('[redacted:user-name#1] pushed, owner [redacted:user-name#1]');
    },
  );

  it('replaces a machine by the name of a word only behind the name of a user', () => {
    expect(redactLast(['root@falcon:~# the falcon flies, falcon.ts'], { hosts: ['falcon'] })).toBe(
      'root@[redacted:host-name#1]:~# the falcon flies, falcon.ts',
    );
    expect(redactLast(['ssh zx81lab'], { hosts: ['zx81lab'] })).toBe('ssh [redacted:host-name#1]');
  });

  it('knows words with endings, and no names of people', () => {
    expect(['builders', 'shipped', 'ponies', 'windy'].map(isDictionaryWord)).toEqual([true, true, true, true]);
    expect(['Peter', 'oliver', 'kowalski', 'ahmed', 'jdoe'].map(isDictionaryWord)).toEqual(Array(5).fill(false));
  });
});

describe('names of projects, files and branches', () => {
  const NAMES = [
    'warehouse-inventory-sync-service',
    'warehouse_inventory_sync_service',
    'WarehouseInventorySyncServiceTests2',
    'warehouseInventorySyncServiceV2Adapter',
    'release-2025-03-candidate-build-final.md',
    'fix_redirect_after_oauth2_login_v3',
    'a-long-branch-name-that-goes-on-until-it-is-as-long-as-any-token-of-any-vendor-could-be-in-practice',
  ];
  it('stay, also where a token begins like them', () => {
    const touched: string[] = [];
    let count = 0;
    // Of these, what follows belongs to the last word: `1//0warehouse`.
    for (const { prefixes = [] } of CREDENTIAL_RULES)
      for (const prefix of prefixes.filter((one) => /[-_.~]$/.test(one)))
        for (const name of NAMES) {
          const text = `git checkout ${prefix}${name}`;
          count++;
          if (redactLast([text]) !== text) touched.push(text);
        }
    expect(count).toBeGreaterThan(1_000);
    expect(touched).toEqual([]);
  });

  it('are hardly ever what is drawn at random', () => {
    for (const [hole, most] of [
      ['an', 1],
      ['w', 1],
      ['lo', 0],
      ['hex', 0],
      ['up', 0],
    ] as const) {
      const names = Array.from({ length: 20_000 }, (_, seed) => fillSample(`{~${hole}:24}`, seed).text).filter(
        isMadeOfWords,
      );
      expect([hole, names.length <= most, names]).toEqual([hole, true, expect.anything()]);
    }
  });
});
