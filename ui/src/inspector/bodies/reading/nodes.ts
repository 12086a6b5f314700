// The nodes of a tree in document order, stored as plain numbers, so that a million of them stay cheap
// and no depth uses stack.

const FIELDS = 7;

export interface TreeNode {
  kind: number;
  parent: number;
  level: number;
  /** The first node after the subtree of this one. */
  next: number;
  /** Three numbers with a meaning per format: usually the start and end of the value, and a third. */
  from: number;
  to: number;
  extra: number;
}

export class Nodes {
  #values = new Int32Array(256 * FIELDS);
  size = 0;

  /** Returns the number of the new node. `close` sets its end; until then it has no children. */
  add(kind: number, parent: number, level: number, from: number, to: number, extra: number): number {
    if ((this.size + 1) * FIELDS > this.#values.length) {
      const larger = new Int32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    const node = this.size;
    this.size += 1;
    this.#values.set([kind, parent, level, node + 1, from, to, extra], node * FIELDS);
    return node;
  }

  kind(node: number): number {
    return this.#values[node * FIELDS] ?? 0;
  }

  parent(node: number): number {
    return this.#values[node * FIELDS + 1] ?? -1;
  }

  level(node: number): number {
    return this.#values[node * FIELDS + 2] ?? 0;
  }

  next(node: number): number {
    return this.#values[node * FIELDS + 3] ?? node + 1;
  }

  from(node: number): number {
    return this.#values[node * FIELDS + 4] ?? 0;
  }

  to(node: number): number {
    return this.#values[node * FIELDS + 5] ?? 0;
  }

  extra(node: number): number {
    return this.#values[node * FIELDS + 6] ?? 0;
  }

  isEmpty(node: number): boolean {
    return this.next(node) === node + 1;
  }

  /** Everything since `node` becomes its subtree, and its text ends here. */
  close(node: number, to: number): void {
    this.#values[node * FIELDS + 3] = this.size;
    this.#values[node * FIELDS + 5] = to;
  }

  become(node: number, kind: number): void {
    this.#values[node * FIELDS] = kind;
  }

  /** Removes this node and all that follow it. */
  dropFrom(node: number): void {
    this.size = node;
  }

  /** Number of direct children, counted up to `most`. */
  children(node: number, most: number): number {
    let count = 0;
    for (let child = node + 1; child < this.next(node) && count < most; child = this.next(child)) count += 1;
    return count;
  }
}
