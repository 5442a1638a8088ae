import test from 'ava';
import { debianMirrors, parseList, parseStanzas } from '#deploy/embedded-postgres/apt-sources.ts';
import { isAtLeast, requiredGlibc } from '#deploy/embedded-postgres/glibc.ts';

const list = `# deb http://commented.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb http://security.example/debian-security bookworm-security main
deb [arch=amd64 signed-by=/etc/apt/keyrings/vendor.gpg] https://vendor.example/linux bookworm main
deb [arch=amd64] http://mirror.example/debian bookworm main contrib # ours
`;

const stanzas = `Types: deb
# a comment inside
URIs: http://stanza.example/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
Enabled: no
`;

const urisOf = (sources: Parameters<typeof debianMirrors>[0], codename: string) =>
  debianMirrors(sources, codename).map(mirror => mirror.uri);

test("one-line sources give Debian's own mirror first and a vendor's last", t => {
  t.deepEqual(urisOf(parseList(list), 'bookworm'), ['http://mirror.example/debian', 'https://vendor.example/linux']);
});

test('deb822 sources give the enabled mirrors', t => {
  t.deepEqual(urisOf(parseStanzas(stanzas), 'bookworm'), ['http://stanza.example/debian']);
});

test('a machine of another distribution has no mirror', t => {
  t.deepEqual(urisOf(parseList('deb http://archive.example/ubuntu noble main universe\n'), 'trixie'), []);
});

test('every mirror is checked against the archive keyring, whatever its own line says', t => {
  const keys = debianMirrors(parseList(list), 'bookworm').map(mirror => mirror.signedBy);
  t.deepEqual(new Set(keys), new Set(['/usr/share/keyrings/debian-archive-keyring.gpg']));
});

for (const [have, need, enough] of [
  ['2.36', '2.38', false],
  ['2.38', '2.38', true],
  ['2.41', '2.38', true],
  ['2.4', '2.38', false],
  ['3.0', '2.38', true],
] as const) {
  test(`the C library ${have} is ${enough ? 'enough' : 'too old'} for ${need}`, t => {
    t.is(isAtLeast(have, need), enough);
  });
}

test('the C library a package needs is read from its Depends', t => {
  t.is(requiredGlibc('postgresql-17, libc6 (>= 2.38)'), '2.38');
  t.is(requiredGlibc('postgresql-17'), null);
});
