import test from 'ava';
import fc from 'fast-check';
import { parseLogo } from '#control-plane/publishing/status-pages/logo.ts';
import { statusPagePostSchema } from '#control-plane/publishing/status-pages/status-page.ts';
import { jpegFile, pngFile, webpFile } from '#test/support/pictures.ts';

const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;

const files: [name: string, file: Buffer, contentType: string][] = [
  ['PNG', pngFile(300, 40), 'image/png'],
  ['JPEG', jpegFile(300, 40), 'image/jpeg'],
  ['extended WebP', webpFile('VP8X', 300, 40), 'image/webp'],
  ['lossless WebP', webpFile('VP8L', 300, 40), 'image/webp'],
  ['lossy WebP', webpFile('VP8 ', 300, 40), 'image/webp'],
];
for (const [name, file, contentType] of files)
  test(`a logo is read with its type and size: ${name}`, t => {
    t.like(parseLogo(dataUrl(file)), { contentType, width: 300, height: 40 });
    t.deepEqual(parseLogo(dataUrl(file))?.bytes, file);
  });

test('the type is that of the bytes, whatever the URL says', t => {
  t.is(parseLogo(dataUrl(jpegFile(9, 9), 'image/png'))?.contentType, 'image/jpeg');
});

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
const refused: [title: string, text: string][] = [
  ['SVG', dataUrl(svg, 'image/svg+xml')],
  ['SVG that says it is PNG', dataUrl(svg)],
  ['HTML', dataUrl(Buffer.from('<!doctype html><script>alert(1)</script>'))],
  ['GIF', dataUrl(Buffer.from('GIF89a\x01\x00\x01\x00'), 'image/gif')],
  ['an address', 'https://acme.example/logo.png'],
  ['no base64', 'data:image/png;base64,*'],
  ['a picture of no size', dataUrl(pngFile(0, 4))],
  ['half a file', dataUrl(pngFile(4, 4).subarray(0, 20))],
  ['nothing', 'data:image/png;base64,'],
];
for (const [title, text] of refused)
  test(`a logo is refused: ${title}`, t => {
    t.is(parseLogo(text), null);
    t.false(statusPagePostSchema.safeParse({ name: 'Acme', logo: text }).success);
  });

const limits: [title: string, logo: string, code: string | null][] = [
  ['64 KiB', dataUrl(pngFile(64, 64, 65_536)), null],
  ['a byte more', dataUrl(pngFile(64, 64, 65_537)), 'too_long'],
  ['2048 pixels', dataUrl(pngFile(2048, 2048)), null],
  ['2049 pixels', dataUrl(pngFile(2049, 1)), 'out_of_range'],
];
for (const [title, logo, code] of limits)
  test(`a logo of ${title} is ${code === null ? 'taken' : 'refused'}`, t => {
    const issue = statusPagePostSchema.safeParse({ name: 'Acme', logo }).error?.issues[0];
    t.is(issue === undefined ? null : issue.code === 'custom' ? issue.params?.code : issue.code, code);
  });

test('any bytes are read without an error, and never as a picture without a size', t => {
  const heads = [pngFile(5, 5), jpegFile(5, 5), webpFile('VP8X', 5, 5), webpFile('VP8L', 5, 5), Buffer.alloc(0)];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 80 }), (head, length, tail) => {
      const file = parseLogo(dataUrl(Buffer.concat([head.subarray(0, length), tail])));
      t.true(file === null || (file.width > 0 && file.height > 0));
    }),
  );
});
