/** `FULL=1`: random cases as many as before a release, instead of the smaller number of each CI run. */
export const isFull = process.env.FULL === '1';
