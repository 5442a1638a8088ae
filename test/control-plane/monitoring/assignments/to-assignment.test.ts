import { randomBytes } from 'node:crypto';
import test from 'ava';
import { toAssignment } from '#control-plane/monitoring/assignments/to-assignment.ts';
import type { Oauth2Settings } from '#control-plane/monitoring/monitors/auth/oauth2.ts';
import type { MonitorRow } from '#control-plane/monitoring/monitors/row.ts';
import { sealSecrets } from '#control-plane/monitoring/monitors/secrets/secrets.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { newId } from '#shared/ids.ts';
import { assignmentSchema } from '#shared/protocol/messages.ts';

const keyring = createKeyring([randomBytes(32).toString('base64')]);
const secrets = { headers: { authorization: 'Bearer swordfish' }, body: 'hello' };
const sealed = sealSecrets('mon_1', secrets, keyring);
const row: MonitorRow = {
  id: 'mon_1',
  project_id: 'proj_1',
  name: 'm',
  url: 'https://example.com/',
  kind: 'http',
  own: null,
  needs: '',
  secret_fields: [],
  method: 'POST',
  interval_seconds: 20,
  timeout_ms: null,
  regions: ['a', 'b'],
  quorum: null,
  assertions: [{ type: 'body_contains', operator: 'contains', value: 'x', case_insensitive: false }],
  sealed_headers: Buffer.from(sealed.headers),
  sealed_body: Buffer.from(sealed.body ?? ''),
  egress: null,
  sealed_egress: null,
  sealed_proxy: null,
  auth: null,
  sealed_auth: null,
  sealed_oauth2: null,
  sealed_step_auth: null,
  http_version: null,
  follow_redirects: false,
  alert_rules: {},
  rules_version: 1,
  alert_policy: { severity: 'p2', slack_channel: null, escalate_after_minutes: null },
  labels: {},
  enabled: true,
  config_version: 3,
  configured_at: 0,
  created_at: 0,
  updated_at: 0,
  deleted_at: null,
};

test('an agent gets what it must send, in clear, with defaults resolved and nothing else', t => {
  const { offset_ms, ...assignment } = toAssignment(row, 'a', keyring);
  t.true(assignmentSchema.safeParse({ ...assignment, offset_ms, monitor_id: newId('mon') }).success);
  t.deepEqual(assignment, {
    monitor_id: 'mon_1',
    config_version: 3,
    lane: 'proj_1',
    url: 'https://example.com/',
    method: 'POST',
    ...secrets,
    interval_ms: 20_000,
    timeout_ms: 20_000,
    follow_redirects: false,
    assertions: row.assertions,
  });
  t.true(offset_ms >= 0 && offset_ms < 20_000);
  t.not(toAssignment(row, 'b', keyring).offset_ms, offset_ms, 'regions check at different times');
});

test('secrets sealed for one monitor do not open for another', t => {
  t.throws(() => toAssignment({ ...row, id: 'mon_2' }, 'a', keyring));
});

test('auth reaches agents as the header that it is, of a call in lower case', t => {
  const sealedWith = sealSecrets('mon_1', { headers: {}, body: null, authSecret: 'swordfish' }, keyring);
  const signed: MonitorRow = {
    ...row,
    sealed_headers: Buffer.from(sealedWith.headers),
    auth: { type: 'bearer', token: '' },
    sealed_auth: Buffer.from(sealedWith.auth ?? ''),
  };
  t.deepEqual(toAssignment(signed, 'a', keyring).headers, { Authorization: 'Bearer swordfish' });
  const call: MonitorRow = { ...signed, kind: 'grpc', url: 'grpc://a.example:1', own: { service: '', metadata: {} } };
  t.deepEqual(toAssignment(call, 'a', keyring).headers, { authorization: 'Bearer swordfish' });
});

test('client credentials reach agents as they are, and no header does', t => {
  const oauth2: Oauth2Settings = {
    type: 'oauth2',
    token_url: 'https://id.example/token',
    client_id: 'shop',
    client_secret: 'swordfish',
    scopes: ['read'],
    audience: null,
    client_auth: 'body',
  };
  const sealedWith = sealSecrets('mon_1', { headers: {}, body: null, oauth2 }, keyring);
  const { auth, headers } = toAssignment(
    {
      ...row,
      sealed_headers: Buffer.from(sealedWith.headers),
      sealed_oauth2: Buffer.from(sealedWith.oauth2 ?? ''),
    },
    'a',
    keyring,
  );
  t.deepEqual([auth, headers], [oauth2, {}]);
});

test('metadata of a call reaches agents as headers do', t => {
  const own = { service: 'a.B', metadata: {} };
  const assignment = toAssignment(
    { ...row, kind: 'grpc', url: 'grpc://a.example:1', own, method: 'GET' },
    'a',
    keyring,
  );
  t.deepEqual(assignment.headers, secrets.headers);
  t.deepEqual(assignment.check, { kind: 'grpc', secure: false, host: 'a.example', port: 1, service: 'a.B' });
  t.is(assignment.body, null);
});
