import type { Answer, Service } from './service.ts'

/** A report as JSON. */
export interface JsonReport {
  title: string
  facts: Record<string, unknown>
  sections: Record<string, { title: string; description: string; erases: string[]; items: Item[] }>
}

type Item = Record<string, unknown>

/** Asks for a report as the administrator. Throws unless it was made. */
export async function report(service: Service, of: Record<string, string>): Promise<JsonReport> {
  const answer: Answer = await service.manage('POST', '/personal-data-reports', of)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as JsonReport
}

/** The items of the sections that an erasure deletes something of, or of one of them. */
export function itemsOf({ sections }: JsonReport, ...names: string[]): Item[] {
  return names.flatMap((name) => sections[name]!.items)
}

/** All texts in the fields that an erasure deletes, of all items. */
export function erasableTexts({ sections }: JsonReport): string[] {
  const values = Object.values(sections).flatMap(({ erases, items }) =>
    items.flatMap((item) => erases.map((name) => item[name])),
  )
  return values.flatMap(listTexts)
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...listTexts(inner)])
}

/**
 * A report without what an erasure deletes: no field of those that it deletes, and no item that has nothing else. What is
 * left is what must stay.
 */
export function withoutErasable({ sections }: JsonReport): Record<string, Item[]> {
  const left = Object.entries(sections).map(([name, { erases, items }]) => {
    const kept = items.map((item) =>
      Object.fromEntries(Object.entries(item).filter(([field]) => !erases.includes(field))),
    )
    return [name, kept.filter((item) => Object.keys(item).length > 0)] as const
  })
  return Object.fromEntries(left)
}
