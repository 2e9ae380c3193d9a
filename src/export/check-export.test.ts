import { describe, expect, it } from 'vitest';
import { checkLinks, readLinks } from './check-export.ts';

const page = (file: string, title: string, body: string) =>
  readLinks(file, `<html><head><title>${title}</title></head><body><main id="content">${body}</main></body></html>`);
const one = '<article id="m-1">x</article>';

describe('the checker of links', () => {
  it('finds dead links, unreachable pages, missing titles and empty files', () => {
    const pages = [
      page(
        'index.html',
        'a',
        `${one}<a href="b.html#m-1">b</a><a href="b.html#m-9">b</a><a class="x" href="c.html">c</a>`,
      ),
      page('b.html', '', `${one}<a href="https://example.com/">w</a><a href="#m-1">#</a>`),
      page('d.html', 'd', ''),
    ];
    expect(checkLinks(pages, 'index.html').map(({ file, text }) => `${file} ${text}`)).toEqual([
      'index.html points to b.html#m-9, and there is no such place',
      'index.html points to c.html, which is not there',
      'b.html has no title',
      'd.html is empty',
      'd.html is not reached from index.html',
    ]);
    expect(checkLinks(pages, 'none.html')[0]).toEqual({ file: 'none.html', text: 'is missing' });
  });

  it('takes text that looks like a link for text', () => {
    const pages = [page('index.html', 'a', `${one}&lt;a href="nowhere.html"&gt; id="m-7"`)];
    expect(checkLinks(pages, 'index.html')).toEqual([]);
    expect(pages[0]?.anchors).not.toContain('m-7');
  });

  it('follows links between folders', () => {
    const pages = [
      page('index.html', 'all', '<ul><li><a href="session-1/index.html">1</a></li></ul>'),
      page('session-1/index.html', '1', `${one}<a href="../index.html">up</a>`),
    ];
    expect(checkLinks(pages, 'index.html')).toEqual([]);
  });

  it('reads links in Markdown, but not inside code fences', () => {
    const index =
      '# a\n\n### <a id="m-1"></a>x\n\n[b](<b.md#m-1>) \\](<not-a-link.md>)\n\n````\n```\n[c](<c.md>)\n````\n';
    const pages = [readLinks('index.md', index), readLinks('b.md', '# b\n\n### <a id="m-1"></a>y\n[#1](#m-2)\n')];
    expect(checkLinks(pages, 'index.md').map(({ text }) => text)).toEqual([
      'points to b.md#m-2, and there is no such place',
    ]);
  });
});
