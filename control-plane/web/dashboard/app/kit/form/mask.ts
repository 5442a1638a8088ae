/** What the API shows instead of a stored secret; sent back, it keeps it. */
export const mask = '********';
