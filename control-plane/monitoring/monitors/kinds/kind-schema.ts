import { z } from 'zod';
import { laterKinds, monitorKinds } from '#shared/checks/vocabulary.ts';

/** The kind of a monitor in a body. */
export const kindSchema = z
  .preprocess((value, context) => {
    if ((laterKinds as readonly unknown[]).includes(value))
      context.addIssue({ code: 'custom', params: { code: 'not_allowed' }, message: 'is not available yet' });
    return value;
  }, z.enum(monitorKinds))
  .describe('Kind of check; as the scheme of `url` says if left out. It cannot be changed.');
