import type { ChannelDelivery, Settlement } from '../../delivery/notifications/delivery.ts';
import { emailNotConfigured } from '../../delivery/transports/email/send.ts';
import { cancelled, type Outcome, onHold } from '../../delivery/transports/outcome.ts';
import { findSlackSecret, readSlackToken } from '../../delivery/transports/slack/installation-store.ts';
import type { Sent } from '../../delivery/transports/transport.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findProject } from '../../platform/projects/store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { findAddress, openChannelAddress } from './addresses/address-store.ts';
import { linkToken } from './addresses/link-token.ts';
import { isTrusted } from './configure.ts';
import { countFailed, countSent } from './health-store.ts';
import { type Message, messageOf } from './message.ts';
import type { ChannelNotice } from './notice.ts';
import { openChannelSecret, openConfig, sealConfig } from './secrets/sealed.ts';
import { type ChannelRow, findChannel, replaceConfig } from './store.ts';
import { deleteThreadsOf, findThread, saveThread } from './thread-store.ts';
import type { ChannelClients, ChannelContext } from './types/channel-type.ts';
import { addressConfirmationEmail } from './types/email/alert-email.ts';
import { channelTypes } from './types/registry.ts';
import type { ServiceAddresses } from './types/service-addresses.ts';

export type SenderServices = ChannelClients & {
  sql: Sql;
  keyring: Keyring;
  baseUrl: string;
  addresses: ServiceAddresses;
  mailDomains: readonly string[];
  /** A channel begins to fail, or is well again. */
  failing(projectId: string, channel: { id: string; name: string }, isFailing: boolean): Promise<void>;
  /** A step may have reached nobody: the group's next one may be due. */
  wake(projectId: string, groupId: string): Promise<void>;
};

/** Channels of alerts as recipients of deliveries. */
export type ChannelSender = {
  attempt(delivery: ChannelDelivery, nowMs: number): Promise<Outcome>;
  settled(delivery: ChannelDelivery, settlement: Settlement, nowMs: number): Promise<void>;
};

type Config = Readonly<Record<string, unknown>>;
type Context = ChannelContext & ChannelClients & { config: Config };

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
  if (mailer === null) return onHold(emailNotConfigured);
  const project = await findProject(sql, delivery.project_id);
  const content = { purpose: 'confirm', project: delivery.project_id, address: address.id, at: nowMs } as const;
  const url = `${baseUrl}/ack/${linkToken(content, keyring)}`;
  return mailer.send(
    addressConfirmationEmail(project?.name ?? '', url, openChannelAddress(address, keyring), delivery.id),
  );
}

async function sendNotice(services: SenderServices, delivery: ChannelDelivery, nowMs: number): Promise<Outcome> {
  const { sql, baseUrl } = services;
  const channel = await findChannel(sql, delivery.project_id, delivery.channel_id ?? '');
  if (channel === null) return cancelled('the channel was deleted');
  if (!channel.enabled) return cancelled('the channel is disabled');
  const config = await configOf(services, channel, delivery);
  if ('type' in config) return config;
  const notice = delivery.payload as ChannelNotice;
  const message = messageOf(notice, channel.detail, {
    baseUrl,
    acknowledgeUrl: linkOf(services, channel, notice, nowMs),
  });
  const groupId = notice.group?.id ?? null;
  const thread = groupId === null ? null : await findThread(sql, channel.id, groupId);
  const needed = await readNeeded(services, channel);
  const context: Context = { ...needed, config: config.open, deliveryId: delivery.id, nowMs, thread };
  const first = await channelTypes[channel.type].send(message, context);
  const sent = first.moved === undefined ? first : await followMove(services, channel, first.moved, message, context);
  if (sent.thread !== null && groupId !== null && (thread === null || first.moved !== undefined))
    await saveThread(sql, { channelId: channel.id, projectId: channel.project_id, groupId }, sent.thread, nowMs);
  return sent.outcome;
}

/** The configuration for a delivery, which is to one of a channel's mailboxes if it has some; or why it is not sent. */
async function configOf(
  { sql, keyring, mailDomains }: SenderServices,
  channel: ChannelRow,
  { project_id, recipient }: ChannelDelivery,
): Promise<{ open: Config } | Outcome> {
  const open = openConfig(channel, keyring);
  if (channelTypes[channel.type].mailboxes === undefined) return { open };
  const row = await findAddress(sql, project_id, recipient.split(' ')[1] ?? '');
  if (row === null) return cancelled('the channel no longer names the address');
  const address = openChannelAddress(row, keyring);
  if (row.confirmed_at === null && !isTrusted(address, mailDomains)) return onHold('the address is not confirmed yet');
  return { open: { ...open, to: [address] } };
}

/** Takes over what the service wants instead of the stored configuration, and sends the message once more. */
async function followMove(
  { sql, keyring }: SenderServices,
  channel: ChannelRow,
  moved: Readonly<Record<string, string>>,
  message: Message,
  context: Context,
): Promise<Sent> {
  const config = { ...context.config, ...moved };
  await replaceConfig(sql, channel, sealConfig(channel.id, config, keyring), context.nowMs);
  await deleteThreadsOf(sql, channel.id);
  const sent = await channelTypes[channel.type].send(message, { ...context, config, thread: null });
  if (sent.outcome.type !== 'sent') return sent;
  const fields = Object.entries(moved).map(([name, value]) => `\`${name}\` is ${value}`);
  const note = `the chat has moved: ${fields.join(', ')} in the channel from now on`;
  return { ...sent, outcome: { ...sent.outcome, note } };
}

/** What transports need of the project and the channel. */
async function readNeeded(
  { sql, keyring, addresses, outbound, mailer }: SenderServices,
  channel: Pick<ChannelRow, 'id' | 'type' | 'project_id' | 'sealed_secret'>,
): Promise<Omit<Context, 'config' | 'deliveryId' | 'nowMs' | 'thread'>> {
  const needsSlack = channelTypes[channel.type].needsSlack === true;
  return {
    ...{ outbound, mailer, addresses },
    slackToken: needsSlack ? await readSlackToken(sql, keyring, channel.project_id) : null,
    slackButtons: needsSlack && (await findSlackSecret(sql, channel.project_id)) !== null,
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
  const isTemplate = hasTemplate(delivery.channel_type) && (ended || state === 'sent');
  const repeatedly = delivery.attempts >= stepAttemptsMax;
  if ((ended || repeatedly) && state !== 'sent' && delivery.group_id !== null)
    await wake(target.projectId, delivery.group_id);
  const failed = { error, ended, repeatedly: repeatedly || isTemplate, sent: state === 'sent' };
  if (await countFailed(sql, target, failed, nowMs)) await changed(true);
}

function hasTemplate(type: string | null): boolean {
  return channelTypes[type as keyof typeof channelTypes]?.hasTemplate === true;
}
