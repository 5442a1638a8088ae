import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { toResult } from '#agent/probe/check.ts';
import { wireResultSchema } from '#shared/check-result.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { probeOnce, probeTools } from '../../support/probe.ts';
import { ok, redirect, silent, startTarget } from '../../support/target.ts';

const short = makeCertificate({ days: 3, authority: 'another' });
const long = makeCertificate({ days: 80 });
const folder = mkdtempSync(join(tmpdir(), 'upquorum-seen-'));
const authorityFile = join(folder, 'ca.pem');
writeFileSync(authorityFile, `${short.authority}${long.authority}`);
test.after.always(() => rmSync(folder, { recursive: true }));

async function tlsOf(url: string, timeoutMs = 5000) {
  const outcome = await probeOnce({ url, timeoutMs }, probeTools({}, authorityFile));
  const monitor = { monitor_id: 'mon_01kag3m5x00000000000000000', config_version: 1 };
  const attempt = { kind: 'scheduled', scheduledAt: 1, attempt: 1 } as const;
  const result = toResult(
    monitor,
    attempt,
    { startedAt: Date.now(), completedAt: Date.now(), delayedMs: null },
    outcome,
    [],
  );
  const { tls } = wireResultSchema.parse({ seq: 1, ...result });
  return { error: outcome.error?.code, tls, days: tls?.days_left };
}
const hostOf = (url: string) => new URL(url).host;

test('a result names the host that showed its certificate, and those of hosts before it', async t => {
  await using last = await startTarget(ok(), long);
  await using first = await startTarget(redirect(302, last.url), short);
  const { tls, days } = await tlsOf(first.url);
  t.is(days, 79);
  t.is(tls?.host, hostOf(last.url));
  const [earlier, ...others] = tls?.earlier ?? [];
  t.deepEqual(others, []);
  t.is(earlier?.host, hostOf(first.url));
  t.regex(earlier?.fingerprint_sha256 ?? '', /^[0-9a-f]{64}$/);
  t.not(earlier?.fingerprint_sha256, tls?.fingerprint_sha256);
  t.true(Date.parse(earlier?.valid_to ?? '') < Date.now() + 4 * 86_400_000);
});

test('a redirect within a host says nothing more than a check without one', async t => {
  await using target = await startTarget(
    (request, response) => (request.url === '/' ? redirect(302, '/next') : ok())(request, response),
    long,
  );
  const { tls } = await tlsOf(target.url);
  t.is(tls?.host, undefined);
  t.is(tls?.earlier, undefined);
});

test('a redirect from or to a host without TLS names the one with it', async t => {
  await using secure = await startTarget(ok(), long);
  await using plain = await startTarget(redirect(301, secure.url));
  const up = await tlsOf(plain.url);
  t.is(up.tls?.host, hostOf(secure.url));
  t.is(up.tls?.earlier, undefined);
  await using end = await startTarget(ok());
  secure.behaviour = redirect(302, end.url);
  const down = await tlsOf(secure.url);
  t.is(down.error, undefined);
  t.deepEqual([down.tls?.host, down.days], [hostOf(secure.url), 79]);
});

test('a way that breaks off before the last host has shown its certificate says nothing of the others', async t => {
  await using deaf = await startTarget(silent());
  await using first = await startTarget(redirect(302, deaf.url.replace('http:', 'https:')), long);
  const broken = await tlsOf(first.url, 1000);
  t.truthy(broken.error);
  t.is(broken.tls, null);
});
