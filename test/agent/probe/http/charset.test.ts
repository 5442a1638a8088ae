import test from 'ava';
import { decodeText } from '#agent/probe/http/charset.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const charsets: [contentType: string | undefined, bytes: Buffer, text: string][] = [
  [undefined, Buffer.from('grün'), 'grün'],
  ['text/html', Buffer.from('grün'), 'grün'],
  ['text/html; charset=utf-8', Buffer.from('\uFEFFgrün'), 'grün'],
  ['text/html; charset=UTF8', Buffer.from('grün'), 'grün'],
  ['text/html; charset="ISO-8859-1"', Buffer.from('grün', 'latin1'), 'grün'],
  ['text/html; Charset = windows-1252', Buffer.from([0x80]), '€'],
  ['text/plain; charset=utf-16le', Buffer.from('grün', 'utf16le'), 'grün'],
  ['text/plain; charset=shift_jis', Buffer.from([0x83, 0x65]), 'テ'],
  ['text/plain; charset=unheard-of', Buffer.from('grün'), 'grün'],
  ['text/plain', Buffer.from([0x67, 0xff]), 'g\uFFFD'],
  ['text/plain', Buffer.from('\uFEFFgrün', 'utf16le'), 'grün'],
  [undefined, Buffer.from('\uFEFFgrün', 'utf16le').swap16(), 'grün'],
  ['text/plain; charset=utf-8', Buffer.from('\uFEFFgrün', 'utf16le'), 'grün'],
  ['text/plain; charset=latin1', Buffer.from('\uFEFFgrün'), 'grün'],
];
for (const [contentType, bytes, text] of charsets)
  test(`${bytes.toString('hex')} declared as ${contentType} reads "${text}"`, t => {
    t.is(decodeText(bytes, contentType), text);
  });

const gbk = Buffer.from([0xbb, 0xb6, 0xd3, 0xad]);
const page = (head: string, body: Buffer = gbk) => Buffer.concat([Buffer.from(head), body]);
const meta = '<!doctype html><html><head><meta charset=gbk>';
const declarations: [what: string, contentType: string | undefined, bytes: Buffer, contains: string][] = [
  ['meta charset', 'text/html', page(meta), '欢迎'],
  ['meta charset of a page without Content-Type', undefined, page(` \n${meta}`), '欢迎'],
  ['meta charset with quotes and blanks', 'TEXT/HTML ; q=1', page('<META id=a / CharSet = " GB2312 ">'), '欢迎'],
  ['http-equiv', 'text/html', page('<meta http-equiv="Content-Type" content="text/html; charset=gbk">'), '欢迎'],
  ['http-equiv after content', 'text/html', page(`<meta content='a;charset="gbk"' http-equiv=content-type>`), '欢迎'],
  ['Shift_JIS', 'text/html', page('<meta charset=x-sjis>', Buffer.from([0x83, 0x65])), 'テ'],
  ['windows-1251', 'text/html', page('<meta charset=windows-1251>', Buffer.from([0xcf, 0xf0])), 'Пр'],
  ['latin1, which is windows-1252', 'text/html', page('<meta charset=latin1>', Buffer.from([0x80, 0xfc])), '€ü'],
  ['an XML declaration', 'application/xml', page('<?xml version="1.0" encoding="GBK"?><a>'), '欢迎'],
  ['one of a feed', 'application/rss+xml;a=b', page(`<?xml version='1.0' encoding='gbk' ?><a>`), '欢迎'],
  ['one of a page', 'text/html', page('<?xml version="1.0" encoding="gbk"?><html>'), '欢迎'],
  ['XML in UTF-16 without a mark', 'text/xml', Buffer.from('<?xml version="1.0"?><a>grün', 'utf16le'), 'grün'],
  ['the header before the page', 'text/html; charset=gbk', page('<meta charset=utf-8>'), '欢迎'],
  ['the page after an unknown header', 'text/html; charset=unheard-of', page(meta), '欢迎'],
  ['the page after an empty header', 'text/html; charset=', page(meta), '欢迎'],
  ['the mark before the page', 'text/html', Buffer.from(`\uFEFF${meta}grün`), 'grün'],
  ['not UTF-16, since it could be read', 'text/html', page('<meta charset=utf-16>', Buffer.from('grün')), 'grün'],
  [
    'the first meta that declares one',
    'text/html',
    page('<meta charset=nil><meta charset=gbk><meta charset=big5>'),
    '欢迎',
  ],
  ['the first of two attributes', 'text/html', page('<meta charset=gbk charset=big5>'), '欢迎'],
  [
    'charset before content',
    'text/html',
    page('<meta http-equiv=content-type content="a;charset=big5" charset=gbk>'),
    '欢迎',
  ],
  ['a meta after a comment', 'text/html', page('<!-- <meta charset=big5> --><!--><meta charset=gbk>'), '欢迎'],
  ['a meta after markup', 'text/html', page('<!a><?b?></c d="<"><x y=">"><meta charset=gbk>'), '欢迎'],
];
for (const [what, contentType, bytes, contains] of declarations)
  test(`a body is decoded as declared: ${what}`, t => {
    t.true(decodeText(bytes, contentType).endsWith(contains), decodeText(bytes, contentType));
  });

const undeclared: [what: string, contentType: string | undefined, start: string][] = [
  ['in an attribute of another element', 'text/html', '<a title="<meta charset=gbk>">'],
  ['in an end tag', 'text/html', '</meta charset=gbk>'],
  ['in an element whose name only begins so', 'text/html', '<metal charset=gbk>'],
  ['in a comment that does not end', 'text/html', '<!-- <meta charset=gbk>'],
  ['by content without http-equiv', 'text/html', '<meta content="text/html; charset=gbk">'],
  ['after the first 1,024 bytes', 'text/html', `${' '.repeat(1010)}<meta charset=gbk>`],
  ['in plain text', 'text/plain', '<meta charset=gbk>'],
  ['in JSON', 'application/json', '"<meta charset=gbk>"'],
  ['in text of unknown type', undefined, 'a <meta charset=gbk>'],
  ['by meta in XML', 'application/xml', '<meta charset=gbk>'],
  ['in an XML declaration that does not come first', 'text/xml', ' <?xml version="1.0" encoding="gbk"?>'],
];
for (const [where, contentType, start] of undeclared)
  test(`a charset ${where} declares nothing`, t => {
    t.true(decodeText(Buffer.from(`${start}grün`), contentType).endsWith('grün'));
  });

test('no beginning of a page takes long to be read', async t => {
  const units = [
    '<',
    '<!--',
    '<meta ',
    '<meta a=',
    ' a',
    '=',
    '"',
    '/',
    '\t',
    '<?xml ',
    ' encoding=',
    '<a ',
    "='",
    '-->',
  ];
  const prefixes = ['', '<meta ', '<?xml ', '<meta content="charset', '<meta http-equiv=content-type content="'];
  const ms = await leastThreadMs(100, () => {
    for (const unit of units)
      for (const prefix of prefixes) decodeText(Buffer.from((prefix + unit.repeat(1024)).slice(0, 1024)), 'text/html');
  });
  t.true(ms < 100, `${ms} ms`);
});
