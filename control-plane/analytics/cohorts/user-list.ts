/** Users in ascending order, each once: a tenth of the memory of a set, and as quick to compare. */
export type UserList = Float64Array;

/** A list of these users, which may repeat and come in any order. */
export function listUsers(users: Iterable<number>): UserList {
  return Float64Array.from(new Set(users)).sort();
}

/** How many users are in both lists. */
export function countBoth(left: UserList, right: UserList): number {
  let count = 0;
  eachOf(left, right, (inLeft, inRight) => {
    if (inLeft && inRight) count += 1;
  });
  return count;
}

/** The users of the first list that are not in the second. */
export function without(users: UserList, others: UserList): UserList {
  const rest = new Float64Array(users.length);
  let length = 0;
  eachOf(users, others, (isUser, isOther, user) => {
    if (isUser && !isOther) rest[length++] = user;
  });
  return rest.slice(0, length);
}

/** The users of either list. */
export function either(left: UserList, right: UserList): UserList {
  const all = new Float64Array(left.length + right.length);
  let length = 0;
  eachOf(left, right, (_inLeft, _inRight, user) => {
    all[length++] = user;
  });
  return all.slice(0, length);
}

/** Calls for each user of two lists, ascending, and says in which it is. */
function eachOf(
  left: UserList,
  right: UserList,
  visit: (inLeft: boolean, inRight: boolean, user: number) => void,
): void {
  const end = Number.POSITIVE_INFINITY;
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [atLeft, atRight] = [left[l] ?? end, right[r] ?? end];
    const user = Math.min(atLeft, atRight);
    if (atLeft === user) l += 1;
    if (atRight === user) r += 1;
    visit(atLeft === user, atRight === user, user);
  }
}
