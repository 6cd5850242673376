/** The anchors that readers of Markdown give the headings of a text. */
export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase().replaceAll(/[^\w\s-]/g, '').replaceAll(' ', '-'))
}

/** The anchors to which links of a text lead within it. */
export function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!)
}
