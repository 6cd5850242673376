import { Readable } from 'node:stream'

/**
 * Texts as a stream, made one after the other while the client takes them: never more than a few are held, and no
 * transaction lasts longer than what makes one. Destroying the stream, as a client does that goes away, ends the making.
 * Resolves once the first text is there: should that fail, the client gets a problem instead of half an answer.
 */
export async function streamTexts(texts: AsyncGenerator<string>): Promise<Readable> {
  const first = await texts.next()
  return Readable.from(startingWith(first.done === true ? '' : first.value, texts))
}

async function* startingWith<Item>(first: Item, rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  yield first
  yield* rest
}
