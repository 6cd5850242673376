import type { Report } from './report.ts'

/** Writes a report as JSON, page by page. */
export async function* writeJson({ title, facts, sections }: Report): AsyncGenerator<string> {
  yield `{"title":${JSON.stringify(title)},"facts":${JSON.stringify(facts)},"sections":{`
  for (const [at, { name, title, description, erases, items }] of sections.entries()) {
    const head = JSON.stringify({ title, description, erases })
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(name)}:${head.slice(0, -1)},"items":[`
    let isFirst = true
    for await (const page of items) {
      if (page.length === 0) continue
      yield `${isFirst ? '' : ','}\n${page.map((item) => JSON.stringify(item)).join(',\n')}`
      isFirst = false
    }
    yield ']}'
  }
  yield '\n}}\n'
}
