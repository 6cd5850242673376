import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Every page that people read, by its path. */
export function readPages(): Map<string, string> {
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')]
  return new Map(paths.toSorted().map((page) => [page, readFileSync(page, 'utf8')]))
}

/** The anchors that readers of Markdown give the headings of a text. */
function anchorsOf(text: string): string[] {
  return headingsOf(text).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** The headings of a text, without its blocks of code. */
export function headingsOf(text: string): string[] {
  return [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
}

/** The relative links of a page that lead nowhere: to a file that does not exist, or to a heading that the file lacks. */
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

/** The first cells of the tables of a text: what stands there as code. */
export function tableKeys(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key!)
}
