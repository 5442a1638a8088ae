import { transaction } from '../../../platform/db/transaction.ts';
import { previewPage } from './preview.ts';
import type { PreviewJob } from './previewer.ts';
import { serveJobs } from './thread/serve-jobs.ts';

// The thread of `Previewer`.

serveJobs<PreviewJob, string>(({ row, patch, level, nowMs }, { pools, baseUrl, canMail, begin }) => {
  begin(row.id);
  const context = { baseUrl, canMail, nowMs, level };
  return transaction(pools.reports, sql => previewPage(sql, row, patch, context), row.project_id);
});
