interface Line<Item> {
  holder: string
  items: List<Item>
  length: number
  /** Its place among the lines that have turns; null while it is set aside. */
  turn: Node<Line<Item>> | null
}

/**
 * A queue of many holders. Each holder has its own line, first come first served, and the lines take turns, however
 * long they are. Every operation takes constant time.
 *
 * A line begins with its first item and ends with its last one. Until then it is in one of two states:
 *
 * - it has turns: `first()` is an item of the line whose turn it is; `pass()` ends that turn;
 * - it is set aside (`setAside()`), and gets no turns until `resume()`.
 */
export class FairQueue<Item> {
  readonly #lines = new Map<string, Line<Item>>()
  readonly #turns = new List<Line<Item>>()
  #size = 0

  /** How many items wait, including those of lines that are set aside. */
  get size(): number {
    return this.#size
  }

  /** How many items of a holder wait. */
  lengthOf(holder: string): number {
    return this.#lines.get(holder)?.length ?? 0
  }

  /** Adds an item to the end of its holder's line. Returns a function that removes it while it waits. */
  push(holder: string, item: Item): () => void {
    const line = this.#lineOf(holder)
    const node = line.items.push(item)
    line.length += 1
    this.#size += 1
    return () => this.#remove(line, node)
  }

  /** The item whose turn it is; undefined when no line has a turn. */
  first(): Item | undefined {
    return this.#turns.first?.value.items.first?.value
  }

  /** Removes that item. Its line keeps the turn. */
  take(): void {
    const line = this.#turns.first?.value
    if (line?.items.first) this.#remove(line, line.items.first)
  }

  /** Ends the turn of a holder's line, which goes to the back of the others. */
  pass(holder: string): void {
    const line = this.#lines.get(holder)
    if (!line?.turn) return
    this.#turns.remove(line.turn)
    line.turn = this.#turns.push(line)
  }

  /** Sets a holder's line aside: it gets no turns. */
  setAside(holder: string): void {
    const line = this.#lines.get(holder)
    if (!line?.turn) return
    this.#turns.remove(line.turn)
    line.turn = null
  }

  /** Gives such a line turns again, at the back of the others. */
  resume(holder: string): void {
    const line = this.#lines.get(holder)
    if (line && !line.turn) line.turn = this.#turns.push(line)
  }

  #lineOf(holder: string) {
    let line = this.#lines.get(holder)
    if (!line) {
      line = { holder, items: new List(), length: 0, turn: null }
      line.turn = this.#turns.push(line)
      this.#lines.set(holder, line)
    }
    return line
  }

  #remove(line: Line<Item>, node: Node<Item>) {
    line.items.remove(node)
    line.length -= 1
    this.#size -= 1
    if (line.length > 0) return
    this.#lines.delete(line.holder)
    if (line.turn) this.#turns.remove(line.turn)
  }
}

interface Node<Value> {
  value: Value
  before: Node<Value> | null
  after: Node<Value> | null
}

/** A doubly linked list, from which any item can be removed in constant time. */
class List<Value> {
  first: Node<Value> | null = null
  last: Node<Value> | null = null

  push(value: Value): Node<Value> {
    const node: Node<Value> = { value, before: this.last, after: null }
    if (this.last) this.last.after = node
    else this.first = node
    this.last = node
    return node
  }

  remove({ before, after }: Node<Value>): void {
    if (before) before.after = after
    else this.first = after
    if (after) after.before = before
    else this.last = before
  }
}
