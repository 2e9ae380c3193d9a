import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileStem } from './write-file.ts';

const ID = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';

it('names project and session', () => {
  expect(fileStem('~/code/shop-api', ID)).toBe('troupe-shop-api-fa129e54');
  expect(fileStem('C:\\code\\Café & Söhne\\', ID)).toBe('troupe-Cafe-Sohne-fa129e54');
  expect(fileStem('~', ID)).toBe('troupe-fa129e54');
  expect(fileStem(null, ID)).toBe('troupe-fa129e54');
});

it('is a plain name, whatever the folder and the id hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (folder, id) => {
      expect(fileStem(folder, id)).toMatch(/^troupe[A-Za-z0-9_-]{0,70}$/);
    }),
  );
  expect(fileStem('/x/..', '../../etc')).toBe('troupe-etc');
});
