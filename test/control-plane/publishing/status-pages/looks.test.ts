import test from 'ava';
import got from 'got';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { find, readHtml } from '#test/support/html.ts';
import { pngFile } from '#test/support/pictures.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const logo = `data:image/png;base64,${pngFile(64, 64).toString('base64')}`;
const visitor = { retry: { limit: 0 }, throwHttpErrors: false, headers: { accept: 'text/html' } } as const;

test.serial('a page has a logo, a colour, links and a language, and loses them again', async t => {
  const { api, page, replica } = await openStatusWorld(t, databaseOf());
  const path = `/v0/status-pages/${page.id}`;
  const url = `${replica.url}/status/${page.slug}`;
  const plain = { logo: null, color: null, home_url: null, support_url: null, locale: 'en' };
  t.like((await api('GET', path)).body, plain);
  const looks = {
    color: '#7c3aed',
    home_url: 'https://acme.example/',
    support_url: 'mailto:help@acme.example',
    locale: 'de',
  };
  const changed = await api('PATCH', path, { ...looks, color: '#7C3AED', logo });
  t.like(changed, { status: 200, body: looks });
  t.regex(changed.body.logo, new RegExp(`/status/${page.slug}/logo$`));
  const branded = await until(
    () => got(url, visitor),
    answer => answer.body.includes('#7c3aed'),
  );
  const html = readHtml(branded.body);
  t.is(find(html, 'html')[0]?.attributes.lang, 'de');
  t.true(find(html, 'a').some(({ attributes }) => attributes.href === 'https://acme.example/'));
  t.true(find(html, 'a').some(({ attributes }) => attributes.href === 'mailto:help@acme.example'));
  const picture = await until(
    () => got(`${url}/logo`, visitor),
    answer => answer.statusCode === 200,
  );
  t.true(pngFile(64, 64).equals(picture.rawBody));
  t.like(picture.headers, { 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
  // What is not named stays.
  t.like((await api('PATCH', path, { name: 'Acme 2' })).body, { ...looks, logo: changed.body.logo });
  t.like((await api('PATCH', path, plain)).body, plain);
  t.is(
    (
      await until(
        () => got(`${url}/logo`, visitor),
        answer => answer.statusCode === 404,
      )
    ).statusCode,
    404,
  );
  // The logo may have gone while the page was being published as it was before.
  await until(
    () => got(url, visitor),
    answer => !answer.body.includes('#7c3aed'),
  );
});

test.serial('a page is created with its looks, and wrong ones are refused all at once', async t => {
  const { api, page } = await openStatusWorld(t, databaseOf());
  const created = await api('POST', '/v0/status-pages', {
    name: 'Marque',
    slug: `${page.slug}-fr`,
    locale: 'fr',
    color: '#112233',
    home_url: 'http://acme.example',
    support_url: 'https://acme.example/help',
    logo,
  });
  t.like(created, { status: 201, body: { locale: 'fr', color: '#112233', home_url: 'http://acme.example' } });
  const refused = await api('POST', '/v0/status-pages', {
    name: 'x',
    locale: 'tlh',
    color: 'red',
    home_url: 'javascript:alert(1)',
    support_url: 'https://user:password@acme.example/',
    logo: 'https://acme.example/logo.png',
  });
  t.is(refused.status, 422);
  t.deepEqual(
    refused.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`).sort(),
    ['/color format', '/home_url format', '/locale enum', '/logo format', '/support_url format'],
  );
});

test.serial('there is an icon for every page and for every other address', async t => {
  const { page, replica } = await openStatusWorld(t, databaseOf());
  for (const path of ['/favicon.ico', `/status/${page.slug}/icon.svg`, `/status/${page.slug}/icon.svg?ok`]) {
    const answer = await got(`${replica.url}${path}`, visitor);
    t.is(answer.statusCode, 200, path);
    t.regex(answer.headers['content-type'] ?? '', /^image\/svg\+xml/);
    t.regex(String(answer.headers['content-security-policy']), /default-src 'none'/);
  }
  const html = readHtml((await got(`${replica.url}/status/${page.slug}`, visitor)).body);
  const icon = find(html, 'link').find(({ attributes }) => attributes.rel === 'icon')?.attributes.href ?? '';
  t.is((await got(`${replica.url}${icon}`, visitor)).statusCode, 200);
});

test.serial('answers to visitors are in the language of the page', async t => {
  const { api, page, replica } = await openStatusWorld(t, databaseOf());
  await api('PATCH', `/v0/status-pages/${page.id}`, { locale: 'fr' });
  const invalid = await got(`${replica.url}/status/${page.slug}/confirm?token=none`, visitor);
  t.is(invalid.statusCode, 404);
  t.like(find(readHtml(invalid.body), 'html')[0]?.attributes, { lang: 'fr', dir: 'ltr' });
  t.is(find(readHtml(invalid.body), 'h1')[0]?.text, 'Ce lien n’est plus valable');
});

test.serial('a component without monitors shows its incidents in its days', async t => {
  const { api, page, replica } = await openStatusWorld(t, databaseOf());
  const body = { status_page_id: page.id, name: 'Branches', group: 'By hand' };
  const { id } = (await api('POST', '/v0/components', body)).body;
  const incident = { title: 'Closed', severity: 'p1', status_page_id: page.id, affected_components: [id] };
  await api('POST', '/v0/incidents', incident);
  const answer = await until(
    () => got(`${replica.url}/status/${page.slug}`, visitor),
    ({ body }) => body.includes('1 incident<'),
  );
  const days = find(readHtml(answer.body), 'li').filter(({ attributes }) => attributes.class?.startsWith('d-'));
  t.is(days.filter(({ text }) => / Major outage/.test(text)).length, 1);
});
