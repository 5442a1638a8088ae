/**
 * How long tests wait for anything to happen: one number, far above what it takes on a busy machine, and below the time
 * in which AVA gives up a file. What has to happen sooner than something else is proved by that order.
 */
export const patienceMs = 120_000;
