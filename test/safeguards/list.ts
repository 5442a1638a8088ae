/** A safeguard, and how to remove it: `text`, once in `file`, becomes `instead`. One of `tests` must fail then. */
export type Safeguard = {
  row: string;
  name: string;
  file: string;
  text: string;
  instead: string;
  tests: readonly string[];
};

const guard = 'shared/network/guard.ts';
const guardTests = ['test/shared/network/guard.test.ts'];
const redirects = 'agent/probe/redirect.ts';
const redirectTests = ['test/agent/probe/redirect.test.ts'];
const bodies = 'agent/probe/http/body-reader.ts';
const bodyTests = ['test/agent/probe/hostile.test.ts'];
const gateway = 'control-plane/monitoring/agents/gateway.ts';
const frameTests = ['test/control-plane/monitoring/agents/hostile-frames.test.ts'];
const accessTests = ['test/control-plane/platform/http/authorization.test.ts'];
const escapes = 'control-plane/platform/markup/escape.ts';
const escapeTests = [
  'test/control-plane/platform/markup/escape.test.ts',
  'test/control-plane/platform/markup/html.test.ts',
];
const agents = 'control-plane/monitoring/agents/store.ts';
const revocationTests = ['test/control-plane/platform/http/revocation.test.ts'];
const restore = 'control-plane/operations/admin/backup/restore.ts';
const target = 'control-plane/operations/admin/backup/target-store.ts';
const backupTests = ['test/control-plane/operations/admin/backup.test.ts'];
const rollUp = 'control-plane/analytics/flows/roll-up/roll-up.ts';
const slowTests = ['test/control-plane/analytics/flows/roll-up/slow-version.test.ts'];

/** S11 of docs/benchmarks/attacks.md: what holds the other rows, and some of what holds the H rows. */
export const safeguards: readonly Safeguard[] = [
  {
    row: 'S1',
    name: 'ranges that look public',
    file: guard,
    text: "range === 'unicast' && !reserved4.some(reserved => address.match(reserved))",
    instead: "range === 'unicast'",
    tests: guardTests,
  },
  {
    row: 'S1',
    name: 'mapped addresses',
    file: guard,
    text: 'if (address.isIPv4MappedAddress()) return isAllowed4(address.toIPv4Address(), policy);',
    instead: '',
    tests: guardTests,
  },
  {
    row: 'S1',
    name: 'translated addresses',
    file: guard,
    text: 'if (address.match(nat64)) return isAllowed4(lastFourBytes(address), policy);',
    instead: '',
    tests: guardTests,
  },
  {
    row: 'S1',
    name: 'tunnelled addresses',
    file: guard,
    text: '    !isIsatap(address) &&\n',
    instead: '',
    tests: guardTests,
  },
  {
    row: 'S2',
    name: 'headers stay with their origin',
    file: redirects,
    text: ': harmless(hop.headers, secrets),',
    instead: ': hop.headers,',
    tests: redirectTests,
  },
  {
    row: 'S2',
    name: 'a secret of the project stays with its origin',
    file: redirects,
    text: 'filter(([, value]) => !forms.some(form => value.includes(form)))',
    instead: 'filter(() => true)',
    tests: redirectTests,
  },
  {
    row: 'S2',
    name: 'a body stays with its origin',
    file: redirects,
    text: 'body: becomesGet || !keepsAll ? null : hop.body',
    instead: 'body: becomesGet ? null : hop.body',
    tests: redirectTests,
  },
  {
    row: 'S2',
    name: 'credentials in a redirect',
    file: redirects,
    text: "if (url.username !== '' || url.password !== '') return 'the redirect address contains credentials';",
    instead: '',
    tests: redirectTests,
  },
  {
    row: 'S3',
    name: 'an endless body',
    file: bodies,
    text: "if (this.#bytes > wireBytesMax) this.#done.reject(new BodyError('EBODYTOOLARGE'));\n    else if",
    instead: 'if',
    tests: bodyTests,
  },
  {
    row: 'S3',
    name: 'endless headers',
    file: 'agent/probe/http/response-parser.ts',
    text: "if (this.#headBytes + more > headerBytesMax) throw new ParseError('HPE_HEADER_OVERFLOW');",
    instead: '',
    tests: ['test/agent/probe/http/response-parser.test.ts'],
  },
  {
    row: 'S3',
    name: 'an inflation bomb',
    file: bodies,
    text: 'const part = chunk.length > capacity ? chunk.subarray(0, capacity) : chunk;',
    instead: 'const part = chunk;',
    tests: bodyTests,
  },
  {
    row: 'S4',
    name: 'fragments of a message',
    file: gateway,
    text: 'maxFragments: 1024,',
    instead: 'maxFragments: 0,',
    tests: frameTests,
  },
  {
    row: 'S4',
    name: 'answers to pings',
    file: gateway,
    text: 'autoPong: false,',
    instead: '',
    tests: frameTests,
  },
  {
    row: 'S4',
    name: 'a budget for pings',
    file: 'control-plane/monitoring/agents/session.ts',
    text: "socket.on('ping', data => this.#answerPing(data));",
    instead: "socket.on('ping', () => this.#hear());",
    tests: frameTests,
  },
  {
    row: 'S4',
    name: 'connections for the API',
    file: 'control-plane/monitoring/agents/directory.ts',
    text: 'concurrency: 1,',
    instead: 'concurrency: 200,',
    tests: frameTests,
  },
  {
    row: 'S5',
    name: 'targets that Node accepts',
    file: 'control-plane/platform/http/middleware/refuse-malformed.ts',
    text: "if (detail !== null) throw new Problem('invalid_parameter', { detail });",
    instead: "if (detail === '') throw new Problem('invalid_parameter', { detail });",
    tests: ['test/control-plane/platform/http/hostile-input.test.ts'],
  },
  {
    row: 'S6',
    name: 'the scope of an endpoint',
    file: 'control-plane/platform/http/endpoint/require-allowed.ts',
    text: 'if (!allows(caller.scopes, scope))',
    instead: 'if (caller.scopes.length < 0)',
    tests: accessTests,
  },
  {
    row: 'S7',
    name: 'sealed header values',
    file: 'control-plane/monitoring/monitors/secrets/secrets.ts',
    text: 'headers: keyring.seal(JSON.stringify(headers), headersContext(monitorId)),',
    instead: 'headers: Buffer.from(JSON.stringify(headers)),',
    tests: ['test/control-plane/monitoring/monitors/secrets/secrets.test.ts'],
  },
  {
    row: 'S8',
    name: 'escaping',
    file: escapes,
    text: "return allowedText(text).replace(special, character => references[character] ?? '');",
    instead: 'return allowedText(text);',
    tests: escapeTests,
  },
  {
    row: 'S8',
    name: 'addresses of links',
    file: escapes,
    text: 'if (!/^https?:\\/\\//i.test(text)) return null;',
    instead: '',
    tests: escapeTests,
  },
  {
    row: 'S9',
    name: 'a revoked agent',
    file: agents,
    text: `where a.secret_hash = any(\${secretHashes}::bytea[]) and a.revoked_at is null\`;`,
    instead: `where a.secret_hash = any(\${secretHashes}::bytea[])\`;`,
    tests: revocationTests,
  },
  {
    row: 'S9',
    name: 'an agent revoked before its hello',
    file: gateway,
    text: 'return isKnown;',
    instead: 'return true;',
    tests: revocationTests,
  },
  {
    row: 'S10',
    name: 'CPU of a query',
    file: 'agent/probe/json-path.ts',
    text: "if (leftMs <= 0) this.#abandon(new Error('the query took too long'));\n      else if",
    instead: 'if',
    tests: ['test/agent/probe/json-path.test.ts'],
  },
  {
    row: 'backup',
    name: 'a database that somebody uses',
    file: target,
    text: 'const ours = [',
    instead: 'const ours = true || [',
    tests: backupTests,
  },
  {
    row: 'backup',
    name: 'the schema of this version',
    file: restore,
    text: "await migrateLocked(client, { storage: 'auto', log: progress }, { only: null, restoring: true });",
    instead: '',
    tests: backupTests,
  },
  {
    row: 'backup',
    name: 'what pending facts bring about',
    file: target,
    text: 'await markRestored(sql);',
    instead: '',
    tests: backupTests,
  },
  {
    row: 'backup',
    name: 'the draft of another backup',
    file: 'control-plane/operations/admin/backup/archive.ts',
    text: 'if (isOurs) await rm(draft, { force: true });',
    instead: 'await rm(draft, { force: true });',
    tests: ['test/control-plane/operations/admin/backup-parts.test.ts'],
  },
  {
    row: 'H7',
    name: 'the size of a scrape',
    file: 'control-plane/web/monitor-metrics/routes.ts',
    text: '  refuseLarge(size);\n',
    instead: '',
    tests: ['test/control-plane/web/monitor-metrics/scrape.test.ts'],
  },
  {
    row: 'H7',
    name: 'the history of a page',
    file: 'control-plane/publishing/status-pages/publish/model.ts',
    text: 'if (await hasAtMostChanges(sql, merges, startMs, changesMax)) return days;',
    instead: 'if (startMs > 0) return days;',
    tests: ['test/control-plane/publishing/status-pages/read-store.test.ts'],
  },
  {
    row: 'H4',
    name: 'the states in memory',
    file: 'control-plane/monitoring/monitors/state/state-cache.ts',
    text: 'boundedCache(max)',
    instead: 'boundedCache(max * 1000)',
    tests: ['test/control-plane/monitoring/monitors/state/state-cache.test.ts'],
  },
  {
    row: 'H6',
    name: 'a slow version of a flow',
    file: rollUp,
    text: "if (!isTimeout(error) && (fault === 'retry' || fault === 'away')) throw error;",
    instead: "if (fault !== 'data') throw error;",
    tests: slowTests,
  },
  {
    row: 'H6',
    name: 'arrivals beside a slow version',
    file: rollUp,
    text: 'isBehind && failures === 0)',
    instead: 'isBehind && failures >= 0)',
    tests: slowTests,
  },
  {
    row: 'S6',
    name: 'the gate of private pages',
    file: 'control-plane/publishing/status-pages/gate/gatekeeper.ts',
    text: 'if (!this.#admits(gate, parts, request)) return this.#refuse(gate, parts, request, response);',
    instead: '',
    tests: ['test/control-plane/publishing/status-pages/private-pages.test.ts'],
  },
  {
    row: 'S6',
    name: 'what proxies alone may ask',
    file: 'control-plane/publishing/status-pages/hosts/own-host.ts',
    text: 'if (!isFromProxyItself(request, this.#services.trustedProxies)) return false;',
    instead: '',
    tests: ['test/control-plane/publishing/status-pages/own-domains.test.ts'],
  },
  {
    row: 'S6',
    name: 'a domain that another page has proven since',
    file: 'control-plane/publishing/status-pages/domains/apply-look.ts',
    text: 'if (is && holder !== null) await takeFrom(sql, holder, nowMs);',
    instead: '',
    tests: ['test/control-plane/publishing/status-pages/own-domains.test.ts'],
  },
  {
    row: 'S6',
    name: 'who is a member still',
    file: 'control-plane/publishing/status-pages/gate/admit.ts',
    text: 'return since !== undefined && at >= since;',
    instead: 'return true;',
    tests: ['test/control-plane/publishing/status-pages/gate/gate.test.ts'],
  },
  {
    row: 'S6',
    name: 'a former slug that is another page’s',
    file: 'control-plane/publishing/status-pages/gate/gatekeeper.ts',
    text: 'if (isFormer && this.#services.pages.find',
    instead: 'if (false && this.#services.pages.find',
    tests: ['test/control-plane/publishing/status-pages/gate/keys.test.ts'],
  },
  {
    row: 'S7',
    name: 'readers of plans compare no secrets',
    file: 'control-plane/configuration/plans/uncompared.ts',
    text: 'if (present !== hiddenValue && !isGiven) return value;',
    instead: 'if (pointer !== null) return value;',
    tests: ['test/control-plane/configuration/readers.test.ts'],
  },
  {
    row: 'S7',
    name: 'a key made around a secret',
    file: 'control-plane/monitoring/monitors/egress/rules.ts',
    text: 'if (referencesIn(pair.private_key).names.length > 0)',
    instead: 'if (referencesIn(pair.private_key).names.length > 9)',
    tests: ['test/control-plane/configuration/readers.test.ts'],
  },
  {
    row: 'S6',
    name: 'aliases of other projects',
    file: 'control-plane/configuration/kinds/monitors.ts',
    text: 'aliases: known?.aliases ?? []',
    instead: 'aliases: heartbeat.aliases',
    tests: ['test/control-plane/configuration/readers.test.ts'],
  },
];
