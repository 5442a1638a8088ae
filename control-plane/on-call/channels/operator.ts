import {
  type ChannelDelivery,
  type ChannelSender,
  emailNotConfigured,
  type Outcome,
  type Settlement,
} from '../../delivery/notifications/delivery.ts';
import type { Mailer } from '../../delivery/notifications/email/send.ts';
import { findSlackSecret, readSlackToken } from '../../delivery/notifications/slack/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Outbound } from '../../platform/http/outbound.ts';
import { findProject } from '../../platform/projects/store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { AdapterContext, AdapterResult, ServiceAddresses } from './adapter.ts';
import { addressConfirmationEmail, alertEmail } from './adapters/email.ts';
import type { CalledType } from './adapters/registry.ts';
import { findAddress, openChannelAddress } from './addresses/address-store.ts';
import { linkToken } from './addresses/link-token.ts';
import { isTrusted } from './configure.ts';
import { countFailed, countSent } from './health-store.ts';
import { type Message, messageOf } from './message.ts';
import type { ChannelNotice } from './notice.ts';
import { openChannelSecret, openConfig, sealConfig } from './secrets/sealed.ts';
import { callWithPlainForm } from './send.ts';
import { type ChannelRow, findChannel, replaceConfig } from './store.ts';
import { deleteThreadsOf, findThread, saveThread } from './thread-store.ts';

export type SenderServices = {
  sql: Sql;
  keyring: Keyring;
  outbound: Outbound;
  /** Null without an SMTP server: emails are held. */
  mailer: Mailer | null;
  baseUrl: string;
  addresses: ServiceAddresses;
  mailDomains: readonly string[];
  /** A channel begins to fail, or is well again. */
  failing(projectId: string, channel: { id: string; name: string }, isFailing: boolean): Promise<void>;
  /** A step may have reached nobody: the group's next one may be due. */
  wake(projectId: string, groupId: string): Promise<void>;
};

const noMailer: Outcome = { type: 'held', error: emailNotConfigured };
/** An attempt is repeated so often before its step counts as failed. */
export const stepAttemptsMax = 3;

/** Sends what is queued for channels; `settled` keeps the record of each channel. */
export function createChannelSender(services: SenderServices): ChannelSender {
  return {
    attempt: (delivery, nowMs) =>
      delivery.kind === 'confirmation' ? askAddress(services, delivery, nowMs) : sendNotice(services, delivery, nowMs),
    settled: (delivery, settlement, nowMs) => keepRecord(services, delivery, settlement, nowMs),
  };
}

async function askAddress(services: SenderServices, delivery: ChannelDelivery, nowMs: number): Promise<Outcome> {
  const { sql, keyring, mailer, baseUrl } = services;
  const address = await findAddress(sql, delivery.project_id, delivery.recipient);
  if (address === null || address.confirmed_at !== null) return cancelled('the address no longer needs to confirm');
  if (mailer === null) return noMailer;
  const project = await findProject(sql, delivery.project_id);
  const content = { purpose: 'confirm', project: delivery.project_id, address: address.id, at: nowMs } as const;
  const url = `${baseUrl}/ack/${linkToken(content, keyring)}`;
  return mailer.send(
    addressConfirmationEmail(project?.name ?? '', url, openChannelAddress(address, keyring), delivery.id),
  );
}

async function sendNotice(services: SenderServices, delivery: ChannelDelivery, nowMs: number): Promise<Outcome> {
  const { sql, keyring, baseUrl } = services;
  const channel = await findChannel(sql, delivery.project_id, delivery.channel_id ?? '');
  if (channel === null) return cancelled('the channel was deleted');
  if (!channel.enabled) return cancelled('the channel is disabled');
  const notice = delivery.payload as ChannelNotice;
  const message = messageOf(notice, channel.detail, {
    baseUrl,
    acknowledgeUrl: linkOf(services, channel, notice, nowMs),
  });
  if (channel.type === 'email') return sendEmail(services, delivery, message);
  const groupId = notice.group?.id ?? null;
  const thread = groupId === null ? null : await findThread(sql, channel.id, groupId);
  const context = { ...(await contextOf(services, channel)), deliveryId: delivery.id, nowMs, thread };
  const called = { type: channel.type, config: openConfig(channel, keyring) };
  const first = await callWithPlainForm(services.outbound, called, message, context);
  const result =
    first.moved === undefined
      ? first
      : await followMove(services, { ...channel, type: channel.type }, first.moved, message, context);
  if (result.thread !== null && groupId !== null && (thread === null || first.moved !== undefined))
    await saveThread(sql, { channelId: channel.id, projectId: channel.project_id, groupId }, result.thread, nowMs);
  return result.outcome;
}

/** Takes over what the service wants instead of the stored configuration, and sends the message once more. */
async function followMove(
  { sql, keyring, outbound }: SenderServices,
  channel: ChannelRow & { type: CalledType },
  moved: Readonly<Record<string, string>>,
  message: Message,
  context: AdapterContext,
): Promise<AdapterResult> {
  const config = { ...openConfig(channel, keyring), ...moved };
  await replaceConfig(sql, channel, sealConfig(channel.id, config, keyring), context.nowMs);
  await deleteThreadsOf(sql, channel.id);
  const result = await callWithPlainForm(outbound, { type: channel.type, config }, message, {
    ...context,
    thread: null,
  });
  if (result.outcome.type !== 'sent') return result;
  const fields = Object.entries(moved).map(([name, value]) => `\`${name}\` is ${value}`);
  const note = `the chat has moved: ${fields.join(', ')} in the channel from now on`;
  return { ...result, outcome: { ...result.outcome, note } };
}

async function sendEmail(
  { sql, keyring, mailer, mailDomains }: SenderServices,
  delivery: ChannelDelivery,
  message: ReturnType<typeof messageOf>,
): Promise<Outcome> {
  const row = await findAddress(sql, delivery.project_id, delivery.recipient.split(' ')[1] ?? '');
  if (row === null) return cancelled('the channel no longer names the address');
  const address = openChannelAddress(row, keyring);
  if (row.confirmed_at === null && !isTrusted(address, mailDomains))
    return { type: 'held', error: 'the address is not confirmed yet' };
  return mailer === null ? noMailer : mailer.send(alertEmail(message, address, delivery.id));
}

/** What adapters need of the project and the channel. */
async function contextOf(
  { sql, keyring, addresses }: Pick<SenderServices, 'sql' | 'keyring' | 'addresses'>,
  channel: Pick<ChannelRow, 'id' | 'type' | 'project_id' | 'sealed_secret'>,
): Promise<Pick<AdapterContext, 'addresses' | 'slackToken' | 'slackButtons' | 'signingSecret'>> {
  const isSlack = channel.type === 'slack';
  return {
    addresses,
    slackToken: isSlack ? await readSlackToken(sql, keyring, channel.project_id) : null,
    slackButtons: isSlack && (await findSlackSecret(sql, channel.project_id)) !== null,
    signingSecret: openChannelSecret(channel, keyring),
  };
}

function linkOf({ keyring, baseUrl }: SenderServices, channel: ChannelRow, notice: ChannelNotice, nowMs: number) {
  if (notice.group === null) return null;
  const about = { project: channel.project_id, group: notice.group.id, channel: channel.id };
  return `${baseUrl}/ack/${linkToken({ purpose: 'acknowledge', ...about, at: nowMs }, keyring)}`;
}

async function keepRecord(
  { sql, failing, wake }: SenderServices,
  delivery: ChannelDelivery,
  settlement: Settlement,
  nowMs: number,
): Promise<void> {
  if (delivery.channel_id === null) return;
  const target = { projectId: delivery.project_id, id: delivery.channel_id };
  const changed = async (isFailing: boolean) => {
    const channel = await findChannel(sql, target.projectId, target.id);
    if (channel !== null) await failing(target.projectId, channel, isFailing);
  };
  const { state, error, blame } = settlement;
  if (state === 'sent' && !blame) {
    if (await countSent(sql, target.projectId, target.id, nowMs)) await changed(false);
    return;
  }
  if (error === null || (state !== 'failed' && state !== 'queued' && state !== 'sent')) return;
  const ended = state === 'failed';
  // What a receiver of a template refuses is wrong for good: it is not waited for five.
  const isTemplate = delivery.channel_type === 'http' && (ended || state === 'sent');
  const repeatedly = delivery.attempts >= stepAttemptsMax;
  if ((ended || repeatedly) && state !== 'sent' && delivery.group_id !== null)
    await wake(target.projectId, delivery.group_id);
  const failed = { error, ended, repeatedly: repeatedly || isTemplate, sent: state === 'sent' };
  if (await countFailed(sql, target, failed, nowMs)) await changed(true);
}

function cancelled(error: string): Outcome {
  return { type: 'cancelled', error };
}
