import type { Assertion } from '#shared/assertions/assertion.ts';
import type { HttpVersion, MonitorKind } from '#shared/checks/vocabulary.ts';
import type { Verdict } from '#shared/vocabulary.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { toAlertRules } from './alert-rules.ts';
import { type HeaderAuth, readAuth } from './auth/auth.ts';
import type { EgressSettings } from './egress/egress.ts';
import { withEgressSecrets } from './egress/stored.ts';
import { shownHttpVersion } from './kinds/http-version.ts';
import { kindOf } from './kinds/kinds.ts';
import type { Labels } from './labels/labels.ts';
import type { AlertPolicy, MonitorSettings, OwnName } from './monitor.ts';
import { withSecrets } from './secrets/own-rules.ts';
import { type MonitorSecrets, openSecrets } from './secrets/secrets.ts';
import type { Votes } from './state/state.ts';

/** A monitor with all its settings, headers and body in clear. */
export type StoredMonitor = {
  id: string;
  projectId: string;
  settings: MonitorSettings;
  /** The fields of which texts name secrets; in others `{{secret.NAME}}` is text. */
  secretFields: readonly string[];
  configVersion: number;
  rulesVersion: number;
  createdAt: number;
  updatedAt: number;
};

/** A row of `monitors`, read with `monitorColumns`; headers and body are sealed. */
export type MonitorRow = {
  id: string;
  project_id: string;
  name: string;
  url: string;
  method: MonitorSettings['method'];
  interval_seconds: number;
  timeout_ms: number | null;
  regions: string[];
  kind: MonitorKind;
  own: unknown;
  /** What agents must be able to do, in words; empty for nothing. */
  needs: string;
  secret_fields: string[];
  quorum: number | null;
  assertions: Assertion[];
  sealed_headers: Buffer;
  sealed_body: Buffer | null;
  /** Without the private key and the password at the proxy, which are sealed. */
  egress: EgressSettings | null;
  sealed_egress: Buffer | null;
  sealed_proxy: Buffer | null;
  /** Without the password or token, which is sealed. */
  auth: HeaderAuth | null;
  sealed_auth: Buffer | null;
  /** Client credentials, as JSON. */
  sealed_oauth2: Buffer | null;
  /** How steps sign in, as JSON. */
  sealed_step_auth: Buffer | null;
  /** Null for 1.1. */
  http_version: HttpVersion | null;
  follow_redirects: boolean;
  alert_policy: AlertPolicy;
  alert_rules: unknown;
  rules_version: number;
  labels: Labels;
  enabled: boolean;
  config_version: number;
  configured_at: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
};

/** A monitor's row with the components it is bound to. */
export type BoundMonitorRow = MonitorRow & { component_ids: string[] };

/** A monitor and its current verdict, as lists show it. */
export type MonitorWithState = { monitor: StoredMonitor; verdict: Verdict; since: number; votes: Votes };

/** A row of `listedMonitors`. */
export type ListedRow = BoundMonitorRow & { verdict: Verdict; since: number; votes: Votes };

/** The settings that a row's kind has of its own, and the secrets, each in its place. */
export function ownSettings(
  row: Pick<MonitorRow, 'kind' | 'own'>,
  secrets: MonitorSecrets,
): Pick<MonitorSettings, 'headers' | 'body' | 'kind' | OwnName> {
  if (row.kind === 'http') return { headers: secrets.headers, body: secrets.body, kind: row.kind };
  const kind = kindOf(row.kind);
  const stored = kind.read === undefined ? kind.own.parse(row.own) : kind.read(row.own);
  const { own, headers } = withSecrets(stored, secrets);
  return { headers, body: null, kind: row.kind, [row.kind]: own };
}

export function toMonitor(row: BoundMonitorRow, keyring: Keyring): StoredMonitor {
  const secrets = openSecrets(row, keyring);
  const egress = withEgressSecrets(row.egress, secrets);
  return {
    id: row.id,
    projectId: row.project_id,
    settings: {
      name: row.name,
      url: row.url,
      method: row.method,
      interval_seconds: row.interval_seconds,
      timeout_ms: row.timeout_ms,
      regions: row.regions,
      quorum: row.quorum,
      assertions: row.assertions,
      ...ownSettings(row, secrets),
      follow_redirects: row.follow_redirects,
      auth: readAuth(row.auth, secrets),
      egress,
      http_version: shownHttpVersion(row),
      alert_policy: row.alert_policy,
      alert_rules: toAlertRules(row.alert_rules),
      component_ids: row.component_ids,
      labels: row.labels,
      enabled: row.enabled,
    },
    secretFields: row.secret_fields,
    configVersion: row.config_version,
    rulesVersion: row.rules_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function withState(row: ListedRow, keyring: Keyring): MonitorWithState {
  return { monitor: toMonitor(row, keyring), verdict: row.verdict, since: row.since, votes: row.votes };
}
