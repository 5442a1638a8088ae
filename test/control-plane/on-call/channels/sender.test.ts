import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { ChannelDelivery, Settlement } from '#control-plane/delivery/notifications/delivery.ts';
import type { Email } from '#control-plane/delivery/transports/email/email.ts';
import { confirmAddress, keepAddress } from '#control-plane/on-call/channels/addresses/address-store.ts';
import { readLinkToken } from '#control-plane/on-call/channels/addresses/link-token.ts';
import { createChannelSender } from '#control-plane/on-call/channels/channel-sender.ts';
import { countFailed, countSent } from '#control-plane/on-call/channels/health-store.ts';
import { openConfig, sealConfig } from '#control-plane/on-call/channels/secrets/sealed.ts';
import { findChannel, insertChannel, newChannelId, updateChannel } from '#control-plane/on-call/channels/store.ts';
import { findThread, saveThread } from '#control-plane/on-call/channels/thread-store.ts';
import type { ChannelType } from '#control-plane/on-call/channels/types/registry.ts';
import { channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import type { OutboundAnswer, OutboundRequest } from '#control-plane/platform/http/outbound.ts';
import { channelConfigs } from '#test/support/channel-configs.ts';
import { channelContext, sentAtMs } from '#test/support/channel-message.ts';
import { sampleNotice } from '#test/support/channel-notice.ts';
import { createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { testKeyring } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const keyring = testKeyring;
const configs: Readonly<Record<string, Record<string, unknown>>> = channelConfigs('https://stub.example/');

async function openSender(sql: Sql, type: ChannelType, config = configs[type] ?? {}, addressIds: string[] = []) {
  const { projectId } = await createTenant(databaseOf());
  const id = newChannelId(sentAtMs);
  const sealedConfig = sealConfig(id, channelTypes[type].schema.parse(config), keyring);
  const row = { id, project_id: projectId, name: randomUUID(), type, address_ids: addressIds } as const;
  await insertChannel(sql, { ...row, detail: 'full', enabled: true, sealedConfig, sealedSecret: null }, sentAtMs);
  const requests: OutboundRequest[] = [];
  const emails: Email[] = [];
  const heard: unknown[] = [];
  let answer: OutboundAnswer = { status: 200, headers: {}, body: '' };
  const outbound = {
    post: async (request: OutboundRequest) => {
      requests.push(request);
      return answer;
    },
  };
  const mailer = {
    send: async (email: Email) => {
      emails.push(email);
      return { type: 'sent' as const };
    },
    close: () => undefined,
  };
  const services = {
    ...{ sql, keyring, outbound, baseUrl: 'https://up.example', addresses: channelContext.addresses },
    mailDomains: ['own.example'],
    failing: async (_: string, channel: { id: string }, isFailing: boolean) => void heard.push([channel.id, isFailing]),
    wake: async (_: string, groupId: string) => void heard.push(groupId),
  };
  const sender = createChannelSender({ ...services, mailer });
  const delivery: ChannelDelivery = {
    ...{ id: 'dlv_1', project_id: projectId, kind: 'alert_channel', recipient: id, attempts: 1 },
    ...{ payload: sampleNotice('agp_1'), channel_id: id, channel_type: type, group_id: 'agp_1' },
  };
  const send = (changes: Partial<ChannelDelivery> = {}) => sender.attempt({ ...delivery, ...changes }, sentAtMs);
  const settle = (changes: Partial<Settlement>, attempts = 1) => {
    const settlement = { state: 'failed', error: 'x', retryInMs: null, blame: true, gone: false, ...changes } as const;
    return sender.settled({ ...delivery, attempts }, settlement, sentAtMs);
  };
  const reply = (body: string, status = 200) => {
    answer = { status, headers: {}, body };
  };
  const withoutMail = createChannelSender({ ...services, mailer: null });
  return { projectId, id, requests, emails, heard, send, settle, reply, delivery, withoutMail };
}

test.serial('nothing is sent to a channel that was deleted or disabled since', async t => {
  await withSql(databaseOf(), async sql => {
    const { send, projectId, id, requests } = await openSender(sql, 'teams');
    t.deepEqual(await send({ channel_id: 'chn_gone' }), { type: 'cancelled', error: 'the channel was deleted' });
    await updateChannel(sql, projectId, id, { enabled: false }, sentAtMs);
    t.deepEqual(await send(), { type: 'cancelled', error: 'the channel is disabled' });
    t.is(requests.length, 0);
    await updateChannel(sql, projectId, id, { enabled: true, detail: 'brief' }, sentAtMs);
    t.deepEqual(await send(), { type: 'sent' });
    t.false(requests[0]?.body.includes('expected 200, got 503'), 'as brief as it is to be now');
  });
});

test.serial('each attempt of a delivery has its id, and a link for the group, the channel and seven days', async t => {
  await withSql(databaseOf(), async sql => {
    const { send, requests, projectId, id } = await openSender(sql, 'http', {
      url: 'https://stub.example/',
      template: '{"link":"{{links.acknowledge}}"}',
    });
    await send();
    await send({ attempts: 2 });
    const content = { purpose: 'acknowledge', project: projectId, group: 'agp_1', channel: id, at: sentAtMs };
    for (const { headers, body } of requests) {
      t.is(headers['webhook-id'], 'dlv_1');
      const { link } = JSON.parse(body) as { link: string };
      t.deepEqual(readLinkToken(link.replace('https://up.example/ack/', ''), keyring), content);
    }
  });
});

test.serial('the first message of a group is what later ones reply to, until the chat moves', async t => {
  await withSql(databaseOf(), async sql => {
    const { send, reply, requests, id, projectId } = await openSender(sql, 'telegram');
    const posted = (message_id: number) => JSON.stringify({ ok: true, result: { message_id } });
    for (const messageId of [5, 6]) {
      reply(posted(messageId));
      t.deepEqual(await send(), { type: 'sent' });
    }
    t.deepEqual(await findThread(sql, id, 'agp_1'), { message_id: '5' }, 'not the last');
    t.regex(requests[1]?.body ?? '', /"reply_parameters":\{"message_id":5/);
    await saveThread(sql, { channelId: id, projectId, groupId: 'agp_2' }, { message_id: '9' }, sentAtMs);
    reply(JSON.stringify({ ok: false, description: 'moved', parameters: { migrate_to_chat_id: -1009 } }), 400);
    t.like(await send(), {
      type: 'refused',
      error: 'the service responded with HTTP status 400: moved; the new chat ID is -1009',
    });
    const row = await findChannel(sql, projectId, id);
    t.like(row === null ? null : openConfig(row, keyring), { chat_id: '-1009' });
    t.deepEqual([await findThread(sql, id, 'agp_1'), await findThread(sql, id, 'agp_2')], [null, null]);
  });
});

test.serial('an email goes to an address that confirmed, or whose domain the operator vouches for', async t => {
  await withSql(databaseOf(), async sql => {
    const { send, emails, projectId, id, delivery, withoutMail } = await openSender(sql, 'email', {
      to: ['a@example.com'],
    });
    const keep = (text: string, fill: number) =>
      keepAddress(sql, keyring, { projectId, text, hash: Buffer.alloc(32, fill), confirmed: false }, sentAtMs);
    const [ada, own] = [await keep('ada@example.com', 1), await keep('ops@own.example', 2)];
    const to = (addressId: string) => ({ recipient: `${id} ${addressId}` });
    t.deepEqual(await send(to(ada.id)), { type: 'on_hold', error: 'the address is not confirmed yet' });
    t.deepEqual(await send(to(own.id)), { type: 'sent' });
    await confirmAddress(sql, projectId, ada.id, sentAtMs);
    t.deepEqual(await send(to(ada.id)), { type: 'sent' });
    t.like(await send(to(randomUUID())), { type: 'cancelled', error: 'the channel no longer names the address' });
    t.deepEqual(
      emails.map(email => email.to),
      ['ops@own.example', 'ada@example.com'],
    );
    const asked = { kind: 'confirmation', recipient: ada.id } as const;
    t.like(await send(asked), { type: 'cancelled', error: 'the address no longer needs to confirm' });
    t.like(await send({ ...asked, recipient: own.id }), { type: 'sent' });
    t.regex(emails.at(-1)?.text ?? '', /Confirm: https:\/\/up\.example\/ack\/[\w-]+/);
    const held = { type: 'on_hold', error: 'email is not configured: SMTP_URL is not set' };
    t.like(await withoutMail.attempt({ ...delivery, ...to(ada.id) }, sentAtMs), held);
    t.like(await withoutMail.attempt({ ...delivery, ...asked, recipient: own.id }, sentAtMs), held);
  });
});

test.serial(
  'five failures in a row, or three attempts of one, make a channel fail; one message that is sent ends it',
  async t => {
    await withSql(databaseOf(), async sql => {
      const { projectId, id } = await openSender(sql, 'teams');
      const target = { projectId, id };
      const failed = (changes = {}) =>
        countFailed(sql, target, { error: 'no', ended: true, repeatedly: false, sent: false, ...changes }, sentAtMs);
      const began: boolean[] = [];
      for (let count = 0; count < 6; count++) began.push(await failed());
      t.deepEqual(began, [false, false, false, false, true, false], 'once');
      t.like(await findChannel(sql, projectId, id), { failures: 6, last_error: 'no', last_sent_at: null });
      t.true(await countSent(sql, projectId, id, sentAtMs), 'it was failing');
      t.false(await countSent(sql, projectId, id, sentAtMs));
      t.like(await findChannel(sql, projectId, id), { failures: 0, failing_since: null, last_error: null });
      t.false(await failed({ ended: false }), 'it is tried again');
      t.like(await findChannel(sql, projectId, id), { failures: 0, last_error: 'no' });
      t.true(await failed({ ended: false, repeatedly: true }));
      t.false(
        await countFailed(
          sql,
          { ...target, id: 'chn_gone' },
          { error: '', ended: true, repeatedly: true, sent: false },
          0,
        ),
      );
    });
  },
);

const settlements: readonly [type: ChannelType, settlement: Partial<Settlement>, attempts: number, heard: string[]][] =
  [
    ['teams', { state: 'sent', error: null, blame: false }, 1, []],
    ['teams', { state: 'queued' }, 2, []],
    ['teams', { state: 'queued' }, 3, ['agp_1', 'failing']],
    ['teams', { state: 'failed' }, 1, ['agp_1']],
    ['http', { state: 'failed' }, 1, ['agp_1', 'failing']],
    ['http', { state: 'sent', error: 'got the plain form' }, 1, ['failing']],
    ['teams', { state: 'held' }, 3, []],
    ['teams', { state: 'cancelled' }, 3, []],
  ];
for (const [type, settlement, attempts, expected] of settlements)
  test.serial(
    `${JSON.stringify(settlement)} after ${attempts} attempts of ${type} is heard as [${expected}]`,
    async t => {
      await withSql(databaseOf(), async sql => {
        const { settle, heard, id } = await openSender(sql, type);
        await settle(settlement, attempts);
        t.deepEqual(
          heard,
          expected.map(what => (what === 'failing' ? [id, true] : what)),
        );
      });
    },
  );
