import test from 'ava';
import type { WireResult } from '#shared/check-result.ts';
import { minuteMs } from '#shared/duration.ts';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { apiOf, createRegions, createTenant, startReplica } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { blankResult, connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { accessibilityFaults, fits, loadAxe, looks } from '#test/support/looks.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
const regions = ['eu-west', 'us-east'];
const minutes = 180;

const pinged = (index: number, region: string): Partial<WireResult> => {
  const received = index % 40 === 7 ? 6 : index % 25 === 3 ? 9 : 10;
  const jitter_ms = 1 + (index % 9) / 4 + (region === 'us-east' ? 3 : 0);
  return {
    timings: null,
    status_code: null,
    latency_ms: 20 + jitter_ms,
    facts: { ping: { sent: 10, received, min_ms: 18, avg_ms: 20, max_ms: 30, jitter_ms } },
  };
};
const answered = (index: number, region: string): Partial<WireResult> => {
  const isMoved = index > (region === 'us-east' ? 100 : 90);
  const answer = { name: 'shop.example', type: 'AAAA', ttl: 300 };
  const hosts = isMoved ? ['9', 'a'] : ['7'];
  const answers = hosts.map(host => ({ ...answer, data: `2001:db8:85a3:8d3:1319:8a2e:370:${host}` }));
  return {
    status_code: null,
    facts: { dns: { server: '192.0.2.53:53', rcode: 'NOERROR', truncated: false, servers: [], answers } },
  };
};

test('loss, jitter and answers over time fit a phone, a desk and a wall, and have no accessibility fault', async t => {
  t.timeout(300_000);
  const secrets = await createRegions(databaseOf(), regions);
  const { token } = await createTenant(databaseOf());
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const urls = { ping: 'ping://shop.example', dns: 'dns://192.0.2.53/shop.example?type=AAAA' };
  const ids: Record<string, string> = {};
  for (const [name, url] of Object.entries(urls))
    ids[name] = (await api('POST', '/v0/monitors', { name, url, interval_seconds: 60, regions })).body.id;
  const start = Date.now() - minutes * minuteMs;
  for (const region of regions) {
    await using agent = await connectFakeAgent(replica.url, secrets[region]?.secret ?? '', undefined, ['ping', 'dns']);
    for (const [name, make] of Object.entries({ ping: pinged, dns: answered })) {
      const results = Array.from({ length: minutes }, (_, index) =>
        goodResult(ids[name] ?? '', start + index * minuteMs, make(index, region)),
      );
      t.deepEqual(await agent.report(results.map(result => ({ ...blankResult, ...result }))), []);
    }
  }
  for (const { name: look, options } of looks) {
    const { page, faults } = await openPage(t, replica.url, options);
    await loadAxe(page);
    await signIn(page, token);
    for (const [name, heading] of [
      ['ping', 'Packet loss'],
      ['dns', 'Answers'],
    ] as const) {
      await showView(page, `#/monitors/${ids[name]}`);
      await page.getByRole('heading', { name: heading }).waitFor();
      for (const more of await page.locator('.monitor-history details').all()) await more.locator('summary').click();
      t.true(await fits(page), `${name} on ${look}`);
      await takeScreenshot(page, `kind-${name}-${look}`);
      t.deepEqual(await accessibilityFaults(page), [], `${name} on ${look}`);
    }
    t.deepEqual(faults, []);
  }
});
