import test from 'ava';
import fc from 'fast-check';
import type { Lookup } from '#control-plane/monitoring/rdap/client.ts';
import { decideLookup, nextDaily, type Standing, sayingOf } from '#control-plane/monitoring/rdap/standing.ts';
import type { DomainFacts } from '#shared/checks/facts.ts';
import { dayMs, dayOf, hourMs, minuteMs } from '#shared/duration.ts';

const now = Date.UTC(2026, 10, 26, 12);
const name = 'example.com';
const factsOf = (more: Partial<DomainFacts> = {}): DomainFacts => ({
  name,
  registrar: 'Example Registrar',
  statuses: ['active'],
  ends_at: '2027-08-13T04:00:00.000Z',
  registered_at: null,
  server: 'rdap.example',
  ...more,
});
const found = (more: Partial<DomainFacts> = {}): Lookup => ({ type: 'found', facts: factsOf(more) });
const gone: Lookup = { type: 'not_registered', server: 'rdap.example' };
const failed = (retryAfterMs: number | null = null): Lookup => ({
  type: 'failed',
  message: 'status 500',
  server: 'rdap.example',
  retryAfterMs,
});

/** Applies lookups, each when the one before has made it due. */
function after(...lookups: readonly Lookup[]): { standing: Standing | null; dueAt: number; at: number } {
  let known: { standing: Standing | null; dueAt: number; at: number } = { standing: null, dueAt: now, at: now };
  for (const lookup of lookups) known = { ...decideLookup(known.standing, name, lookup, known.dueAt), at: known.dueAt };
  return known;
}

test('a domain is gone once a second lookup an hour later agrees', t => {
  const once = after(gone);
  t.like(once.standing, { outcome: 'not_registered', confirmed: false });
  t.is(once.dueAt, once.at + hourMs);
  const twice = after(gone, gone);
  t.like(twice.standing, { outcome: 'not_registered', confirmed: true });
  t.is(twice.dueAt, nextDaily(name, twice.at));
  t.like(after(gone, found()).standing, { outcome: 'found', down: null, confirmed: false });
  t.like(after(gone, found(), gone).standing, { confirmed: false });
});

test('what ends, or is in redemption or pending delete, counts as expired', t => {
  const cases: Partial<DomainFacts>[] = [
    { ends_at: '2026-11-26T11:59:59.000Z' },
    { statuses: ['client hold', 'redemption period'] },
    { statuses: ['pending delete'], ends_at: null },
  ];
  for (const facts of cases) {
    t.like(after(found(facts)).standing, { outcome: 'domain_expired', confirmed: false });
    t.like(after(found(facts), found(facts)).standing, { outcome: 'domain_expired', confirmed: true });
  }
  t.like(after(found({ ends_at: null })).standing, { outcome: 'found' });
});

test('two lookups that disagree about what is wrong confirm nothing; what is confirmed goes further', t => {
  const expired = found({ statuses: ['pending delete'] });
  t.like(after(expired, gone).standing, { outcome: 'not_registered', confirmed: false });
  t.like(after(expired, gone, gone).standing, { confirmed: true });
  t.like(after(expired, expired, gone).standing, { outcome: 'not_registered', confirmed: true });
});

test('a failed lookup is repeated after an hour or as the server asks, and changes nothing that was known', t => {
  const once = after(found(), failed());
  t.like(once.standing, { outcome: 'lookup_failed', message: 'status 500', down: null, facts: factsOf() });
  t.is(once.dueAt, once.at + hourMs);
  const asked = after(failed(3 * hourMs));
  t.is(asked.dueAt, asked.at + 3 * hourMs);
  const soon = after(failed(minuteMs));
  t.is(soon.dueAt, soon.at + hourMs);
  t.like(after(gone, failed(), gone).standing, { outcome: 'not_registered', confirmed: true });
});

test('what was seen more than three days ago confirms nothing', t => {
  const { standing } = after(gone);
  t.like(decideLookup(standing, name, gone, now + 4 * dayMs).standing, { confirmed: false });
});

test('a suffix without a registry is looked at again every day', t => {
  const { standing, dueAt } = after({ type: 'no_registry' });
  t.like(standing, { outcome: 'no_registry', facts: null });
  t.is(dueAt, nextDaily(name, now));
});

test('a suffix that the list lacks for a day takes nothing away that was known', t => {
  t.like(after(found(), { type: 'no_registry' }).standing, {
    outcome: 'no_registry',
    facts: factsOf(),
    answeredAt: now,
  });
});

test('a first bad answer casts no vote, and a failure none for three days after an answer', t => {
  const says = ({ standing, at }: ReturnType<typeof after>, laterMs = 0) =>
    standing === null ? null : sayingOf(standing, at + laterMs);
  t.like(says(after(found())), { status: 'ok', cast: true });
  t.like(says(after(gone)), { status: 'err', code: 'not_registered', source: 'target', cast: false });
  t.like(says(after(gone, gone)), { code: 'not_registered', cast: true });
  t.like(says(after(failed())), { code: 'lookup_failed', source: 'resolver', cast: true });
  t.like(says(after({ type: 'no_registry' })), { code: 'lookup_failed', source: 'probe', cast: true });
  const stale = after(found(), failed());
  t.like(says(stale), { code: 'lookup_failed', cast: false });
  t.like(says(stale, 3 * dayMs), { cast: true });
});

test('good lookups are one a day of the calendar, spread over the day by name', t => {
  fc.assert(
    fc.property(fc.domain(), fc.nat(366 * dayMs), (domain, at) => {
      const next = nextDaily(domain, at);
      return dayOf(next) === dayOf(at) + dayMs;
    }),
  );
  const hours = new Set(
    Array.from({ length: 300 }, (_, index) => Math.floor((nextDaily(`a${index}.com`, 0) % dayMs) / hourMs)),
  );
  t.is(hours.size, 24);
});
