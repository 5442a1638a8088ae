import { z } from 'zod';
import { jsonOf, jsonPost, outcomeOf, reasonBytesMax, retryAfterMs } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, escapeMarkdown, plainLine } from '../../../../delivery/transports/text.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import type { Message } from '../../message.ts';
import { calledType } from '../channel-type.ts';
import { field, token } from '../fields.ts';

/** Alert events of an HTTP source: those with one key are one alert, which another of them resolves. */
export const incidentIo = calledType({
  label: 'incident.io',
  about: 'Alerts by an HTTP alert source',
  isPaging: true,
  schema: z.object({
    source_id: field(
      z
        .string()
        .regex(/^[0-9A-Za-z-]{10,64}$/, 'must be the ID at the end of the alert source’s URL')
        .describe('ID of an alert source of the kind HTTP: the end of its URL.'),
      { label: 'Alert source ID', placeholder: '01GW2G3V0S59R238FAHPDS1R66' },
    ),
    token: field(token().describe('Token of the alert source.'), { label: 'Token', isSecret: true }),
  }),
  request: (message, { source_id, token }) => {
    // An alert there is acknowledged by people alone.
    if (message.step === 'acknowledged') return null;
    const url = `https://api.incident.io/v2/alert_events/http/${source_id}`;
    return jsonPost(url, eventOf(message), { authorization: `Bearer ${token}` }, reasonBytesMax);
  },
  result: (answer, { nowMs }) => {
    const { errors, rate_limit: limit } = (jsonOf(answer) ?? {}) as Refusal;
    const retryMs = answer.status === 429 ? retryAfterMs(limit?.retry_after, nowMs) : null;
    return unthreaded(outcomeOf(answer, nowMs, { retryMs, reason: errors?.[0]?.message }));
  },
});

type Refusal = { errors?: { message?: unknown }[]; rate_limit?: { retry_after?: unknown } };

function eventOf({ step, severity, title, lines, url, acknowledgeUrl, threadKey, notice }: Message) {
  const isOver = step === 'resolved' || step === 'notice_closed';
  const acknowledge = acknowledgeUrl === null ? '' : `\n\n[Acknowledge](${acknowledgeUrl})`;
  const [first] = notice.members;
  return {
    status: isOver ? 'resolved' : 'firing',
    deduplication_key: threadKey,
    title: cut(title, 1000),
    description: `${cutLines(lines, 10_000, { write: escapeMarkdown, join: '\n\n' })}${acknowledge}`,
    source_url: url,
    metadata: {
      severity,
      project: plainLine(notice.project.name),
      monitor: plainLine(first?.monitor.name ?? ''),
      labels: first?.alert.labels ?? {},
    },
  };
}
