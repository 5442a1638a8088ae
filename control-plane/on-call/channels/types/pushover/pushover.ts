import { z } from 'zod';
import { jsonOf, jsonPost, outcomeOf, reasonBytesMax } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import { calledType } from '../channel-type.ts';
import { field, maskable } from '../fields.ts';

const key = () => maskable(z.string().regex(/^[A-Za-z0-9]{30}$/, 'must be 30 letters and digits'));

/** High passes quiet hours of the phone, low makes no sound. */
const priorities = { p1: 1, p2: 0, p3: -1 };
const urlMax = 512;

/** A message has at most 1024 characters, its title 250, its link 512. What is not taken once is never taken. */
export const pushover = calledType({
  label: 'Pushover',
  about: 'Push notifications to phones and desktops',
  schema: z.object({
    token: field(key().describe('API token of an application.'), { label: 'API token', isSecret: true }),
    user: field(key().describe('Key of a user or of a group.'), { label: 'User or group key', isSecret: true }),
    device: field(
      z
        .string()
        .regex(/^[\w-]{1,25}(,[\w-]{1,25}){0,9}$/, 'must be names of devices, separated by commas')
        .nullable()
        .default(null)
        .describe('Names of devices, separated by commas; null for all of them.'),
      { label: 'Devices' },
    ),
  }),
  request: ({ tone, severity, title, lines, notice, ...message }, { token, user, device }) => {
    const { acknowledgeUrl } = message;
    const canAcknowledge = acknowledgeUrl !== null && acknowledgeUrl.length <= urlMax;
    const isOver = tone === 'ok' || tone === 'note';
    return jsonPost(
      'https://api.pushover.net/1/messages.json',
      {
        token,
        user,
        ...(device === null ? {} : { device }),
        title: cut(title, 250),
        message: cutLines(lines, 1024) || cut(title, 1024),
        priority: isOver ? 0 : priorities[severity],
        timestamp: Math.floor(notice.at / 1000),
        url: canAcknowledge ? acknowledgeUrl : message.url,
        url_title: canAcknowledge ? 'View and acknowledge' : 'View',
      },
      {},
      reasonBytesMax,
    );
  },
  result: (answer, { nowMs }) => {
    const { errors } = (jsonOf(answer) ?? {}) as { errors?: unknown };
    const reason = Array.isArray(errors) ? errors[0] : null;
    return unthreaded(outcomeOf(answer, nowMs, { reason }));
  },
});
