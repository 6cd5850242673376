import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Every page of the documentation, by path. */
export function readPages(): Map<string, string> {
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('{docs,clients}/**/*.md')]
  return new Map(paths.toSorted().map((page) => [page, readFileSync(page, 'utf8')]))
}

/** The anchors that Markdown gives a text's headings. */
function anchorsOf(text: string): string[] {
  return headingsOf(text).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** A text's headings, without code blocks. */
export function headingsOf(text: string): string[] {
  return [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
}

/** A page's broken relative links: to a missing file, or to a heading that the file lacks. */
export function brokenLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link))
  return links.filter((link) => {
    const [target = '', anchor] = link.split('#')
    const file = target === '' ? page : path.posix.join(path.posix.dirname(page), target)
    if (!existsSync(file)) return true
    if (anchor === undefined) return false
    return !anchorsOf(file === page ? text : readFileSync(file, 'utf8')).includes(anchor)
  })
}

/** The first cells of a text's tables: the code in them. */
export function tableKeys(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key!)
}
