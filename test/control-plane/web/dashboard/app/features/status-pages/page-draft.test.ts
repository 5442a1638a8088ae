import test from 'ava';
import {
  embedCodes,
  feedAddresses,
  logoFault,
  pageChanges,
  pageDraftOf,
  slugConsequence,
} from '#control-plane/web/dashboard/app/features/status-pages/page-draft.ts';
import type { StatusPage } from '#control-plane/web/dashboard/app/session/api-types.ts';

const page: StatusPage = {
  id: 'sp_1',
  project_id: 'prj_1',
  key: null,
  managed_by: null,
  name: 'Acme',
  slug: 'acme',
  description: '',
  timezone: 'UTC',
  locale: 'en',
  theme: 'auto',
  history_days: 90,
  logo: null,
  color: '#112233',
  home_url: null,
  support_url: null,
  access: { type: 'public', version: 1, changed_at: null },
  canonical_domain: null,
  url: 'https://up.example/status/acme',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

test('only what was typed is sent, as the API takes it', t => {
  const draft = pageDraftOf(page);
  t.deepEqual(pageChanges(page, draft), {});
  t.deepEqual(pageChanges(page, { ...draft, name: ' Acme ', description: ' ' }), {});
  t.deepEqual(pageChanges(page, { ...draft, history_days: '30', color: '', home_url: 'https://a.example' }), {
    history_days: 30,
    color: null,
    home_url: 'https://a.example',
  });
  t.deepEqual(pageChanges(page, { ...draft, history_days: 'many' }) as object, { history_days: 'many' });
  t.deepEqual(pageChanges(page, { ...draft, logo: null }), { logo: null });
});

test('a new slug comes with its consequences, the present one with none', t => {
  t.is(slugConsequence('acme', ' acme '), null);
  t.is(slugConsequence('acme', ''), null);
  t.regex(slugConsequence('acme', 'globex') ?? '', /\/status\/globex.*\/status\/acme redirects there/);
});

test('a file that cannot be a logo is refused before it is read', t => {
  t.is(logoFault({ type: 'image/png', size: 65_536 }), null);
  t.regex(logoFault({ type: 'image/png', size: 65_537 }) ?? '', /65 KiB/);
  t.regex(logoFault({ type: 'image/svg+xml', size: 10 }) ?? '', /PNG/);
});

test('what is embedded cannot break out of the text around it', t => {
  const codes = embedCodes({ ...page, name: 'A "b" <c> [d]' }).map(({ code }) => code);
  t.is(codes[0], `[![A "b" <c> d](${page.url}/badge.svg)](${page.url})`);
  t.true(codes[1]?.includes('alt="A &quot;b&quot; &lt;c> [d]"'));
  t.deepEqual(
    feedAddresses(page).map(({ code }) => code.slice(page.url.length)),
    ['/feed.rss', '/feed.atom', '/summary.json'],
  );
  const closed = { ...page.access, type: 'password' as const, feed_url: `${page.url}/feed.rss?key=upf_1` };
  t.regex(embedCodes({ ...page, access: closed })[0]?.code ?? '', /badge\.svg\?key=upf_1\)/);
});
