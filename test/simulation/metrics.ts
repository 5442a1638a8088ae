import { createMetrics } from '#control-plane/platform/http/metrics.ts';

/** Of all processes of all worlds: nobody reads them. */
export const metrics = createMetrics();
