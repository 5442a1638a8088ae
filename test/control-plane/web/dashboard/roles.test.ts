import test from 'ava';
import type { Page, Request } from 'playwright-core';
import { allows } from '#control-plane/platform/http/endpoint/caller.ts';
import { type Role, scopesOfRole } from '#control-plane/platform/projects/roles.ts';
import { useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';
import { fillProject } from '#test/support/filled-project.ts';
import { isFull } from '#test/support/full.ts';
import { seedOperations } from '#test/support/operations.ts';
import { personOf, useSession } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

/** The viewer, who lacks most; the others, who have more to press, before a release. */
const walked: readonly Role[] = isFull ? ['viewer', 'responder', 'editor'] : ['viewer'];

/** Views in which something is changed, or that only some may see, and what they need. */
const guarded: readonly [address: RegExp, scope: string][] = [
  [/^#\/monitors\/(new|[^/]+\/edit)/, 'monitors:write'],
  [/^#\/incidents\/new/, 'incidents:write'],
  [/^#\/maintenance\/(new|[^/]+\/edit)/, 'maintenances:write'],
  [/^#\/status-pages\/new/, 'status-pages:write'],
  [/^#\/status-pages\/[^?]+\?tab=subscribers/, 'subscribers:read'],
  [/^#\/channels\/routes\/new/, 'routes:write'],
  [/^#\/channels\/(new|[^/]+\/edit)/, 'channels:write'],
  [/^#\/events\/flows\/(new|[^/]+\/edit)/, 'flows:write'],
  [/^#\/events\/(explore|user)/, 'events:read'],
  [/^#\/events$/, 'events:read'],
  [/^#\/settings\/tokens/, 'tokens:read'],
  [/^#\/settings\/audit/, 'audit:read'],
];

test('in each view that a role may use, nothing that it links to or offers is refused', async t => {
  if (isFull) t.timeout(900_000);
  const world = await openDashboardWorld(t, databaseOf());
  const { id: projectId } = (await world.api('GET', '/v0/project')).body;
  const operations = await seedOperations(databaseOf(), world);
  await fillProject(databaseOf(), projectId, world.api);
  const alert = (await world.api('GET', '/v0/alerts?state=open')).body.data[0].id;
  const needs = await readNeeds(world.url);
  const typed = ['#/me', '#/wall', '#/events', '#/events/explore', '#/events/user?id=u1', '#/events/flows'];
  const start = [
    ...typed,
    `#/alerts/${operations.alert}`,
    `#/alerts/${alert}`,
    '#/settings/tokens',
    '#/settings/audit',
  ];
  for (const role of walked) {
    const person = await personOf(t, databaseOf(), world.url, { name: role, project: projectId, role });
    const { page, context, faults } = await openPage(t, `${world.url}/docs`);
    await useSession(context, world.url, person);
    const refused = new Set<string>();
    const note = (what: string) => refused.add(`${role}: ${what} at ${new URL(page.url()).hash}`);
    await watch(page, role, needs, note);
    await page.goto(`${world.url}/p/${projectId}#/overview`);
    const navigation = page.getByRole('navigation', { name: 'Views' });
    await navigation.waitFor();
    const first = mayAll(role, ['events:read']) ? '#/events' : '#/events/reports';
    t.is(await navigation.getByRole('link', { name: 'Events' }).getAttribute('href'), first);
    const { seen, pressed } = await crawl(page, role, note, start);
    t.log(role, `${seen.size} views, ${pressed.size} buttons`);
    for (const part of ['#/monitors/{id}', '#/channels/{id}', '#/maintenance/{id}', '#/settings/members'])
      t.true(seen.has(part), `${part} was seen by ${[...seen].join(' ')}`);
    t.true(seen.size > 25 && pressed.size > 50, `${seen.size} views, ${pressed.size} buttons`);
    t.deepEqual([...refused], []);
    t.deepEqual(faults, []);
    await context.close();
  }
});

/** Notes what is refused, or would be: whatever a button would change is judged, and not done. */
async function watch(page: Page, role: Role, needs: Needs, note: (what: string) => void): Promise<void> {
  page.on('response', response => {
    if ([401, 403].includes(response.status()))
      note(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('422')) note(`console: ${message.text()}`);
  });
  await page.route('**/v0/**', async route => {
    const request = route.request();
    if (request.method() === 'GET') return route.continue();
    const scopes = needs(request);
    if (!mayAll(role, scopes)) note(`${request.method()} ${new URL(request.url()).pathname} needs ${scopes.join()}`);
    await route.fulfill({ status: 422, contentType: 'application/problem+json', json: invalid });
  });
}

/** Opens each view once that a link leads to, and presses each of its buttons. Returns what it saw and pressed. */
async function crawl(page: Page, role: Role, note: (what: string) => void, start: readonly string[]) {
  const waiting = ['#/overview', ...start];
  const seen = new Set<string>();
  const pressed = new Set<string>();
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const pattern = patternOf(address);
    if (seen.has(pattern)) continue;
    seen.add(pattern);
    await showView(page, address);
    await settle(page);
    for (const link of await page.evaluate<string[]>(links)) {
      const guard = guarded.find(([views]) => views.test(link));
      if (guard !== undefined && !mayAll(role, [guard[1]])) note(`link to ${link}`);
      waiting.push(link);
    }
    await pressAll(page, address, pattern, pressed);
  }
  return { seen, pressed };
}

async function pressAll(page: Page, address: string, pattern: string, pressed: Set<string>): Promise<void> {
  for (;;) {
    const names = await page.evaluate<string[]>(buttons);
    const index = names.findIndex(name => !pressed.has(`${pattern} ${name}`));
    if (index === -1) return;
    pressed.add(`${pattern} ${names[index]}`);
    await page.evaluate(`(${pressNth})(${index})`);
    await settle(page);
    await page.evaluate(sendDialog);
    await settle(page);
    if ((await page.evaluate('document.querySelector("dialog[open]") !== null')) === true) {
      await page.keyboard.press('Escape');
      await settle(page);
    }
    // A button may lead elsewhere.
    if ((await page.evaluate<string>('location.hash')) !== address) await showView(page, address);
  }
}

/** Waits until nothing is on its way to the server, and what came is shown. */
async function settle(page: Page): Promise<void> {
  await until(
    () => page.evaluate<boolean>('document.querySelector("main .bone, [aria-busy=true]") === null'),
    isQuiet => isQuiet,
  );
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

const links = `[...document.querySelectorAll('a[href^="#/"]')].map(link => link.getAttribute('href'))`;
const visibleButtons = `[...document.querySelectorAll('main button, main summary')].filter(
  button => !button.disabled && button.checkVisibility() && !/sign out/i.test(button.textContent))`;
const buttons = `${visibleButtons}.map(
  button => button.textContent.trim().replace(/\\d+/g, '0') || button.ariaLabel || '')`;
const pressNth = `index => ${visibleButtons}[index]?.click()`;
const sendDialog = `for (const button of document.querySelectorAll('dialog[open] button'))
  if (!button.disabled && !/cancel|close|copy/i.test(button.textContent + button.ariaLabel)) button.click()`;

/** Ids and texts that are free become one: each kind of view is seen once. */
function patternOf(address: string): string {
  return address
    .replace(/[a-z]+_[0-9a-z]{26}/g, '{id}')
    .replace(/=[^&]*(?=&|$)/g, value =>
      /^=(settings|domains|subscribers|embed|access|components|month|week|list)$/.test(value) ? value : '=',
    );
}

const mayAll = (role: Role, scopes: readonly string[]) => scopes.every(scope => allows(scopesOfRole(role), scope));

const invalid = {
  type: 'about:blank',
  title: 'Not done',
  status: 422,
  detail: 'It is a test.',
  code: 'validation_failed',
  errors: [],
};

type Needs = (request: Request) => readonly string[];

/** What a request needs, as the API's document says. */
async function readNeeds(url: string): Promise<Needs> {
  const { paths } = (await (await fetch(`${url}/v0/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { 'x-scopes'?: string[] }>>;
  };
  const all = Object.entries(paths).map(([path, methods]) => {
    const expression = path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+');
    return { path: new RegExp(`^${expression}$`), weight: path.split('{').length, methods };
  });
  all.sort((a, b) => a.weight - b.weight);
  return request => {
    const { pathname } = new URL(request.url());
    const method = request.method().toLowerCase();
    const found = all.find(({ path, methods }) => path.test(pathname) && methods[method] !== undefined);
    return found?.methods[method]?.['x-scopes'] ?? ['unknown:write'];
  };
}
