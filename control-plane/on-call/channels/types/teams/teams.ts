import { z } from 'zod';
import { teamsRequest } from '../../../../delivery/transports/teams/card.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { secretUrl } from '../fields.ts';

/** An Adaptive Card for a workflow of Teams. */
export const teams = calledType({
  label: 'Microsoft Teams',
  about: 'A workflow that posts to a channel',
  schema: z.object({
    url: secretUrl(
      {
        label: 'URL of the workflow',
        placeholder: 'https://…',
        hint: 'Its trigger is “When a Teams webhook request is received”.',
      },
      'URL of a workflow that posts to a channel when a webhook request is received.',
    ),
  }),
  request: ({ tone, title, lines, url, acknowledgeUrl }, config) => {
    const acknowledge = acknowledgeUrl === null ? [] : [{ title: 'Acknowledge', url: acknowledgeUrl }];
    return teamsRequest(config.url, { tone, title, lines, links: [{ title: 'View', url }, ...acknowledge] });
  },
  result: byStatus,
});
