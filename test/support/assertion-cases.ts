/** An assertion and its validation errors, each as `pointer code` relative to it; none: it is valid. */
export type AssertionCase = readonly [assertion: unknown, ...faults: string[]];

const text = (length: number) => 'x'.repeat(length);
const list = (length: number, item: unknown) => Array.from({ length }, () => item);

/** Every type, operator and value at, just below and just above each limit. */
export const assertionCases: readonly AssertionCase[] = [
  ...shapes(),
  ...['eq', 'neq', 'lt', 'lte', 'gt', 'gte'].flatMap(statusNumbers),
  ...['in', 'not_in'].flatMap(statusSets),
  ...bodies(),
  ...headerNames(),
  ...['eq', 'neq', 'contains', 'not_contains'].flatMap(headerTexts),
  ...['in', 'not_in'].flatMap(headerSets),
  ...patterns({ type: 'header', name: 'x-a' }),
  ...patterns({ type: 'header', name: 'x-a' }, 'not_matches'),
  ...existence({ type: 'header', name: 'x-a' }),
  ...paths(),
  ...['eq', 'neq', 'contains', 'not_contains'].flatMap(jsonValues),
  ...['lt', 'lte', 'gt', 'gte'].flatMap(jsonOrders),
  ...['in', 'not_in'].flatMap(jsonSets),
  ...patterns({ type: 'json_path', path: '$.a' }),
  ...existence({ type: 'json_path', path: '$.a' }),
  ...latencies(),
  ...timeLimits(),
];

function shapes(): AssertionCase[] {
  return [
    [null, ' type'],
    ['status', ' type'],
    [[], ' type'],
    [{}, '/type required'],
    [{ type: 'nothing' }, '/type enum'],
    [{ type: null }, '/type enum'],
    [{ type: '__proto__' }, '/type enum'],
  ];
}

function statusNumbers(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'status', operator, value });
  return [
    [of(100)],
    [of(599)],
    [of(99), '/value out_of_range'],
    [of(600), '/value out_of_range'],
    [of(999), '/value out_of_range'],
    [of(1000), '/value out_of_range'],
    [of(200.5), '/value out_of_range'],
    [of('200'), '/value type'],
    [of(null), '/value type'],
    [of([200]), '/value type'],
    [of([600]), '/value type'],
    [of(undefined), '/value required'],
  ];
}

function statusSets(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'status', operator, value });
  return [
    [of([100, 599, '100-599', '200-200'])],
    [of([600, 999, 1000, '599-600', '600-999', 200]), ...[0, 1, 2, 3, 4].map(at => `/value/${at} out_of_range`)],
    [of(list(100, 200))],
    [of(list(101, 200)), '/value too_long'],
    [of(list(101, 600)), '/value too_long'],
    [of([]), '/value too_short'],
    [of(200), '/value type'],
    [of(600), '/value type'],
    [of('200-299'), '/value type'],
    [of(undefined), '/value required'],
    [
      of([200, '300-200', '99-200', '200-1000', '200', 'x', '']),
      ...[1, 2, 3, 4, 5, 6].map(at => `/value/${at} format`),
    ],
    [of([200, null, {}]), '/value/1 type', '/value/2 type'],
  ];
}

function bodies(): AssertionCase[] {
  const of = (changes: object) => ({ type: 'body_contains', value: 'a', ...changes });
  return [
    [of({})],
    [of({ operator: 'contains', case_insensitive: true })],
    [of({ operator: 'not_contains', value: text(8192) })],
    [of({ value: text(8193) }), '/value too_long'],
    [of({ value: '' }), '/value too_short'],
    [of({ value: 1 }), '/value type'],
    [{ type: 'body_contains' }, '/value required'],
    [of({ operator: 'eq' }), '/operator enum'],
    [of({ operator: 'matches', value: '^a+$' })],
    [of({ operator: 'not_matches' })],
    [of({ operator: 'matches', value: text(1025) }), '/value too_long'],
    [of({ operator: 'matches', value: '(' }), '/value format'],
    [of({ operator: 'matches', case_insensitive: true }), '/case_insensitive not_allowed'],
    [of({ on_fail: 'warn' })],
    [of({ on_fail: 'ignore' }), '/on_fail enum'],
    [of({ case_insensitive: 'yes' }), '/case_insensitive type'],
  ];
}

function headerNames(): AssertionCase[] {
  const of = (changes: object) => ({ type: 'header', name: 'x-a', operator: 'exists', ...changes });
  return [
    [of({ name: "!#$%&'*+-.^_`|~09azAZ" })],
    [of({ name: text(256) })],
    [of({ name: text(257) }), '/name too_long'],
    [of({ name: 'a b' }), '/name format'],
    [of({ name: 'a:b' }), '/name format'],
    [of({ name: 'é' }), '/name format'],
    [of({ name: undefined }), '/name required'],
    [of({ operator: undefined }), '/operator required'],
    [of({ operator: 'lt' }), '/operator enum'],
    [of({ operator: 'toString' }), '/operator enum'],
  ];
}

function headerTexts(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'header', name: 'x-a', operator, value });
  const empty: AssertionCase = operator.endsWith('contains') ? [of(''), '/value too_short'] : [of('')];
  return [
    empty,
    [of(text(8192))],
    [of(text(8193)), '/value too_long'],
    [of(1), '/value type'],
    [of(['a']), '/value type'],
    [of(null), '/value type'],
    [of(undefined), '/value required'],
  ];
}

function headerSets(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'header', name: 'x-a', operator, value });
  return [
    [of(list(100, 'a'))],
    [of(list(101, 'a')), '/value too_long'],
    [of([]), '/value too_short'],
    [of('a'), '/value type'],
    [of(undefined), '/value required'],
    [of(['a', 1, null, text(8193)]), '/value/1 type', '/value/2 type', '/value/3 too_long'],
  ];
}

function patterns(base: object, operator = 'matches'): AssertionCase[] {
  const of = (value: unknown) => ({ ...base, operator, value });
  return [
    [of('^a+$')],
    [of('')],
    [of(text(1024))],
    [of(text(1025)), '/value too_long'],
    ...['(', 'a{2,1}', '[z-a]', '\\', '(?=a)', '(a)\\1', '(?<!a)b', 'a{1001}'].map(
      (pattern): AssertionCase => [of(pattern), '/value format'],
    ),
    [of(1), '/value type'],
    [of(undefined), '/value required'],
  ];
}

function existence(base: object): AssertionCase[] {
  return ['exists', 'not_exists'].flatMap((operator): AssertionCase[] => [
    [{ ...base, operator }],
    [{ ...base, operator, value: 'a' }, '/value not_allowed'],
    [{ ...base, operator, value: null }, '/value not_allowed'],
  ]);
}

function paths(): AssertionCase[] {
  const of = (path: unknown) => ({ type: 'json_path', path, operator: 'exists' });
  return [
    ...['$', "$['a']", '$..a', '$[?@.a > 1]', '$[-1]', '$[0:2]', '$.*', `$.${text(1022)}`].map(
      (path): AssertionCase => [of(path)],
    ),
    ...['$[', '$.', 'a', '.a', '$[?', '$ ', '$[01]', '$[?@.a==]', '$["a]'].map(
      (path): AssertionCase => [of(path), '/path format'],
    ),
    [of(`$.${text(1023)}`), '/path too_long'],
    [of(1), '/path type'],
    [of(undefined), '/path required'],
    [{ type: 'json_path', path: '$', operator: 'like', value: 1 }, '/operator enum'],
    [{ type: 'json_path', path: '$' }, '/operator required'],
  ];
}

function jsonValues(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'json_path', path: '$.a', operator, value });
  return [
    ...[null, true, 0, -1.5, 'a', [], {}, [{ a: [null] }], { '': 1 }].map((value): AssertionCase => [of(value)]),
    [of(text(8190))],
    [of(text(8191)), '/value too_long'],
    [of(undefined), '/value required'],
  ];
}

function jsonOrders(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'json_path', path: '$.a', operator, value });
  return [
    [of(1)],
    [of('1')],
    ...[true, null, [], {}].map((value): AssertionCase => [of(value), '/value type']),
    [of(undefined), '/value required'],
  ];
}

function jsonSets(operator: string): AssertionCase[] {
  const of = (value: unknown) => ({ type: 'json_path', path: '$.a', operator, value });
  return [
    [of([null, 1, 'a', {}, []])],
    [of(list(100, 1))],
    [of(list(101, 1)), '/value too_long'],
    [of([]), '/value too_short'],
    ...['a', 1, {}, null].map((value): AssertionCase => [of(value), '/value type']),
    [of(undefined), '/value required'],
  ];
}

function latencies(): AssertionCase[] {
  const of = (changes: object) => ({ type: 'latency_p95', operator: 'lt', value_ms: 100, ...changes });
  return [
    [of({})],
    [of({ operator: 'lte', value_ms: 0.001, window_minutes: 1 })],
    [of({ window_minutes: 1440 })],
    [of({ value_ms: 0 }), '/value_ms out_of_range'],
    [of({ value_ms: -1 }), '/value_ms out_of_range'],
    [of({ value_ms: '1' }), '/value_ms type'],
    [of({ value_ms: undefined }), '/value_ms required'],
    [of({ window_minutes: 0 }), '/window_minutes out_of_range'],
    [of({ window_minutes: 1441 }), '/window_minutes out_of_range'],
    [of({ window_minutes: 1.5 }), '/window_minutes type'],
    [of({ window_minutes: null }), '/window_minutes type'],
    ...['gt', 'gte', 'eq', 'in', 'exists'].map((operator): AssertionCase => [of({ operator }), '/operator enum']),
    [of({ operator: undefined }), '/operator required'],
  ];
}

function timeLimits(): AssertionCase[] {
  const of = (changes: object) => ({ type: 'latency', operator: 'lt', value_ms: 100, ...changes });
  const version = (changes: object) => ({ type: 'tls_version', operator: 'gte', value: 'TLSv1.3', ...changes });
  return [
    [of({})],
    [of({ operator: 'lte', value_ms: 600_000, on_fail: 'warn' })],
    [of({ value_ms: 0 }), '/value_ms out_of_range'],
    [of({ value_ms: 600_001 }), '/value_ms out_of_range'],
    [of({ operator: 'gt' }), '/operator enum'],
    [version({})],
    [version({ operator: 'in', value: ['TLSv1.2', 'TLSv1.3'] })],
    [version({ operator: 'in' }), '/value type'],
    [version({ value: ['TLSv1.3'] }), '/value type'],
    [version({ value: 'TLSv1.1' }), '/value enum'],
  ];
}
