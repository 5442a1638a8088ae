import { type PublishOutcome, publishDue } from './publish.ts';
import type { PublishJob } from './publisher.ts';
import { serveJobs } from './thread/serve-jobs.ts';

// The thread of `Publisher`. It begins with the page that it claims.

serveJobs<PublishJob, PublishOutcome>(({ nowMs }, { pools, baseUrl, canMail, begin }) =>
  publishDue(pools.background, { baseUrl, canMail, nowMs }, begin),
);
