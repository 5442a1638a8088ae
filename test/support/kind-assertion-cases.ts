import type { AssertionCase } from './assertion-cases.ts';

const text = (length: number) => 'x'.repeat(length);
const list = (length: number, item: unknown) => Array.from({ length }, () => item);

/** Types that checks of other kinds than HTTP have, at, just below and just above each limit. */
export const kindAssertionCases: readonly AssertionCase[] = [
  ...['latency', 'jitter'].flatMap(limits),
  ...bodyPatterns(),
  ...losses(),
  ...httpVersions(),
  ...tlsVersions(),
  ...['eq', 'neq'].flatMap(rcodes),
  ...['in', 'not_in'].flatMap(rcodeSets),
  ...['eq', 'neq', 'contains', 'not_contains'].flatMap(records),
  ...['in', 'not_in'].flatMap(recordSets),
  ...['matches', 'not_matches'].flatMap(recordPatterns),
  ...['eq', 'neq'].flatMap(grpcStatuses),
  ...['in', 'not_in'].flatMap(grpcStatusSets),
  ...runs(),
  [{ type: 'dns_agree' }],
  [{ type: 'dns_agree', operator: 'eq', on_fail: 'warn' }],
  [{ type: 'dns_agree', operator: 'neq' }, '/operator enum'],
  [{ type: 'dns_changed' }],
  [{ type: 'dns_changed', operator: 'eq', value: false, window_minutes: 5, on_fail: 'err' }],
  [{ type: 'dns_changed', window_minutes: 10_080 }],
  [{ type: 'dns_changed', window_minutes: 10_081 }, '/window_minutes out_of_range'],
  [{ type: 'dns_changed', window_minutes: 4 }, '/window_minutes out_of_range'],
  [{ type: 'dns_changed', value: true }, '/value enum'],
  [{ type: 'addresses', operator: 'all', on_fail: 'warn' }],
  [{ type: 'addresses', operator: 'gte', value: 1 }],
  [{ type: 'addresses', operator: 'gte', value: 16 }],
  [{ type: 'addresses', operator: 'gte', value: 17 }, '/value out_of_range'],
  [{ type: 'addresses', operator: 'gte', value: 0 }, '/value out_of_range'],
  [{ type: 'addresses', operator: 'gte' }, '/value required'],
  [{ type: 'addresses', operator: 'all', value: 2 }, '/value not_allowed'],
  [{ type: 'addresses', operator: 'lt', value: 2 }, '/operator enum'],
];

function limits(type: string): AssertionCase[] {
  const of = (changes: object) => ({ type, operator: 'lt', value_ms: 100, ...changes });
  return [
    [of({})],
    [of({ operator: 'lte', value_ms: 0.001, on_fail: 'err' })],
    [of({ value_ms: 600_000 })],
    [of({ value_ms: 600_001 }), '/value_ms out_of_range'],
    [of({ value_ms: 0 }), '/value_ms out_of_range'],
    [of({ value_ms: '1' }), '/value_ms type'],
    [of({ operator: 'gt' }), '/operator enum'],
    [of({ on_fail: null }), '/on_fail enum'],
  ];
}

function bodyPatterns(): AssertionCase[] {
  return ['matches', 'not_matches'].flatMap((operator): AssertionCase[] => {
    const of = (value: unknown) => ({ type: 'body_contains', operator, value });
    return [
      [of('^a+$')],
      [of(text(1024))],
      [of(text(1025)), '/value too_long'],
      [of('('), '/value format'],
      [of(''), '/value too_short'],
    ];
  });
}

function losses(): AssertionCase[] {
  const of = (changes: object) => ({ type: 'packet_loss', operator: 'lt', value: 0.5, ...changes });
  return [
    [of({ value: 0, operator: 'lte' })],
    [of({ value: 1 })],
    [of({ value: 1.01 }), '/value out_of_range'],
    [of({ value: -0.01 }), '/value out_of_range'],
    [of({ operator: 'eq' }), '/operator enum'],
  ];
}

function runs(): AssertionCase[] {
  const of = (changes: object) => ({ type: 'run_seconds', operator: 'lt', value: 600, ...changes });
  return [
    [of({ value: 0, operator: 'gte' })],
    [of({ value: 1.5, operator: 'gt', on_fail: 'warn' })],
    [of({ value: -0.1 }), '/value out_of_range'],
    [of({ value: '60' }), '/value type'],
    [of({ operator: 'eq' }), '/operator enum'],
  ];
}

function httpVersions(): AssertionCase[] {
  const of = (operator: string, value: unknown) => ({ type: 'http_version', operator, value });
  return [
    [of('eq', '1.0')],
    [of('neq', '1.1')],
    [of('in', ['1.1', '2'])],
    [of('in', '2'), '/value type'],
    [of('eq', ['2']), '/value type'],
    [of('eq', '3'), '/value enum'],
    [of('gte', '2'), '/operator enum'],
  ];
}

function tlsVersions(): AssertionCase[] {
  const of = (operator: string, value: unknown) => ({ type: 'tls_version', operator, value });
  return [
    [of('eq', 'TLSv1.3')],
    [of('gte', 'TLSv1.2')],
    [of('in', ['TLSv1.2', 'TLSv1.3'])],
    [of('in', 'TLSv1.2'), '/value type'],
    [of('eq', ['TLSv1.2']), '/value type'],
    [of('lt', 'TLSv1.2'), '/operator enum'],
  ];
}

function rcodes(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'dns_rcode', operator, value });
  return [[of('NXDOMAIN')], [of('RCODE12')], [of(['NXDOMAIN']), '/value type']];
}

function rcodeSets(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'dns_rcode', operator, value });
  return [[of(list(100, 'REFUSED'))], [of('REFUSED'), '/value type']];
}

function records(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'dns_record', operator, value });
  return [[of('10 mail.example')], [of(text(4096))], [of(['a']), '/value type']];
}

function recordSets(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'dns_record', operator, value });
  return [[of(list(100, '192.0.2.1'))], [of('192.0.2.1'), '/value type']];
}

function recordPatterns(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'dns_record', operator, value });
  return [
    [of('^192\\.0\\.2\\.')],
    [of(text(1025)), '/value too_long'],
    [of('('), '/value format'],
    [of(['a']), '/value type'],
  ];
}

function grpcStatuses(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'grpc_status', operator, value });
  return [
    ...['SERVING', 'NOT_SERVING', 'UNKNOWN', 'SERVICE_UNKNOWN', 0, 16].map((value): AssertionCase => [of(value)]),
    [of(['SERVING']), '/value type'],
  ];
}

function grpcStatusSets(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'grpc_status', operator, value });
  return [[of(['SERVING', 5])], [of(list(100, 16))], [of('SERVING'), '/value type']];
}
