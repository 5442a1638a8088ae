import { z } from 'zod';
import { jsonPost, reasonBytesMax } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, plainLine } from '../../../../delivery/transports/text.ts';
import type { Message } from '../../message.ts';
import { byStatusAndMessage, calledType } from '../channel-type.ts';
import { field, token } from '../fields.ts';

const hosts = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' };
const severities = { p1: 'critical', p2: 'error', p3: 'warning' } as const;

/** Events API v2. An event is at most 512 KB, a summary 1024 characters, a `dedup_key` 255. */
export const pagerduty = calledType({
  label: 'PagerDuty',
  about: 'Incidents by Events API v2',
  isPaging: true,
  schema: z.object({
    routing_key: field(token().describe('Integration key of an Events API v2 integration.'), {
      label: 'Integration key',
      isSecret: true,
    }),
    region: field(z.enum(['us', 'eu']).default('us'), {
      label: 'Service region',
      choices: { us: 'United States', eu: 'Europe' },
    }),
    webhook_secret: field(
      token().nullable().default(null).describe('Secret of a V3 webhook subscription that acknowledges alerts here.'),
      {
        label: 'Webhook secret',
        isSecret: true,
        hint: 'Of a V3 webhook subscription. With it, acknowledging in PagerDuty acknowledges here.',
      },
    ),
  }),
  request: (message, config, { addresses, nowMs }) => {
    const action = actionOf(message);
    const event = { routing_key: config.routing_key, event_action: action, dedup_key: message.threadKey };
    const url = `${addresses.pagerduty ?? hosts[config.region]}/v2/enqueue`;
    const post = (body: object) => jsonPost(url, body, {}, reasonBytesMax);
    if (action !== 'trigger') return post(event);
    const { members, project } = message.notice;
    const source = plainLine(members[0]?.monitor.host || members[0]?.monitor.name || project.name);
    return post({
      ...event,
      client: 'Upquorum',
      client_url: message.url,
      links: [{ href: message.url, text: 'View the alert' }],
      payload: {
        summary: cut(message.title, 1024),
        source: cut(source || 'Upquorum', 255),
        severity: message.step === 'test' ? 'info' : severities[message.severity],
        timestamp: message.notice.group?.opened_at ?? new Date(nowMs).toISOString(),
        custom_details: { text: cutLines(message.lines, 10_000) },
      },
    });
  },
  result: byStatusAndMessage,
});

function actionOf({ step }: Message): 'trigger' | 'acknowledge' | 'resolve' {
  if (step === 'acknowledged') return 'acknowledge';
  return step === 'resolved' || step === 'notice_closed' ? 'resolve' : 'trigger';
}
