/** What nobody caught since it was asked last, and what restores what stood here before. */
export type ThrownOutside = { take: () => unknown[]; restore: () => void };

/** Collects what is thrown outside of tests, as in a timer: AVA would end the process with all that is left in it. */
export function catchThrownOutside(): ThrownOutside {
  const previous = process.listeners('uncaughtException');
  let thrown: unknown[] = [];
  const collect = (error: unknown) => void thrown.push(error);
  process.removeAllListeners('uncaughtException').on('uncaughtException', collect);
  return {
    take() {
      const taken = thrown;
      thrown = [];
      return taken;
    },
    restore() {
      process.off('uncaughtException', collect);
      for (const listener of previous) process.on('uncaughtException', listener);
      for (const error of thrown) process.emit('uncaughtException', error as Error);
    },
  };
}
