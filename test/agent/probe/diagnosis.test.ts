import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { probeKindOnce, probeOnce, stepOf } from '../../support/probe.ts';
import { answer, ok, startTarget } from '../../support/target.ts';

const incident = '<p>Request unsuccessful. Incapsula incident ID: 12-3</p>';
const imperva = { kind: 'blocked', provider: 'imperva', confidence: 'certain', rules: 1 };
const takeSample = () => true;
const codings = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync };

for (const [coding, encode] of Object.entries(codings))
  test(`a refusal coded as ${coding} is read to diagnose it, also if there is far more of it`, async t => {
    const noise = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 9973).join();
    for (const body of [incident, incident + noise]) {
      await using target = await startTarget((_, response) => {
        response.writeHead(403, { 'content-encoding': coding });
        response.end(encode(Buffer.from(body)));
      });
      const { error, facts, response } = await probeOnce({ url: target.url, takeBytes: null, takeSample });
      t.deepEqual([error, facts?.diagnosis, response?.bodyText], [null, imperva, '']);
      t.is(target.requests.length, 1);
    }
  });

test('what cannot be decoded, or has no room, makes no check fail', async t => {
  await using broken = await startTarget(answer(403, incident, { 'content-encoding': 'gzip' }));
  await using target = await startTarget(answer(403, incident));
  const asked = { takeBytes: null, takeSample };
  const facts = { http_version: '1.1' } as const;
  t.like(await probeOnce({ ...asked, url: broken.url }), { error: null, facts, statusCode: 403 });
  t.like(await probeOnce({ ...asked, url: target.url, takeSample: () => false }), { error: null, facts });
});

test('a good answer is not read, and has no diagnosis', async t => {
  await using target = await startTarget(ok(incident));
  const takeNone = () => t.fail('read') as never;
  const { error, facts } = await probeOnce({ url: target.url, takeBytes: null, takeSample: takeNone });
  t.deepEqual([error, facts], [null, { http_version: '1.1' }]);
});

test('a check of several steps has the diagnosis of the one that decides', async t => {
  await using good = await startTarget(ok());
  await using away = await startTarget(answer(503, '', { 'x-cache': 'Error from cloudfront' }));
  const status = { type: 'status', operator: 'eq', value: 200 } as const;
  const steps = [good, away].map(({ url }, index) => stepOf({ name: `${index}`, url, assertions: [status] }));
  const { facts } = await probeKindOnce({ kind: 'multistep', steps, variables: {} } as never);
  t.like(facts?.diagnosis, { kind: 'origin_unreachable', provider: 'cloudfront' });
  t.is(facts?.steps?.length, 2);
});
