import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageFile } from './page.ts';
import { ask } from './testing/ask.ts';
import { memoryLive } from './testing/memory-live.ts';
import { type Served, serve } from './testing/serve.ts';

const file = (text: string, type: string): PageFile => ({ bytes: new TextEncoder().encode(text), type });
const page = new Map([
  ['/', file('<!doctype html><title>troupe</title>', 'text/html; charset=utf-8')],
  ['/assets/index-abc.js', file('let it = 1;', 'text/javascript; charset=utf-8')],
]);

let server: Served;
beforeAll(async () => {
  server = await serve(memoryLive(), { page });
});
afterAll(() => server.close());

describe('the files of the page', () => {
  it('are served without a token, under a policy that allows nothing external and nothing inline', async () => {
    const index = await ask(server.port, { path: '/' });
    expect([index.status, index.text]).toEqual([200, '<!doctype html><title>troupe</title>']);
    expect(index.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(index.headers['cache-control']).toBe('no-store');
    const script = await ask(server.port, { path: '/assets/index-abc.js' });
    expect([script.status, script.text, script.headers['content-type']]).toEqual([
      200,
      'let it = 1;',
      'text/javascript; charset=utf-8',
    ]);
    expect(script.headers['cache-control']).toContain('immutable');
  });

  it('are a fixed list: any other address needs the token, and is not found', async () => {
    for (const path of [
      '/assets/index-abc.js/',
      '/assets/',
      '/assets/../index-abc.js',
      '/assets/%2e%2e/daemon.json',
      '/assets/index-abc.js%00',
      '/package.json',
      '//assets/index-abc.js',
    ]) {
      expect([400, 401], path).toContain((await ask(server.port, { path })).status);
      expect([400, 404], path).toContain((await server.get(path)).status);
    }
  });
});
