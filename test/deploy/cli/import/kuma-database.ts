import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Item } from '#deploy/cli/import/imported.ts';

// Tables and columns as louislam/uptime-kuma `db/knex_init_db.js`, `db/old_migrations/` and `db/knex_migrations/` make
// them: those that an import reads, and some that it does not.

const common = {
  monitor:
    'id, name, active, user_id, interval, url, type, weight, hostname, port, keyword, maxretries, ignore_tls, ' +
    'upside_down, maxredirects, accepted_statuscodes_json, dns_resolve_type, dns_resolve_server, retry_interval, ' +
    'push_token, method, body, headers, basic_auth_user, basic_auth_pass, proxy_id, ' +
    'expiry_notification, auth_method, ' +
    'grpc_url, grpc_service_name, grpc_method, grpc_body, grpc_metadata, grpc_enable_tls, ' +
    'resend_interval, packet_size, ' +
    'http_body_encoding, description, tls_ca, tls_cert, tls_key, parent, invert_keyword, ' +
    'json_path, expected_value, timeout',
  heartbeat: 'id, important, monitor_id, status, msg, time, ping, duration, down_count',
  notification: 'id, name, active, user_id, is_default, config',
  monitor_notification: 'id, monitor_id, notification_id',
  tag: 'id, name, color',
  monitor_tag: 'id, monitor_id, tag_id, value',
  proxy: 'id, protocol, host, port, auth, username, password, active',
  maintenance:
    'id, title, description, active, strategy, start_date, end_date, start_time, end_time, ' +
    'weekdays, days_of_month, ' +
    'interval_day, cron, timezone, duration',
  monitor_maintenance: 'id, monitor_id, maintenance_id',
  maintenance_status_page: 'id, status_page_id, maintenance_id',
  status_page: 'id, slug, title, description, icon, theme, published, password, custom_css, footer_text',
  status_page_cname: 'id, status_page_id, domain',
  group: 'id, name, public, active, weight, status_page_id',
  monitor_group: 'id, monitor_id, group_id, weight, send_url',
  incident: 'id, title, content, style, pin, active, status_page_id',
  setting: 'id, key, value, type',
};

const ofVersion2 = {
  ...common,
  monitor:
    `${common.monitor}, json_path_operator, conditions, ping_count, ws_subprotocol, ip_family, ` +
    `cache_bust, bearer_token, domain_expiry_notification, smtp_security, ` +
    `oauth_token_url, oauth_client_id, oauth_client_secret, oauth_scopes, oauth_auth_method, oauth_audience`,
  heartbeat: `${common.heartbeat}, end_time, retries, response`,
  stat_minutely: 'id, monitor_id, timestamp, ping, up, down',
  stat_hourly: 'id, monitor_id, timestamp, ping, up, down, extras',
  stat_daily: 'id, monitor_id, timestamp, ping, up, down, extras',
};

export type Tables = Partial<Record<keyof typeof ofVersion2, readonly Item[]>>;

/** Writes a database of Uptime Kuma with these rows, and returns its path. */
export function writeKumaDatabase(version: 1 | 2, tables: Tables): string {
  const path = join(mkdtempSync(join(tmpdir(), 'upquorum-kuma-')), 'kuma.db');
  const database = new DatabaseSync(path);
  for (const [table, columns] of Object.entries(version === 1 ? common : ofVersion2)) {
    database.exec(`create table "${table}" (${columns.replace('id,', 'id integer primary key,')})`);
    for (const row of tables[table as keyof Tables] ?? []) {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      const statement = database.prepare(`insert into "${table}" (${names.join(', ')}) values (${marks})`);
      statement.run(...(Object.values(row) as (string | number | null)[]));
    }
  }
  database.close();
  return path;
}

/** As Kuma writes it. */
export function kumaTime(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}
