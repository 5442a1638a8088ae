import { createLog } from '#shared/log.ts';

export const silentLog = createLog({ name: 'simulation', level: 'silent' });
