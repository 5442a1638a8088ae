/** Thrown to undo a transaction on purpose: nothing failed, or the caller is to blame. */
export class Undo extends Error {}
