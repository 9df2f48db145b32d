// The words in which two texts differ: the shortest edit script by Myers (1986), "An O(ND) Difference Algorithm".
const wordDiff = (() => {
  const MOST_WORDS = 12_000; // of both texts, spaces and signs included
  const MOST_CHANGES = 1_500; // texts further apart have too little in common for a reader
  // A word; of scripts without spaces between words, a letter with its signs.
  const PIECES =
    /[\p{sc=Han}\p{sc=Thai}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Thai}])[\p{L}\p{M}\p{N}_])+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;

  // The places in the first and the second list that are the same in both, in order; null beyond MOST_CHANGES.
  const matched = (a, b) => {
    const most = Math.min(a.length + b.length, MOST_CHANGES);
    const reach = new Int32Array(2 * most + 2); // diagonal + most → how far the first list is matched on it
    const before = []; // for each number of changes, `reach` as it was before them
    const down = (at, k, changes) => k === -changes || (k !== changes && at(k - 1) < at(k + 1));
    const walkBack = (changes) => {
      const pairs = [];
      let [x, y] = [a.length, b.length];
      for (; changes >= 0; changes--) {
        const at = (k) => before[changes][k + changes];
        const k = x - y;
        const from = changes === 0 ? 0 : down(at, k, changes) ? k + 1 : k - 1;
        const [oldX, oldY] = changes === 0 ? [0, 0] : [at(from), at(from) - from];
        while (x > oldX && y > oldY) pairs.push([--x, --y]);
        [x, y] = [oldX, oldY];
      }
      return pairs.reverse();
    };
    for (let changes = 0; changes <= most; changes++) {
      before.push(reach.slice(most - changes, most + changes + 1));
      for (let k = -changes; k <= changes; k += 2) {
        const at = (other) => reach[most + other];
        let x = down(at, k, changes) ? at(k + 1) : at(k - 1) + 1;
        while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
        reach[most + k] = x;
        if (x >= a.length && x - k >= b.length) return walkBack(changes);
      }
    }
    return null;
  };
  // [text, whether the other has it too], neighbours of a kind as one; a lone space between changes is one of them.
  const runs = (pieces, isShared) => {
    const found = [];
    pieces.forEach((piece, place) => {
      const isGap = /^\s+$/.test(piece) && isShared[place - 1] === false && isShared[place + 1] === false;
      const shared = isShared[place] && !isGap;
      if (found.length && found.at(-1)[1] === shared) found.at(-1)[0] += piece;
      else found.push([piece, shared]);
    });
    return found;
  };
  const isWord = (piece) => /[\p{L}\p{N}]/u.test(piece);

  // For each text its runs, and how many words it has alone; null where the texts are too long or too far apart.
  return (first, second) => {
    const pieces = [first, second].map((text) => text.match(PIECES) ?? []);
    if (pieces[0].length + pieces[1].length > MOST_WORDS) return null;
    const keys = pieces.map((some) => some.map((piece) => (/^\s/.test(piece) ? " " : piece)));
    const pairs = matched(...keys);
    if (!pairs) return null;
    return pieces.map((some, side) => {
      const isShared = some.map(() => false);
      for (const pair of pairs) isShared[pair[side]] = true;
      return { runs: runs(some, isShared), alone: some.filter((piece, place) => !isShared[place] && isWord(piece)).length };
    });
  };
})();
