/**
 * A queue of many holders. Each holder has its own line, first come first served, and the lines take turns, however
 * long they are. Every operation takes constant time.
 */
interface FairQueue<Item> {
  /** How many items wait, including those of lines that are set aside. */
  readonly size: number
  /** How many items of a holder wait. */
  lengthOf(holder: string): number
  /** Adds an item to the end of its holder's line. Returns a function that removes it while it waits. */
  push(holder: string, item: Item): () => void
  /** The item whose turn it is; undefined when no line has a turn. */
  first(): Item | undefined
  /** Removes that item. Its line keeps the turn. */
  take(): void
  /** Ends the turn of a holder's line, which goes to the back of the others. */
  pass(holder: string): void
  /** Sets a holder's line aside: it gets no turns. */
  setAside(holder: string): void
  /** Gives such a line turns again, at the back of the others. */
  resume(holder: string): void
}

interface Line<Item> {
  holder: string
  items: List<Item>
  length: number
  /** Its place among the lines that have turns; null while it is set aside. */
  turn: Node<Line<Item>> | null
}

export function createFairQueue<Item>(): FairQueue<Item> {
  const lines = new Map<string, Line<Item>>()
  const turns = new List<Line<Item>>()
  let size = 0

  function lineOf(holder: string): Line<Item> {
    let line = lines.get(holder)
    if (!line) {
      line = { holder, items: new List(), length: 0, turn: null }
      line.turn = turns.push(line)
      lines.set(holder, line)
    }
    return line
  }

  function remove(line: Line<Item>, node: Node<Item>): void {
    line.items.remove(node)
    line.length -= 1
    size -= 1
    if (line.length > 0) return
    lines.delete(line.holder)
    if (line.turn) turns.remove(line.turn)
  }

  function setAside(line: Line<Item> | undefined): void {
    if (!line?.turn) return
    turns.remove(line.turn)
    line.turn = null
  }

  function resume(line: Line<Item> | undefined): void {
    if (line && !line.turn) line.turn = turns.push(line)
  }

  return {
    get size() {
      return size
    },
    lengthOf: (holder) => lines.get(holder)?.length ?? 0,
    push(holder, item) {
      const line = lineOf(holder)
      const node = line.items.push(item)
      line.length += 1
      size += 1
      return () => remove(line, node)
    },
    first: () => turns.first?.value.items.first?.value,
    take() {
      const line = turns.first?.value
      if (line?.items.first) remove(line, line.items.first)
    },
    pass(holder) {
      const line = lines.get(holder)
      if (!line?.turn) return
      setAside(line)
      resume(line)
    },
    setAside: (holder) => setAside(lines.get(holder)),
    resume: (holder) => resume(lines.get(holder)),
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
