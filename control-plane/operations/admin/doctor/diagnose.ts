import { statfs } from 'node:fs/promises';
import { connect } from 'node:tls';
import { dayMs, secondMs } from '#shared/duration.ts';
import { errorMessage } from '#shared/error-message.ts';
import { signInFindings } from '../../../access/sign-in/findings.ts';
import { findSendingPause } from '../../../delivery/notifications/sending-store.ts';
import { verifySmtp } from '../../../delivery/transports/email/send.ts';
import { openSecrets } from '../../../monitoring/monitors/secrets/secrets.ts';
import { listUnable } from '../../../monitoring/notices/condition-store.ts';
import { findBootstrap } from '../../../monitoring/rdap/bootstrap-store.ts';
import { isDomainWatched } from '../../../monitoring/rdap/lookup-store.ts';
import { DatabaseClock } from '../../../platform/db/clock.ts';
import { isPlainRemote, parseDatabaseUrl } from '../../../platform/db/database-url.ts';
import { bypassingRole } from '../../../platform/db/schema/check-role.ts';
import { schemaGaps } from '../../../platform/db/schema/migrate.ts';
import { requireWorkerSession } from '../../../platform/db/session.ts';
import { type Finding, fail, ok, warn } from '../../../platform/failures/finding.ts';
import { listSetApart } from '../../../platform/failures/store.ts';
import { version } from '../../../platform/http/version.ts';
import { createKeyring } from '../../../platform/secrets/keyring.ts';
import type { Options } from '../options.ts';
import { type AdminServices, defaultUrl } from '../services.ts';
import { Report } from './report.ts';
import * as rules from './rules.ts';
import { findSealed, listPrograms, readAgents, readBacklog, readGrowth, readIntake, readServer } from './store.ts';

const failuresShown = 1000;
const answerMs = 10 * secondMs;
const expiredMs = 33 * dayMs;
const connectionAdvice = 'see DATABASE_URL: host, user and password, and no pooler in between';

/** Looks at every part of the installation, and changes and sends nothing. What cannot be looked at is a finding. */
export async function diagnose(_: Options, services: AdminServices): Promise<Report> {
  const connection = await inspect('connection', () => connectionFindings(services), connectionAdvice);
  if (connection.some(({ status }) => status === 'fail')) return new Report(connection);
  const { sql, nowMs } = services;
  const parts: readonly [name: string, find: () => Promise<Finding[]>][] = [
    ['PostgreSQL', async () => rules.serverFindings(await readServer(sql), await bypassingRole(sql))],
    ['schema', async () => [rules.schemaFinding(await schemaGaps(sql))]],
    ['clock', () => clockFindings(services)],
    ['time zones', async () => [rules.timeZonesFinding(process.versions.tz, nowMs)]],
    ['disk', () => diskFindings(services)],
    [
      'work',
      async () =>
        rules.backlogFindings(await readBacklog(sql, nowMs, nowMs - expiredMs), (await findSendingPause(sql)) !== null),
    ],
    ['failing items', async () => [rules.failuresFinding(await listSetApart(sql, failuresShown))]],
    ['intake', async () => rules.intakeFindings(await readIntake(sql))],
    ['control planes', async () => [rules.programsFinding(await listPrograms(sql), version)]],
    ['agents', async () => [rules.agentsFinding(await readAgents(sql), version)]],
    ['abilities', async () => [rules.abilitiesFinding(await listUnable(sql))]],
    ['registries', () => registryFindings(services)],
    ['secrets', () => secretsFindings(services)],
    ['email', () => emailFindings(services)],
    ['sign-in', () => peopleFindings(services)],
    ['certificate', () => addressFindings(services)],
  ];
  const findings = [...connection];
  for (const [name, find] of parts) findings.push(...(await inspect(name, find)));
  return new Report(findings);
}

async function inspect(
  name: string,
  find: () => Promise<Finding[]>,
  advice = 'this part could not be checked',
): Promise<Finding[]> {
  try {
    return await find();
  } catch (error) {
    return [fail(name, errorMessage(error), advice)];
  }
}

async function connectionFindings({ sql, config }: AdminServices): Promise<Finding[]> {
  await requireWorkerSession(sql);
  const place = parseDatabaseUrl(config.databaseUrl)?.place ?? 'the database';
  return [
    isPlainRemote(config.databaseUrl)
      ? warn('connection', `${place}, not encrypted`, 'add sslmode=verify-full to DATABASE_URL')
      : ok('connection', place),
  ];
}

async function clockFindings({ sql }: AdminServices): Promise<Finding[]> {
  const clock = new DatabaseClock();
  const measured = await clock.measure(sql);
  return [
    measured
      ? rules.clockFinding(clock.offsetMs)
      : warn('clock', 'the database takes more than a second to answer', 'see the load of its machine and the network'),
  ];
}

async function diskFindings({ sql, config, nowMs }: AdminServices): Promise<Finding[]> {
  const { bytes } = await readServer(sql);
  const disk = config.dataDir === null ? null : await statfs(config.dataDir);
  return [rules.diskFinding(bytes, disk === null ? null : disk.bavail * disk.bsize, await readGrowth(sql, nowMs))];
}

async function registryFindings({ sql, nowMs }: AdminServices): Promise<Finding[]> {
  const bootstrap = await findBootstrap(sql);
  const listAgeMs = bootstrap?.fetchedAt == null ? null : nowMs - bootstrap.fetchedAt;
  return [rules.registriesFinding({ domains: await isDomainWatched(sql), listAgeMs })];
}

async function secretsFindings({ sql, config }: AdminServices): Promise<Finding[]> {
  const advice = 'set the SECRETS_KEYS of this installation here and in every control plane';
  if (config.secretsKeys.length === 0) return [warn('secrets', 'SECRETS_KEYS is not set here', advice)];
  const keyring = createKeyring(config.secretsKeys);
  const sealed = await findSealed(sql);
  try {
    if (sealed !== null) openSecrets({ ...sealed, sealed_body: null }, keyring);
    return [ok('secrets', 'SECRETS_KEYS opens what is stored')];
  } catch {
    return [fail('secrets', 'SECRETS_KEYS does not open what is stored', advice)];
  }
}

async function emailFindings({ config: { smtpUrl } }: AdminServices): Promise<Finding[]> {
  if (smtpUrl === null)
    return [warn('email', 'SMTP_URL is not set here', 'set it as for the control planes; without it emails are held')];
  const { host } = new URL(smtpUrl);
  try {
    await verifySmtp(smtpUrl);
    return [ok('email', `${host} accepts the login`)];
  } catch (error) {
    return [fail('email', `${host}: ${errorMessage(error)}`, 'see SMTP_URL, and that this machine may connect there')];
  }
}

async function peopleFindings({ sql, config: { signIn, publicUrl } }: AdminServices): Promise<Finding[]> {
  if (typeof signIn === 'string') return [fail('sign-in', signIn, 'the control planes do not start with this either')];
  return signInFindings(signIn, publicUrl ?? defaultUrl, work => work(sql));
}

async function addressFindings({ config: { publicUrl } }: AdminServices): Promise<Finding[]> {
  if (publicUrl === null || !URL.canParse(publicUrl))
    return [warn('certificate', 'PUBLIC_URL is not set here', 'set it as for the control planes')];
  const url = new URL(publicUrl);
  const isLocal = /^(localhost|127\.|\[::1\])/.test(url.hostname);
  if (url.protocol !== 'https:')
    return [
      isLocal
        ? ok('certificate', 'none is needed on this machine')
        : warn('certificate', `${url.origin} has no TLS`, 'put a proxy with a certificate in front, and set https'),
    ];
  const { daysLeft, failure } = await readCertificate(url);
  return [rules.certificateFinding(url.host, daysLeft, failure)];
}

function readCertificate(url: URL): Promise<{ daysLeft: number | null; failure: string | null }> {
  return new Promise(resolve => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(url.port || 443), servername: host, timeout: answerMs }, () => {
      const ends = Date.parse(socket.getPeerCertificate().valid_to);
      resolve({ daysLeft: (ends - Date.now()) / dayMs, failure: null });
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer within 10 s')));
    socket.once('error', error => resolve({ daysLeft: null, failure: errorMessage(error) }));
  });
}
